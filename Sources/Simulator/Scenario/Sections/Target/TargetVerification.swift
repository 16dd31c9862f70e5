/// How the oracle learns what the server stored.
package struct TargetVerification: Equatable, Sendable {
  package var method = VerificationMethod.journal
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
      .key("method", \.method, .choice, "Ask the server, or believe the journal of the client."),
      .optional("url", \.url, .text, "What to ask; `{device}` and `{start}` are filled in."),
      .key(
        "uuids", \.uuids,
        .text(pattern: "^\\$(\\[\\*\\]|\\.[A-Za-z_][A-Za-z0-9_]*)*$", words: "a path as in \"$[*].uuid\""),
        "Where the uuids stand in the answer."),
    ])
}
