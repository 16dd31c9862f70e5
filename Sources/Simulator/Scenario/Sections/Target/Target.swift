/// The server that is driven at.
package struct Target: Equatable, Sendable {
  package var preset = TargetPreset.rollingroad
  /// Nil: a server of ours inside the process.
  package var url: String?
  package var headers: [Named<String>] = []
  package var authorization = TargetAuthorization()
  package var connections = TargetConnections()
  package var verification = TargetVerification()

  package init() {}
}

extension Target: ScenarioSection {
  static let table = Table<Target>(
    "target", "The server that is driven at.",
    [
      .key("preset", \.preset, .choice, "Whose dialect it speaks."),
      .optional(
        "url", \.url, .httpURL,
        "Where records go; without it a server inside the process takes them."),
      .key("headers", \.headers, .map(of: .text), "Headers of every request."),
      .key("auth", \.authorization, .section(), "How devices get their tokens."),
      .key("connections", \.connections, .section(), "How devices connect."),
      .key("verify", \.verification, .section(), "How the oracle learns what the server stored."),
    ])
}

extension Form where Value == String {
  fileprivate static var httpURL: Form {
    text(pattern: "^https?://[^/]", words: "an http or https URL with a host") { url in
      ["http://", "https://"].contains { url.hasPrefix($0) && !(url.dropFirst($0.count).first ?? "/" == "/") }
    }
  }
}
