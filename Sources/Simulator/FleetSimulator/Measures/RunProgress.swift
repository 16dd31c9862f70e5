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
  /// Open to a real server; nil in virtual time.
  package var connections: Int?
  /// Uploads without a 2xx so far.
  package var errors: Int
  /// How most of them ended.
  package var mostFrequentError: String?
}

extension Measures {
  /// What lies in the last whole interval of the timeline and in the one after it, by the server's clock.
  private var recentSeconds: Double {
    let timeline = chart.timeline
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    let covered = timeline.intervals.isEmpty ? 0 : timeline.width.seconds
    let seconds = covered + (elapsed - timeline.width * Int64(timeline.intervals.count)).seconds
    // What the server gets in a second of its own time.
    return seconds / (elapsed < setup.duration ? setup.outside?.factor ?? 1 : 1)
  }

  /// Milliseconds of uploads that were answered lately.
  var recentUploads: StepSpread {
    var spread = chart.current.uploadDuration
    if let before = chart.timeline.intervals.last { spread.add(before.uploadDuration) }
    return spread
  }

  var recordsPerSecond: Double {
    let records = chart.current.delivered + (chart.timeline.intervals.last?.delivered ?? 0)
    return recentSeconds > 0 ? Double(records) / recentSeconds : 0
  }

  /// What the last whole interval of the timeline and the one after it tell.
  package var progress: RunProgress {
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    let (spread, seconds) = (recentUploads, recentSeconds)
    let uploads = chart.current.uploads + (chart.timeline.intervals.last?.uploads ?? 0)
    return RunProgress(
      share: min(elapsed.seconds / max(setup.duration.seconds, 1), 1), isSettling: settledSince != nil,
      devices: chart.active.reduce(0, +), uploadsPerSecond: seconds > 0 ? Double(uploads) / seconds : 0,
      p95Milliseconds: spread.percentile(95), backlog: chart.backlog, connections: chart.connections?(),
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
