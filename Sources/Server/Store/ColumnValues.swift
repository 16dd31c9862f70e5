/// What stands in the column `token_families.is_revoked` of each store.
package enum FamilyState {
  package static let good: Int64 = 0
  package static let revoked: Int64 = 1
  /// Its device was deleted: a client that still shows one of its tokens is told so.
  package static let deleted: Int64 = 2
}

/// What stands in the column `deliveries.state` of each store.
package enum DeliveryState {
  package static let due: Int64 = 0
  package static let sent: Int64 = 1
  package static let delivered: Int64 = 2
  package static let confirmed: Int64 = 3
}
