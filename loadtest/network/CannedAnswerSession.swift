import Base
import Network

/// Answers 200 to everything that ends like a head, without reading it: what the loop itself costs.
struct CannedAnswerSession: ByteSession {
  static let answer = Array(
    "HTTP/1.1 200 OK\r\nServer: network-bench\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}".utf8)

  var wishes = SessionWishes()

  mutating func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    var taken = 0
    var index = 3
    while index < input.count {
      if input[index] == 10, input[index - 1] == 13, input[index - 2] == 10, input[index - 3] == 13 {
        output.bytes.append(contentsOf: Self.answer)
        taken = index + 1
        index += 4
      } else {
        index += 1
      }
    }
    return taken
  }

  mutating func inputEnded(_ output: inout SessionOutput) {}
  mutating func deliver(_ message: Never, _ output: inout SessionOutput) {}
  mutating func produce(_ output: inout SessionOutput) {}
  mutating func alarmFired(_ output: inout SessionOutput) {}
  mutating func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {}
  mutating func drain(_ output: inout SessionOutput) {}
  mutating func closed(_ reason: CloseReason, now: MonotonicInstant) {}
}
