import Base
import FleetSimulator
import Oracle
import Threads

/// Reports on the shard of a worker: its progress five times a second, and the results at the end.
final class ShardLine {
  private static let interval = Nanoseconds.milliseconds(200)

  private let line: WorkerLine
  /// Whether the whole is judged during the run.
  private let sendsInterims: Bool
  private let clock = SystemClock()
  private var due: MonotonicInstant
  private var interimDue: MonotonicInstant
  /// Ends the drives when the whole has missed a threshold.
  let ending = RequestedEnd()

  init(_ line: WorkerLine, sendsInterims: Bool) {
    (self.line, self.sendsInterims) = (line, sendsInterims)
    due = clock.monotonicNow
    interimDue = due
  }

  func show(_ progress: RunProgress, _ interim: () -> RunSummary) {
    let now = clock.monotonicNow
    if now >= due {
      due = now + ShardLine.interval
      send(.progress(progress))
    }
    if sendsInterims, now >= interimDue {
      interimDue = now + WholeJudge.interval
      send(.interimSummary(interim()))
    }
  }

  func send(_ message: ShardMessage) { line.send(.value(message.json)) }

  /// Waits for the instant at which the drives of all shards start.
  func awaitStart(_ interruption: Interruption) {
    send(.ready)
    var begin: MonotonicInstant?
    while begin == nil, !interruption.isRequested {
      if case .begin(let instant) = line.nextInstruction(milliseconds: 100) { begin = instant }
    }
    if let begin { RunStart.wait(until: begin, unless: interruption) }
    listen()
  }

  /// Starts to receive the instruction to end the drives.
  func listen() {
    NamedThread.started("instructions") { [line, flag = ending.flag] in
      if line.nextInstruction(milliseconds: -1) == .endDrives { flag.raise() }
    }.detach()
  }
}

/// Ends the drives when the parent process says so.
final class RequestedEnd: Watcher {
  let flag = AtomicFlag()

  var hasSeenEnough: Bool { flag.isRaised }

  func see(_ event: SimulationEvent, _ context: EventContext) {}
}
