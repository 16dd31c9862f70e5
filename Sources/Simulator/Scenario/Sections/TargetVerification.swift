/// How the oracle learns what the server stored.
package struct TargetVerification: Equatable, Sendable {
  /// Nil: ask a server that is known as ours, believe the journal elsewhere.
  package var method: VerificationMethod?
  /// With `{device}` and `{start}` where they belong.
  package var url: String?
  /// Where the uuids stand in the answer, `$[*].uuid`.
  package var uuids = "$[*].uuid"
  /// Where the uuids of records stand that were put aside; nil: nowhere.
  package var quarantined: String?
  /// Where these are listed; nil: in the same answer.
  package var quarantinedURL: String?

  package init() {}

  /// The placeholders of `url`.
  package static let placeholders = ["device", "start"]

  /// `$`, then names behind points and `[*]` for every element.
  package static func isPath(_ path: String) -> Bool {
    guard path.first == "$" else { return false }
    var rest = path.dropFirst()
    while let first = rest.first {
      if rest.hasPrefix("[*]") {
        rest = rest.dropFirst(3)
      } else {
        let name = rest.dropFirst().prefix { $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber)) }
        guard first == ".", let initial = name.first, !initial.isNumber else { return false }
        rest = rest.dropFirst(1 + name.count)
      }
    }
    return true
  }

  /// What is asked for: a URL alone is a question.
  package var effectiveMethod: VerificationMethod? { method ?? (url == nil ? nil : .query) }

  /// A placeholder of the URLs that is none; nil when all are known.
  package var unknownPlaceholder: String? {
    for text in [url, quarantinedURL].compactMap(\.self) {
      for part in text.split(separator: "{").dropFirst(text.hasPrefix("{") ? 0 : 1) {
        guard let end = part.firstIndex(of: "}") else { continue }
        let name = String(part[..<end])
        if !TargetVerification.placeholders.contains(name) { return name }
      }
    }
    return nil
  }
}

extension TargetVerification: ScenarioSection {
  static let table = Table<TargetVerification>(
    "verify", "How the oracle learns what the server stored.",
    [
      .optional(
        "method", \.method, .choice,
        "Source of the stored records: a query to any server (query), the administration of a Rolling Road server (admin), or the journal of the client (journal), which verifies no storage. Default: query with a `url`, admin for a Rolling Road server, otherwise journal."
      ),
      .optional(
        "url", \.url, .text,
        "What to ask, with GET and the headers of `target.headers`: a list of all records of one device. `{device}` and `{start}` (ISO 8601) are filled in; `Link: <…>; rel=\"next\"` leads to further pages."
      ),
      .key("uuids", \.uuids, .jsonPath, "Path of the uuids in the answer."),
      .optional(
        "quarantined", \.quarantined, .jsonPath,
        "Path of the uuids of quarantined records."),
      .optional(
        "quarantinedUrl", \.quarantinedURL, .text,
        "URL of the list of quarantined records, when it is not in the same answer; with the placeholders of `url`."),
    ])
}

extension ValueCodec where Value == String {
  /// `$`, then names behind points and `[*]` for every element.
  static var jsonPath: ValueCodec {
    let pattern = "^\\$(\\[\\*\\]|\\.[A-Za-z_][A-Za-z0-9_]*)*$"
    return text(pattern: pattern, words: "a path as in \"$[*].uuid\"", where: TargetVerification.isPath)
  }
}

/// How the oracle learns what a server stored.
package enum VerificationMethod: String, CaseIterable, Sendable {
  /// Only from the journal of the client.
  case journal
  /// By asking the server for the uuids.
  case query
  /// By the administration of a Rolling Road server.
  case admin
}
