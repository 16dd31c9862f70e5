package import Upload

/// The end of one request. Each request that was submitted has exactly one.
package struct TransportCompletion: Sendable {
  package let device: Int
  /// That of the request.
  package let id: UInt64
  package let outcome: RequestOutcome
  package let timings: TransferTimings
  /// The status line and the header lines of the last answer, as they came; empty unless `keepsHeads`.
  package let head: [UInt8]

  package init(device: Int, id: UInt64, outcome: RequestOutcome, timings: TransferTimings, head: [UInt8]) {
    (self.device, self.id, self.outcome, self.timings, self.head) = (device, id, outcome, timings, head)
  }
}
