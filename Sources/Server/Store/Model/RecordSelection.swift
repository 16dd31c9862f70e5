/// Which stored records are counted. What is nil does not matter.
package struct RecordSelection: Sendable {
  package var keys: KeySelection
  package var event: String?
  /// Milliseconds since 1970 from which on they arrived.
  package var receivedFrom: Int64

  package init(_ keys: KeySelection, event: String? = nil, receivedFrom: Int64 = .min) {
    self.keys = keys
    self.event = event
    self.receivedFrom = receivedFrom
  }
}
