import Base
import FoundationEssentials
import Synchronization
import Testing

@Suite struct LogTests {
  private final class Recorder: Sendable {
    let events = Mutex<[LogEvent]>([])
    func log(upTo level: LogSeverity) -> Log {
      Log(
        upTo: level, now: { WallInstant(millisecondsSince1970: 5) },
        sink: { event in self.events.withLock { $0.append(event) } })
    }
  }

  @Test(arguments: LogSeverity.allCases) func passesItsLevelAndTheMoreUrgentOnes(threshold: LogSeverity) {
    let recorder = Recorder()
    let log = recorder.log(upTo: threshold)
    log.error("e")
    log.warning("w")
    log.info("i")
    let written = recorder.events.withLock { $0.map(\.level) }
    #expect(written == LogSeverity.allCases.filter { $0 <= threshold })
    #expect(written.count == (LogSeverity.allCases.firstIndex(of: threshold) ?? -1) + 1)
  }

  @Test func computesFieldsOnlyForLinesThatAreWritten() {
    var computed = 0
    func fields() -> LogFields {
      computed += 1
      return ["n": .integer(Int64(computed))]
    }
    let recorder = Recorder()
    let log = recorder.log(upTo: .warning)
    log.info("not written", fields())
    #expect(computed == 0)
    log.warning("written", fields())
    log.error("written", fields())
    #expect(computed == 2)
    #expect(recorder.events.withLock { $0.count } == 2)
  }

  @Test func takesItsTimeFromTheGivenClock() {
    let recorder = Recorder()
    recorder.log(upTo: .error).error("e")
    #expect(recorder.events.withLock { $0.map(\.time) } == [WallInstant(millisecondsSince1970: 5)])
  }
}

@Suite struct LogTextTests {
  /// What a decoder that is not ours reads in a JSON line.
  private struct Decoded: Decodable {
    let time: String
    let level: String
    let message: String
    let value: String
  }

  private func event(_ fields: LogFields) -> LogEvent {
    let written = Mutex<LogEvent?>(nil)
    let log = Log(
      upTo: .info, now: { WallInstant(millisecondsSince1970: 0) }, sink: { event in written.withLock { $0 = event } })
    log.warning("queue is full", fields)
    guard let event = written.withLock({ $0 }) else { preconditionFailure("nothing was written") }
    return event
  }

  private func line(_ fields: LogFields) -> String {
    var bytes: [UInt8] = []
    event(fields).appendLine(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func jsonLine(_ fields: LogFields) -> [UInt8] {
    var bytes: [UInt8] = []
    event(fields).appendJSONLine(to: &bytes)
    return bytes
  }

  @Test func aLineForPeopleQuotesOnlyWhatNeedsQuotes() {
    #expect(line([:]) == "1970-01-01T00:00:00.000Z warning queue is full\n")
    #expect(
      line([
        "device": .string("a1"), "path": .string("/with space"), "empty": .string(""), "equal": .string("a=b"),
        "count": .integer(-3), "share": .double(0.5), "durable": .boolean(false),
      ])
        == "1970-01-01T00:00:00.000Z warning queue is full"
        + " device=a1 path=\"/with space\" empty=\"\" equal=\"a=b\" count=-3 share=0.5 durable=false\n")
  }

  @Test func aLineForProgramsIsOneObject() {
    let text = String(
      decoding: jsonLine([
        "device": .string("a1"), "count": .integer(.min), "share": .double(0.5), "nan": .double(.nan),
        "infinite": .double(-.infinity), "durable": .boolean(true),
      ]), as: UTF8.self)
    #expect(
      text == "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"warning\",\"message\":\"queue is full\","
        + "\"device\":\"a1\",\"count\":-9223372036854775808,\"share\":0.5,\"nan\":\"nan\",\"infinite\":\"-inf\","
        + "\"durable\":true}\n")
  }

  /// All of the first plane, 256 scalars at a time, between two others.
  @Test func noScalarBreaksALineOrReachesTheTerminalAsAControl() throws {
    for block in 0...0xFF as ClosedRange<UInt32> {
      let scalars = (0...0xFF).compactMap { Unicode.Scalar(block << 8 | $0) }
      let text = "a" + String(String.UnicodeScalarView(scalars)) + "b"
      let json = jsonLine(["value": .string(text)])
      let decoded = try JSONDecoder().decode(Decoded.self, from: Data(json))
      #expect(Array(decoded.value.unicodeScalars) == Array(text.unicodeScalars), "block \(block)")
      for rendered in [String(decoding: json, as: UTF8.self), line(["value": .string(text)])] {
        let isClean = rendered.unicodeScalars.dropLast().allSatisfy { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: false
          default: !scalar.properties.isBidiControl
          }
        }
        #expect(isClean && rendered.hasSuffix("\n"), "block \(block)")
      }
    }
  }
}
