/// Values of the column `token_families.is_revoked` in each store.
package enum FamilyState {
  package static let good: Int64 = 0
  package static let revoked: Int64 = 1
  /// Its device was deleted: a client that presents one of its tokens is told so.
  package static let deleted: Int64 = 2
}

/// Values of the column `deliveries.state` in each store. The columns with the times have older names.
package enum DeliveryState {
  package static let due: Int64 = 0
  package static let sent: Int64 = 1
  /// The time is in the column `confirmed`.
  package static let delivered: Int64 = 2
  /// The time is in the column `proven`; also in `confirmed` when the delivery was not noted before.
  package static let confirmed: Int64 = 3
}

/// The tables of each store that a full reset empties, in this order. Those of records and sinks are not included.
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

  /// Returns the number of rows of a deleted device that one step deletes, for a table that refers to devices in its column
  /// `device`; nil for other tables. Few when a row may take megabytes.
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
