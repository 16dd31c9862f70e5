import Base
import Synchronization
import Testing

@Suite struct LogTests {
  private final class Recorder: Sendable {
    let events = Mutex<[LogEvent]>([])
    func log(upTo level: LogLevel) -> Log {
      Log(
        upTo: level, now: { WallInstant(millisecondsSince1970: 5) },
        sink: { event in self.events.withLock { $0.append(event) } })
    }
  }

  @Test(arguments: LogLevel.allCases) func passesItsLevelAndTheMoreUrgentOnes(threshold: LogLevel) {
    let recorder = Recorder()
    let log = recorder.log(upTo: threshold)
    log.error("e")
    log.warning("w")
    log.info("i")
    log.debug("d")
    let written = recorder.events.withLock { $0.map(\.level) }
    #expect(written == LogLevel.allCases.filter { $0 <= threshold })
    #expect(written.count == (LogLevel.allCases.firstIndex(of: threshold) ?? -1) + 1)
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
    log.debug("not written", fields())
    #expect(computed == 0)
    log.warning("written", fields())
    log.error("written", fields())
    #expect(computed == 2)
    #expect(recorder.events.withLock { $0.count } == 2)
  }

  @Test func putsBoundFieldsBeforeThoseOfTheLine() {
    let recorder = Recorder()
    let parent = recorder.log(upTo: .info)
    let child = parent.with(["loop": .integer(1)]).with(["peer": .string("x")])
    child.info("opened", ["secure": .boolean(true)])
    parent.info("parent")
    let names = recorder.events.withLock { $0.map { $0.fields.pairs.map(\.name.description) } }
    #expect(names == [["loop", "peer", "secure"], []])
  }

  @Test func takesItsTimeFromTheGivenClock() {
    let recorder = Recorder()
    recorder.log(upTo: .error).error("e")
    #expect(recorder.events.withLock { $0.map(\.time) } == [WallInstant(millisecondsSince1970: 5)])
  }
}
