package import Base

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
  /// How long the queues have at most; nil while the drives last, and in virtual time.
  package var settlesFor: Nanoseconds?
}

/// A rate by the machine's clock, over the last few looks at a count.
struct Pace {
  private static let interval = Nanoseconds.milliseconds(200)
  private static let span = Nanoseconds.seconds(2)

  private let clock = SystemClock()
  private var looks: [(at: MonotonicInstant, count: Int)]

  init() { looks = [(clock.monotonicNow, 0)] }

  /// What was counted in a second since a look of about two seconds ago.
  mutating func look(at count: Int) -> Double {
    let now = clock.monotonicNow
    if let last = looks.last, now - last.at >= Pace.interval { looks.append((now, count)) }
    while looks.count > 2, now - looks[1].at >= Pace.span { looks.removeFirst() }
    let seconds = (now - looks[0].at).seconds
    return seconds > 0 ? Double(count - looks[0].count) / seconds : 0
  }
}

extension Measures {
  /// What lies in the last whole interval of the timeline and in the one after it.
  private var recentSeconds: Double {
    let timeline = chart.timeline
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    let covered = timeline.intervals.isEmpty ? 0 : timeline.width.seconds
    return covered + (elapsed - timeline.width * Int64(timeline.intervals.count)).seconds
  }

  /// The server of a run in real or accelerated time has a clock of its own; many times faster, an interval is none of its seconds.
  private var isPaced: Bool { setup.outside.map { $0.lockstep == nil } ?? false }

  private func rate(_ pace: inout Pace, _ count: (Timeline.Interval) -> Int) -> Double {
    let intervals = chart.timeline.intervals
    if isPaced { return pace.look(at: intervals.reduce(count(chart.current)) { $0 + count($1) }) }
    let recent = count(chart.current) + (intervals.last.map(count) ?? 0)
    return recentSeconds > 0 ? Double(recent) / recentSeconds : 0
  }

  /// Milliseconds of uploads that were answered lately.
  var recentUploads: StepSpread {
    var spread = chart.current.uploadDuration
    if let before = chart.timeline.intervals.last { spread.add(before.uploadDuration) }
    return spread
  }

  var recordsPerSecond: Double { rate(&recordPace) { $0.delivered } }

  /// What the last whole interval of the timeline and the one after it tell.
  package var progress: RunProgress {
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    return RunProgress(
      share: min(elapsed.seconds / max(setup.duration.seconds, 1), 1), isSettling: settledSince != nil,
      devices: chart.active.reduce(0, +), uploadsPerSecond: rate(&uploadPace) { $0.uploads },
      p95Milliseconds: recentUploads.percentile(95), backlog: chart.backlog, connections: chart.connections?(),
      errors: table.cell(.uploadFailed, of: setup.fleets.map { _ in true }).hits,
      settlesFor: isPaced ? settledSince.map { max(.zero, $0 + setup.settle - elapsed) } : nil)
  }

  /// What the server got in a second of its own time while the drives lasted, which began then.
  package func uploadsPerSecond(since begin: MonotonicInstant) -> Double {
    let (end, count) = endOfDrives ?? (SystemClock().monotonicNow, uploadsEnded)
    return end > begin ? Double(count) / (end - begin).seconds : 0
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
