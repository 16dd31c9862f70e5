import Store
import Synchronization

/// What every device did last, for those who look at all of them at once. A busy fleet changes faster than anybody can read:
/// a viewer fetches, at its own pace, each device that has changed since, once, however often it did. While nobody
/// looks it costs a look at a flag, and holds nothing.
final class LiveBoard: Sendable {
  static let devicesMax = 32_768
  static let viewersMax = 64

  /// What a viewer gets at once.
  struct Changes {
    var lines: [LiveLine] = []
    /// Where the next fetch begins.
    var cursor: UInt64
    var hasMore = false
    /// What came before was let go of, because too many devices changed: the viewer has to look at all of them anew.
    var hasGap = false
  }

  private struct State {
    var lines: [LiveLine] = []
    var places: [DeviceIdentity: Int] = [:]
    var change: UInt64 = 0
    /// Changes up to here are forgotten.
    var floor: UInt64 = 0
    var viewers = 0

    mutating func change(_ device: DeviceIdentity, _ body: (inout LiveLine) -> Void) {
      change += 1
      let place = places[device] ?? enter(device)
      lines[place].change = change
      body(&lines[place])
    }

    private mutating func enter(_ device: DeviceIdentity) -> Int {
      if lines.count == LiveBoard.devicesMax {
        forget()
        floor = change
      }
      places[device] = lines.count
      lines.append(LiveLine(device))
      return lines.count - 1
    }

    mutating func forget() {
      lines = []
      places = [:]
    }
  }

  private let state = Mutex(State())
  private let isWatched = Atomic(false)

  /// Whether it is worth telling the board.
  var hasViewers: Bool { isWatched.load(ordering: .acquiring) }

  /// The batches of a group that are on disk now.
  func committed(_ group: [StoreJob], _ results: [StoreResult]) {
    state.withLock { state in
      for (job, result) in zip(group, results) {
        guard case .ingest(let batch) = job, case .ingested = result else { continue }
        state.change(batch.device) { $0.note(batch) }
      }
    }
  }

  /// A device got an answer.
  func answered(_ device: DeviceIdentity, status: Int, _ fault: ServerFault.Kind?, at instant: Int64) {
    state.withLock { state in
      state.change(device) { line in
        line.seenAt = max(line.seenAt, instant)
        line.status = status
        line.fault = fault
      }
    }
  }

  /// Where the viewer begins; nil when there are too many.
  func enter() -> UInt64? {
    state.withLock { state in
      guard state.viewers < LiveBoard.viewersMax else { return nil }
      state.viewers += 1
      isWatched.store(true, ordering: .releasing)
      return state.change
    }
  }

  func leave() {
    state.withLock { state in
      state.viewers -= 1
      guard state.viewers == 0 else { return }
      isWatched.store(false, ordering: .releasing)
      state.forget()
    }
  }

  /// At most `limit` devices of the run, or of all, that changed behind the cursor, in the order of their last change. One
  /// that changes in between moves to the end and comes once.
  func fetch(after cursor: UInt64, run: String?, limit: Int) -> Changes {
    let (changed, end, floor) = state.withLock { state in
      let changed = state.lines.filter { $0.change > cursor && (run == nil || $0.device.run == run) }
      return (changed, state.change, state.floor)
    }
    var changes = Changes(cursor: end, hasGap: cursor < floor)
    changes.lines = changed.sorted { $0.change < $1.change }
    guard changes.lines.count > limit else { return changes }
    changes.lines.removeLast(changes.lines.count - limit)
    changes.cursor = changes.lines.last?.change ?? end
    changes.hasMore = true
    return changes
  }
}
