import Base
import FleetSimulator
import Reports
import Threads

/// `--start-at`: the start of the drives, on several machines at once.
struct RunStart {
  let wall: WallInstant

  private static let year: UInt64 = 366 * 86_400_000

  init?(_ values: FlagValues) throws(UsageError) {
    guard let value = values.value("start-at") else { return nil }
    guard let wall = WallInstant(iso8601: value.text.utf8.span) else {
      throw UsageError("\(value.origin): '\(value.text)' is not a time such as 2026-08-03T07:00:00Z")
    }
    guard wall.milliseconds(since: SystemClock().wallNow).magnitude < RunStart.year else {
      throw UsageError("\(value.origin): \(wall.iso8601Text) is more than a year away")
    }
    for flag in ["seeds", "check-determinism"] where values.value(flag) != nil {
      throw UsageError("\(value.origin) cannot be used with --\(flag), which makes several runs")
    }
    self.wall = wall
  }

  /// The instant on the clock of this machine.
  var instant: MonotonicInstant {
    let clock = SystemClock()
    return clock.monotonicNow + .milliseconds(wall.milliseconds(since: clock.wallNow))
  }

  /// The remaining or elapsed time, as a sentence.
  var sentence: String {
    let milliseconds = wall.milliseconds(since: SystemClock().wallNow)
    let span = NumberText.span(milliseconds: Double(abs(milliseconds)))
    return milliseconds >= 0
      ? "the drives begin at \(wall.iso8601Text), in \(span)"
      : "--start-at was \(span) ago: the drives begin at once"
  }

  /// Waits until then, or until an interruption.
  static func wait(until instant: MonotonicInstant, unless interruption: Interruption) {
    let (clock, waker) = (SystemClock(), Waker())
    interruption.onRequest { waker.wake() }
    while !interruption.isRequested {
      let left = instant - clock.monotonicNow
      guard left > .zero else { return }
      waker.wait(milliseconds: Int(min(left.count / 1_000_000 + 1, 60_000)))
    }
  }
}
