import Base
import Network

/// One connection of a proxy: to a client, or to the upstream. The two ends of an exchange are served by one loop, hold each
/// other, and call each other through it when one has something for the other.
class ProxyEnd: ByteSession {
  typealias Message = Never

  var wishes = SessionWishes()

  func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int { 0 }
  func inputEnded(_ output: inout SessionOutput) {}
  func deliver(_ message: Never, _ output: inout SessionOutput) {}
  func produce(_ output: inout SessionOutput) {}
  func alarmRang(_ output: inout SessionOutput) {}
  func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {}
  func drain(_ output: inout SessionOutput) {}
  func closed(_ reason: CloseReason, now: MonotonicInstant) {}
  func connected(_ output: inout SessionOutput) {}
  func connectFailed(_ error: SystemError) {}
  func nudged(_ output: inout SessionOutput) {}

  /// What one end may hold for the other before it reads no further.
  static let heldBytesMax = 65_536
}

extension [UInt8] {
  /// Moves everything to the end of `target`; what is alone there changes its place without being copied.
  mutating func move(to target: inout [UInt8]) {
    if target.isEmpty {
      swap(&target, &self)
    } else {
      target += self
      removeAll(keepingCapacity: true)
    }
  }
}
