/// What stands in the column `token_families.is_revoked` of each store.
package enum FamilyState {
  package static let good: Int64 = 0
  package static let revoked: Int64 = 1
  /// Its device was deleted: a client that still shows one of its tokens is told so.
  package static let deleted: Int64 = 2
}

/// What stands in the column `deliveries.state` of each store. The columns with the times are named by older words.
package enum DeliveryState {
  package static let due: Int64 = 0
  package static let sent: Int64 = 1
  /// Its time is in the column `confirmed`.
  package static let delivered: Int64 = 2
  /// Its time is in the column `proven`; `confirmed` has it too where the delivery was not noted before.
  package static let confirmed: Int64 = 3
}

/// The tables of each store that a reset of everything empties, in its order. Those of records and of sinks are not among them.
package enum StoreTable: String, CaseIterable, Sendable {
  case devices
  case deviceTags = "device_tags"
  case deliveries
  case proofs
  case quarantine
  case logs
  case orders
  case refreshTokens = "refresh_tokens"
  case tokenFamilies = "token_families"
  case forgotten

  /// Of a table whose rows hang on a device, by its number in the column `device`: how many of a deleted device one step deletes. Few
  /// where a row may be megabytes.
  package func rowsPerStep(ofSmall small: Int64) -> Int64? {
    switch self {
    case .deviceTags, .deliveries, .proofs: small
    case .quarantine: 64
    case .logs: 1
    case .devices, .orders, .refreshTokens, .tokenFamilies, .forgotten: nil
    }
  }

  package var hangsOnDevice: Bool { rowsPerStep(ofSmall: 1) != nil }
}
