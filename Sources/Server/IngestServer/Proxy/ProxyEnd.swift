import Base
import Network

/// One connection of a proxy, to a client or to the upstream. One loop serves both ends of an exchange; they refer to each
/// other, and call each other through the loop when one has data for the other.
class ProxyEnd: ByteSession {
  typealias Message = Never

  var wishes = SessionWishes()

  func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int { 0 }
  func inputEnded(_ output: inout SessionOutput) {}
  func deliver(_ message: Never, _ output: inout SessionOutput) {}
  func produce(_ output: inout SessionOutput) {}
  func alarmFired(_ output: inout SessionOutput) {}
  func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {}
  func drain(_ output: inout SessionOutput) {}
  func closed(_ reason: CloseReason, now: MonotonicInstant) {}
  func connected(_ output: inout SessionOutput) {}
  func connectFailed(_ error: SystemError) {}
  func nudged(_ output: inout SessionOutput) {}

  /// The bytes that one end may hold for the other before it stops reading.
  static let heldBytesMax = 65_536
}

extension [UInt8] {
  /// Moves all bytes to the end of `target`; an empty target takes them without a copy.
  mutating func move(to target: inout [UInt8]) {
    if target.isEmpty {
      swap(&target, &self)
    } else {
      target += self
      removeAll(keepingCapacity: true)
    }
  }
}
