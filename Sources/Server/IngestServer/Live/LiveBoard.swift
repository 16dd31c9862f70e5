import Base
import Store
import Synchronization

/// The latest state of every device, for viewers of the whole fleet. A busy fleet changes faster than a page can read: a viewer
/// fetches, at its own pace, each device that has changed since its last fetch, once, however often it changed. Without viewers
/// the board holds nothing and costs one flag check.
final class LiveBoard: Sendable {
  static let devicesMax = 32_768
  static let viewersMax = 64
  /// The deletions and resets kept for viewers that have not fetched them.
  static let removalsMax = 4_096

  /// The result of one fetch.
  struct Changes {
    /// Devices and runs that the viewer must remove, in order, before it applies the lines.
    var removals: [LiveRemoval] = []
    var lines: [LiveLine] = []
    /// The start of the next fetch.
    var cursor: UInt64
    var hasMore = false
    /// Whether earlier changes were dropped because too many devices changed: the viewer must fetch all of them again.
    var hasGap = false
  }

  private struct State {
    var lines: [LiveLine] = []
    var places: [DeviceIdentity: Int] = [:]
    var removals: [LiveRemoval] = []
    var change: UInt64 = 0
    /// The last change that is no longer kept.
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

    /// Drops the lines of what is removed; a line that is added later has a higher change than the removal.
    mutating func remove(_ extent: LiveRemoval.Extent, at instant: Int64) {
      change += 1
      if case .device(let device) = extent {
        removeLine(of: device)
      } else {
        lines.removeAll { extent.covers($0.device) }
        places = Dictionary(uniqueKeysWithValues: lines.indices.map { (lines[$0].device, $0) })
        removals.removeAll { extent.covers($0.extent) }
      }
      removals.append(LiveRemoval(change: change, at: instant, extent: extent))
      // Half at a time, so that the cost of moving the rest is constant per removal.
      guard removals.count > LiveBoard.removalsMax else { return }
      let forgotten = removals.count / 2
      floor = removals[forgotten - 1].change
      removals.removeFirst(forgotten)
    }

    /// Removes a line by moving the last one into its place.
    private mutating func removeLine(of device: DeviceIdentity) {
      guard let place = places.removeValue(forKey: device) else { return }
      let last = lines.removeLast()
      guard place < lines.count else { return }
      lines[place] = last
      places[last.device] = place
    }

    /// Returns whether a request arrived before its device was removed, so that its answer says nothing about the current
    /// state.
    func isOutdated(_ device: DeviceIdentity, _ instant: Int64) -> Bool {
      places[device] == nil && removals.contains { $0.at > instant && $0.extent.covers(device) }
    }

    mutating func forget() {
      lines = []
      places = [:]
      removals = []
    }
  }

  private let state = Mutex(State())
  private let isWatched = Atomic(false)

  /// Whether updates of the board have a reader.
  var hasViewers: Bool { isWatched.load(ordering: .acquiring) }

  /// Applies the batches, deletions and resets of a committed group.
  func committed(_ group: [StoreJob], _ results: [StoreResult], at instant: Int64) {
    state.withLock { state in
      for (job, result) in zip(group, results) {
        switch (job, result) {
        case (.ingest(let batch), .ingested): state.change(batch.device) { $0.note(batch) }
        case (.delete(let device), .changed(1...)): state.remove(.device(device), at: instant)
        case (.reset(let run), .changed): state.remove(run.map { .run($0) } ?? .everything, at: instant)
        default: break
        }
      }
    }
  }

  /// Applies records that a feed has read.
  func arrived(_ batch: IngestBatch) { state.withLock { $0.change(batch.device) { $0.note(batch) } } }

  /// Something unknown was deleted; viewers fetch everything again.
  func forgetAll() {
    state.withLock { state in
      state.forget()
      state.change += 1
      state.floor = state.change
    }
  }

  /// Notes an answer to a device. `failures` is the number of its consecutive failed requests, including this one.
  func answered(
    _ device: DeviceIdentity, status: Int, _ fault: ServerFault.Kind?, failures: Int = 0, at instant: Int64
  ) {
    state.withLock { state in
      guard !state.isOutdated(device, instant) else { return }
      state.change(device) { line in
        line.seenAt = max(line.seenAt, instant)
        line.status = status
        line.fault = fault
        line.failures = failures
        if failures > 0 { line.noteFailure() }
      }
    }
  }

  /// Returns the start cursor of a new viewer; nil when there are too many.
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

