/// The server that is driven at.
package struct Target: Equatable, Sendable {
  /// Nil: not given. Such a server is foreign, unless it is known as ours in another way.
  package var preset: TargetPreset?
  /// Nil: where the app uploads to, and in virtual time a server of ours inside the process.
  package var url: String?
  package var headers: [Named<String>] = []
  package var authorization = TargetAuthorization()
  package var connections = TargetConnections()
  package var verification = TargetVerification()

  /// `--admin-token` was given.
  package var hasAdminToken = false

  package init() {}

  /// Whether it is declared to be a Rolling Road server. Others get nothing but what the app sends.
  package var isOurs: Bool { preset == .rollingroad || hasAdminToken || verification.method == .admin }

  /// Where uploads go that are not to go where the app says. A target that names only the server gets the path of its preset.
  package var uploadURL: String? { url.map((preset ?? .rollingroad).uploads) }
}

extension Target: ScenarioSection {
  static let table = Table<Target>(
    "target", "The server that is driven at.",
    [
      .optional(
        "preset", \.preset, .choice,
        "Whose dialect it speaks; without it the devices speak as their app configures them."),
      .optional(
        "url", \.url, .httpURL,
        "Where records go, instead of http.url; in virtual time a server inside the process takes them."),
      .key("headers", \.headers, .map(of: .text), "Headers of every request, over those of the app."),
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
