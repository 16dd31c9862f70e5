/// Which records that were put aside are meant. What is nil does not matter.
package struct QuarantineSelection: Equatable, Sendable {
  package var run: String?
  package var device: String?
  package var reason: String?
  /// One record.
  package var id: Int64?

  package init(run: String? = nil, device: String? = nil, reason: String? = nil, id: Int64? = nil) {
    self.run = run
    self.device = device
    self.reason = reason
    self.id = id
  }
}
