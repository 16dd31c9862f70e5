import Base
import FleetSimulator

/// Where a worker tells of the shard that it simulates: five times a second how far it is, and at the end what it came to.
final class ShardLine {
  private static let interval = Nanoseconds.milliseconds(200)

  private let line: WorkerLine
  private let clock = SystemClock()
  private var due: MonotonicInstant

  init(_ line: WorkerLine) {
    self.line = line
    due = clock.monotonicNow
  }

  func show(_ progress: RunProgress) {
    let now = clock.monotonicNow
    guard now >= due else { return }
    due = now + ShardLine.interval
    send(.progress(progress))
  }

  func send(_ message: ShardMessage) { line.send(.value(message.json)) }
}
