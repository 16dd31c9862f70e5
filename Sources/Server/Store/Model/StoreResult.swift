/// What became of a job. Anything but `unavailable` is on disk when the caller sees it.
package enum StoreResult: Equatable, Sendable {
  case ingested(IngestReceipt)
  /// `isNew` is false when an open order had the same key; then the id is that order's.
  case ordered(id: Int64, isNew: Bool)
  /// There are as many open orders as the limits allow.
  case tooManyOrders
  case commands([TakenCommand])
  /// How many rows the job changed.
  case changed(Int)
  case family(Int64)
  case rotated(family: Int64)
  /// The token had been used a moment ago; this is what was answered then.
  case rotatedBefore(family: Int64, answer: [UInt8])
  case refused(TokenRefusal)
  case unavailable(StoreOutage)
}