  /// Returns at most `limit` devices of the run, or of all, that changed after the cursor, in the order of their last change,
  /// and at most `limit` removals. A device that changes meanwhile moves to the end and is returned once.
  func fetch(after cursor: UInt64, run: String?, limit: Int) -> Changes {
    let (removed, changed, end, floor) = state.withLock { state in
      let removed = state.removals.filter { $0.change > cursor && $0.extent.concerns(run) }
      let changed = state.lines.filter { $0.change > cursor && (run == nil || $0.device.run.isExactly(run)) }
      return (removed, changed, state.change, state.floor)
    }
    var changes = Changes(cursor: end, hasGap: cursor < floor)
    let lines = changed.sorted { $0.change < $1.change }
    changes.hasMore = max(removed.count, lines.count) > limit
    if changes.hasMore {
      let ends = [removed.map(\.change), lines.map(\.change)].filter { $0.count > limit }.map { $0[limit - 1] }
      changes.cursor = ends.min() ?? end
    }
    changes.removals = removed.filter { $0.change <= changes.cursor }
    changes.lines = lines.filter { $0.change <= changes.cursor }
    return changes
  }
}

/// The latest state of one device.
struct LiveLine: Sendable {
  /// A position, with its time by the device's clock.
  struct Place: Sendable {
    /// The board's change that added it.
    let change: UInt64
    let recordedAt: Int64
    let latitude: Double
    let longitude: Double
    let event: String?
  }

  /// A batch may span a day; the page shows where it ended, and fetches the history elsewhere.
  static let placesKept = 16
  /// More failures count as this many: a device that fails faster than it is read is failing anyway.
  static let failuresKept = 64

  let device: DeviceIdentity
  /// The board's change count when it last changed.
  var change: UInt64 = 0
  /// In milliseconds since 1970, by the server's clock.
  var seenAt: Int64 = 0
  /// The status of the last answer to the device; 0 before the first.
  var status = 0
  /// The fault injected into that answer.
  var fault: ServerFault.Kind?
  /// The consecutive failed requests up to this answer, since the server started.
  var failures = 0
  /// The board's changes that were failures, the latest last.
  private var failedChanges: [UInt64] = []
  /// The newest record with a position that this board has seen.
  var newest: Point?
  /// When the newest arrived, by the server's clock: other requests of the device say nothing about its lateness.
  var newestArrivedAt: Int64 = 0
  /// The positions of the last batches, the latest last.
  var places: [Place] = []

  init(_ device: DeviceIdentity) { self.device = device }

  /// Returns the number of requests that have failed since that change of the board.
  func failed(after seen: UInt64) -> Int { failedChanges.count { $0 > seen } }

  mutating func noteFailure() {
    if failedChanges.count == LiveLine.failuresKept { failedChanges.removeFirst() }
    failedChanges.append(change)
  }

  mutating func note(_ batch: IngestBatch) {
    let arrivedAt = batch.receivedAt.millisecondsSince1970
    seenAt = max(seenAt, arrivedAt)
    for point in batch.points.suffix(LiveLine.placesKept) {
      guard let latitude = point.latitude, let longitude = point.longitude else { continue }
      // A record that is sent again keeps the time of its first arrival.
      if point.recordedAt > newest?.recordedAt ?? .min { newestArrivedAt = arrivedAt }
      if point.recordedAt >= newest?.recordedAt ?? .min { newest = point }
      places.append(
        Place(
          change: change, recordedAt: point.recordedAt, latitude: latitude, longitude: longitude, event: point.event))
    }
    if places.count > LiveLine.placesKept { places.removeFirst(places.count - LiveLine.placesKept) }
  }
}

/// A deletion or a reset, for viewers that still show the devices.
struct LiveRemoval: Sendable {
  /// The devices that were removed.
  enum Extent: Equatable, Sendable {
    case device(DeviceIdentity)
    case run(String)
    case everything

    func covers(_ device: DeviceIdentity) -> Bool {
      switch self {
      case .device(let removed): removed == device
      case .run(let run): run.isExactly(device.run)
      case .everything: true
      }
    }

    /// Returns whether this removal makes the other one redundant.
    func covers(_ other: Extent) -> Bool {
      switch (self, other) {
      case (.everything, _): true
      case (.run(let run), .device(let device)): run.isExactly(device.run)
      case (.run(let run), .run(let other)): run.isExactly(other)
      default: self == other
      }
    }

    /// Returns whether it concerns a viewer of the run, or of all runs.
    func concerns(_ run: String?) -> Bool {
      guard let run else { return true }
      return switch self {
      case .device(let device): device.run.isExactly(run)
      case .run(let removed): removed.isExactly(run)
      case .everything: true
      }
    }
  }

  /// The board's change count at the removal.
  let change: UInt64
  /// In milliseconds since 1970, by the server's clock.
  let at: Int64
  let extent: Extent
}
