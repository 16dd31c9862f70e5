import Base
import Upload

/// A request whose end the device does not know yet.
struct SentRequest {
  let id: UInt64
  let purpose: OutgoingRequest.Purpose
  let sentAt: MonotonicInstant
  let timeout: Nanoseconds
  /// Of the records in its body, in their order there.
  var rows: [Int64] = []
  /// Records in its body, those that are in no queue included.
  var recordCount = 0
  /// It is not the first of its flush.
  var followsSuccess = false
  /// The server has answered.
  var isServed = false

  /// The watchdog has ended it and its flush; its answer may still come (SDK §9.2).
  func isGivenUp(at instant: MonotonicInstant) -> Bool { instant - sentAt >= timeout + UploadRules.watchdogGrace }
}
