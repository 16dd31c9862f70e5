/// How the oracle learns what the server stored.
package struct TargetVerification: Equatable, Sendable {
  /// Nil: ask a server that is known as ours, believe the journal elsewhere.
  package var method: VerificationMethod?
  /// With `{device}` and `{start}` where they belong.
  package var url: String?
  /// Where the uuids stand in the answer, `$[*].uuid`.
  package var uuids = "$[*].uuid"

  package init() {}
}

extension TargetVerification: ScenarioSection {
  static let table = Table<TargetVerification>(
    "verify", "How the oracle learns what the server stored.",
    [
      .optional(
        "method", \.method, .choice,
        "Ask any server (query) or one of ours (admin), or believe the journal of the client; without it admin for a server of ours, else journal."
      ),
      .optional("url", \.url, .text, "What to ask; `{device}` and `{start}` are filled in."),
      .key("uuids", \.uuids, .jsonPath, "Where the uuids stand in the answer."),
    ])
}

extension Form where Value == String {
  /// `$`, then names behind points and `[*]` for every element.
  fileprivate static var jsonPath: Form {
    let pattern = "^\\$(\\[\\*\\]|\\.[A-Za-z_][A-Za-z0-9_]*)*$"
    return text(pattern: pattern, words: "a path as in \"$[*].uuid\"") { path in
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
  }
}
