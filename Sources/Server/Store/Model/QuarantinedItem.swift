package import Base

/// A record that could not be understood. It is kept with its reason and its batch is acknowledged all the same, because
/// a refusal would leave it at the head of the client's queue for ever.
package struct QuarantinedItem: Sendable {
  /// A hash of the bytes, so that a retry is recognised.
  package var identity: UUID128
  /// A constant word for programs.
  package var reason: String
  /// A sentence for people.
  package var detail: String
  /// Where the bytes lie in the bytes of the batch.
  package var record: Range<Int>

  package init(identity: UUID128, reason: String, detail: String, record: Range<Int>) {
    self.identity = identity
    self.reason = reason
    self.detail = detail
    self.record = record
  }
}
