import Base
import FleetSimulator
import HTTPService
import JSON
import Synchronization

/// Streams the state of a run, a few times per second while it changes and once per second otherwise.
final class RunStream: ServiceStream {
  private struct Told {
    var at: MonotonicInstant
    var instant: Nanoseconds
    var isPaused: Bool
    var acts: Int
    var isOver: Bool
  }

  private let run: WatchedRun
  private let board: RoomBoard
  private let told = Mutex<Told?>(nil)

  private static let silenceMax = Nanoseconds.seconds(1)

  init(_ run: WatchedRun, _ board: RoomBoard) { (self.run, self.board) = (run, board) }

  func next(at now: MonotonicInstant) -> [UInt8] {
    guard let view = run.steering.view else { return [] }
    let summary = board.summary
    let state = RunState(run, view, summary: summary)
    let isNew = told.withLock { told in
      let next = Told(
        at: now, instant: view.instant, isPaused: state.isPaused, acts: state.acts, isOver: summary != nil)
      if let told, told.instant == next.instant, told.isPaused == next.isPaused, told.acts == next.acts,
        told.isOver == next.isOver, now - told.at < RunStream.silenceMax
      {
        return false
      }
      told = next
      return true
    }
    guard isNew else { return [] }
    return StreamEvent.bytes("state", state.json.serialized)
  }

  func end() { board.leave() }
}
