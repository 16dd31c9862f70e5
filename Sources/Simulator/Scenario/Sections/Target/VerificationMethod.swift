/// How the oracle learns what a server stored.
package enum VerificationMethod: String, CaseIterable, Sendable {
  /// Only from the journal of the client.
  case journal
  /// By asking the server for the uuids.
  case query
  /// By the administration of a Rolling Road server.
  case admin
}
