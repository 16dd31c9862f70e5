import Base

/// How far a run has come and how it goes just now.
package struct RunProgress: Equatable, Sendable {
  /// Of the drives, 0 to 1.
  package var share: Double
  /// The drives are over, and the queues empty: that takes as long as it takes.
  package var isSettling = false
  /// Whose app runs.
  package var devices: Int
  package var uploadsPerSecond: Double
  /// Of uploads that were answered lately.
  package var p95Milliseconds: Double?
  /// Records that wait.
  package var backlog: Int
  /// Uploads without a 2xx so far.
  package var errors: Int
  /// How most of them ended.
  package var mostFrequentError: String?
}

extension Measures {
  /// What the last whole interval of the timeline and the one after it tell.
  package var progress: RunProgress {
    let timeline = chart.timeline
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    let before = timeline.intervals.last
    let covered = (before == nil ? 0 : 1) * timeline.width.seconds
    let seconds = covered + (elapsed - timeline.width * Int64(timeline.intervals.count)).seconds
    var spread = chart.current.uploadDuration
    if let before { spread.add(before.uploadDuration) }
    let uploads = chart.current.uploads + (before?.uploads ?? 0)
    // What the server gets in a second of its own time.
    let factor = elapsed < setup.duration ? setup.outside?.factor ?? 1 : 1
    return RunProgress(
      share: min(elapsed.seconds / max(setup.duration.seconds, 1), 1), isSettling: settledSince != nil,
      devices: chart.active.reduce(0, +), uploadsPerSecond: seconds > 0 ? factor * Double(uploads) / seconds : 0,
      p95Milliseconds: spread.percentile(95), backlog: chart.backlog,
      errors: table.cell(.uploadFailed, of: setup.fleets.map { _ in true }).hits)
  }
}

/// How much of the processors a run at a real server takes: where it takes all of them, its figures are its own.
struct ProcessorGauge {
  private let clock = SystemClock()
  private let processorTime: () -> Nanoseconds
  private var lookedAt: MonotonicInstant
  private var worked: Nanoseconds
  private(set) var series = LevelSeries(resolution: 1_000)

  /// `processorTime` is what the processors have worked for this process, all of its threads together.
  init(_ processorTime: @escaping () -> Nanoseconds) {
    self.processorTime = processorTime
    lookedAt = clock.monotonicNow
    worked = processorTime()
  }

  /// The share of one core since the last look.
  mutating func look() {
    let (now, time) = (clock.monotonicNow, processorTime())
    guard now > lookedAt else { return }
    series.levels.append(Int(((time - worked).seconds / (now - lookedAt).seconds * series.resolution).rounded()))
    (lookedAt, worked) = (now, time)
  }
}
