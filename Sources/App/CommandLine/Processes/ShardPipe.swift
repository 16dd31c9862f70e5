import Base
import FleetSimulator
import Glibc
import JSON

/// Where a process that simulates one shard tells of it: `DividedSimulation` has begun it and reads the other end.
final class ShardPipe {
  /// The variable of the environment that holds the number of the descriptor.
  static let variable = "ROAD_SHARD_PIPE"

  private static let interval = Nanoseconds.milliseconds(200)

  private let descriptor: Int32
  private let clock = SystemClock()
  private var due: MonotonicInstant

  /// Nil for a process that a person has begun.
  init?(_ process: ProcessContext) {
    guard let descriptor = process.variable(ShardPipe.variable).flatMap({ Int32($0) }) else { return nil }
    self.descriptor = descriptor
    due = clock.monotonicNow
  }

  func show(_ progress: RunProgress) {
    let now = clock.monotonicNow
    guard now >= due else { return }
    due = now + ShardPipe.interval
    send(.progress(progress))
  }

  func send(_ message: ShardMessage) {
    var writer = JSONWriter(capacity: 4_096)
    message.json.write(to: &writer)
    var bytes = (writer.bytes + [UInt8(ascii: "\n")])[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // The process that reads is gone, and nothing waits for the rest of the run.
      guard count > 0 else { _exit(ExitCode.stoppedBySignal.rawValue) }
      bytes = bytes.dropFirst(count)
    }
  }
}
