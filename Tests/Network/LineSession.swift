import Base
import Network

/// A protocol of lines with everything that a real one needs from its connection:
///
/// `echo TEXT` is answered at once, `ask TEXT` when the test says so; `body N` takes N bytes and then says how many;
/// `write N` writes N bytes at once, `flood N` in pieces as there is room; `alarm N` answers N milliseconds later;
/// `share N` ends each turn after N lines; `close`, `cut` and `reset` end the connection in their way; `mute` never takes another byte; `deaf` leaves its input
/// while still wanting more; `hold` stops the whole loop until the test opens the gate.
struct LineSession: ByteSession {
  enum Message: Sendable {
    case answer(String)
    /// One event of an endless stream; dropped when the client is behind by more than the number.
    case live(String, unsentMax: Int)
  }

  var wishes = SessionWishes()
  private let accepted: Accepted
  private let loop: Int
  private let recorder: Recorder
  private var messages: UInt32 = 0
  private var bodyLeft = 0
  private var bodyCount = 0
  private var floodLeft = 0
  private var isDeaf = false
  private var share = Int.max

  init(_ accepted: Accepted, loop: Int, recorder: Recorder) {
    self.accepted = accepted
    self.loop = loop
    self.recorder = recorder
    recorder.record(.opened(accepted.token, loop: loop, peer: accepted.peer))
  }

  mutating func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    var taken = 0
    var left = share
    while left > 0, wishes.wantsInput, wishes.ending == .open, !isDeaf, !output.isFull, taken < input.count {
      if bodyLeft > 0 {
        let count = min(bodyLeft, input.count - taken)
        bodyLeft -= count
        taken += count
        if bodyLeft == 0 { answer("took \(bodyCount)", &output) }
        continue
      }
      guard let end = (taken..<input.count).first(where: { input[$0] == 10 }) else {
        wishes.phase = .head(message: messages)
        return taken
      }
      let line = String(decoding: (taken..<end).map { input[$0] }, as: UTF8.self)
      taken = end + 1
      messages += 1
      obey(line, &output)
      left = min(left, share) - 1
    }
    output.hasUsedItsShare = left <= 0
    return taken
  }

  private mutating func obey(_ line: String, _ output: inout SessionOutput) {
    let parts = line.split(separator: " ", maxSplits: 1)
    let text = parts.count > 1 ? String(parts[1]) : ""
    let number = Int(text) ?? 0
    switch parts.first {
    case "echo": answer(text, &output)
    case "ask":
      wishes.phase = .answering
      wishes.wantsInput = false
      recorder.record(.asked(accepted.token, loop: loop, text))
    case "body":
      wishes.phase = .body(message: messages)
      bodyLeft = number
      bodyCount = number
    case "write": output.bytes += [UInt8](repeating: 119, count: number)
    case "flood":
      floodLeft = number
      wishes.phase = .answering
      wishes.hasMoreOutput = true
      wishes.wantsInput = false
    case "alarm":
      wishes.phase = .answering
      wishes.alarm = output.now + .milliseconds(Int64(number))
    case "close":
      answer("bye", &output)
      wishes.ending = .afterOutput
    case "cut": wishes.ending = .atOnce
    case "reset": wishes.ending = .reset
    case "share": share = number
    case "mute":
      wishes.phase = .answering
      wishes.wantsInput = false
    case "hold":
      recorder.record(.held)
      recorder.gate.wait()
      answer("released", &output)
    case "deaf":
      wishes.phase = .head(message: messages)
      isDeaf = true
    default: answer("?", &output)
    }
  }

  private mutating func answer(_ text: String, _ output: inout SessionOutput) {
    output.bytes.append(contentsOf: "\(text)\n".utf8)
    wishes.phase = .idle
    wishes.wantsInput = true
  }

  mutating func inputEnded(_ output: inout SessionOutput) { recorder.record(.inputEnded) }

  mutating func deliver(_ message: Message, _ output: inout SessionOutput) {
    switch message {
    case .answer(let text): answer(text, &output)
    case .live(let text, let unsentMax):
      if output.unsent <= unsentMax { output.bytes.append(contentsOf: text.utf8) }
    }
  }

  mutating func produce(_ output: inout SessionOutput) {
    let count = min(floodLeft, 65_536)
    output.bytes += [UInt8](repeating: 102, count: count)
    floodLeft -= count
    wishes.hasMoreOutput = floodLeft > 0
    if floodLeft == 0 {
      wishes.phase = .idle
      wishes.wantsInput = true
    }
  }

  mutating func alarmFired(_ output: inout SessionOutput) {
    wishes.alarm = nil
    answer("rang", &output)
  }

  mutating func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {
    recorder.record(.timedOut(limit))
    if limit != .idle { output.bytes.append(contentsOf: "too slow\n".utf8) }
  }

  mutating func drain(_ output: inout SessionOutput) {}

  mutating func closed(_ reason: CloseReason, now: MonotonicInstant) { recorder.record(.closed(reason)) }
}
