package import Base

/// The progress of a run and its current figures.
package struct RunProgress: Equatable, Sendable {
  /// The completed share of the drives, 0 to 1.
  package var share: Double
  /// Whether the drives are over and the queues are emptying, which takes an unknown time.
  package var isSettling = false
  /// The number of devices whose app runs.
  package var devices: Int
  package var uploadsPerSecond: Double
  /// The 95th percentile of recent uploads with an answer or a timeout.
  package var p95Milliseconds: Double?
  /// The number of waiting records.
  package var backlog: Int
  /// The number of open connections to a real server; nil in virtual time.
  package var connections: Int?
  /// The number of uploads without a 2xx so far.
  package var errors: Int
  /// The most frequent error.
  package var mostFrequentError: String?
  /// The time limit for emptying the queues; nil during the drives, and in virtual time.
  package var settlesFor: Nanoseconds?
}

/// A rate by the machine's clock, over the last samples of a count.
struct Pace {
  private static let interval = Nanoseconds.milliseconds(200)
  private static let span = Nanoseconds.seconds(2)

  private let clock = SystemClock()
  private var looks: [(at: MonotonicInstant, count: Int)]

  init() { looks = [(clock.monotonicNow, 0)] }

  /// Returns the rate per second since a sample of about two seconds ago.
  mutating func look(at count: Int) -> Double {
    let now = clock.monotonicNow
    if let last = looks.last, now - last.at >= Pace.interval { looks.append((now, count)) }
    while looks.count > 2, now - looks[1].at >= Pace.span { looks.removeFirst() }
    let seconds = (now - looks[0].at).seconds
    return seconds > 0 ? Double(count - looks[0].count) / seconds : 0
  }
}

extension Measures {
  /// The seconds that the last complete interval of the timeline and the current one cover.
  private var recentSeconds: Double {
    let timeline = chart.timeline
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    let covered = timeline.intervals.isEmpty ? 0 : timeline.width.seconds
    return covered + (elapsed - timeline.width * Int64(timeline.intervals.count)).seconds
  }

  /// Whether the server has a clock of its own, in real or accelerated time; many times faster, an interval of the timeline
  /// is not a second of the server.
  private var isPaced: Bool { setup.outside.map { $0.lockstep == nil } ?? false }

  private func rate(_ pace: inout Pace, _ count: (Timeline.Interval) -> Int) -> Double {
    let intervals = chart.timeline.intervals
    if isPaced { return pace.look(at: intervals.reduce(count(chart.current)) { $0 + count($1) }) }
    let recent = count(chart.current) + (intervals.last.map(count) ?? 0)
    return recentSeconds > 0 ? Double(recent) / recentSeconds : 0
  }

  /// The durations of recent uploads with an answer or a timeout, in milliseconds.
  var recentUploads: StepSpread {
    var spread = chart.current.uploadDuration
    if let before = chart.timeline.intervals.last { spread.add(before.uploadDuration) }
    return spread
  }

  var recordsPerSecond: Double { rate(&recordPace) { $0.delivered } }

  /// The progress from the last complete interval of the timeline and the current one.
  package var progress: RunProgress {
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    return RunProgress(
      share: min(elapsed.seconds / max(setup.duration.seconds, 1), 1), isSettling: settledSince != nil,
      devices: chart.active.reduce(0, +), uploadsPerSecond: rate(&uploadPace) { $0.uploads },
      p95Milliseconds: recentUploads.percentile(95), backlog: chart.backlog, connections: chart.connections?(),
      errors: table.cell(.uploadFailed, of: setup.fleets.map { _ in true }).hits,
      settlesFor: isPaced ? settledSince.map { max(.zero, $0 + setup.settle - elapsed) } : nil)
  }

  /// Returns the uploads per second of the server's own time during the drives, which began at `begin`.
  package func uploadsPerSecond(since begin: MonotonicInstant) -> Double {
    let (end, count) = endOfDrives ?? (SystemClock().monotonicNow, uploadsEnded)
    return end > begin ? Double(count) / (end - begin).seconds : 0
  }
}

/// The processor load of a run against a real server: at full load, its figures show the simulator and not the server.
struct ProcessorGauge {
  private let now: () -> MonotonicInstant
  private let processorTime: () -> Nanoseconds
  private var lookedAt: MonotonicInstant
  private var worked: Nanoseconds
  private(set) var series = LevelSeries(resolution: 1_000)

  /// A shorter time is the time of a few turns, and may be all work.
  private static let leastSpan = Nanoseconds.milliseconds(500)

  /// `processorTime` returns the processor time of all threads of this process.
  init(
    _ processorTime: @escaping () -> Nanoseconds,
    now: @escaping () -> MonotonicInstant = { [clock = SystemClock()] in clock.monotonicNow }
  ) {
    (self.processorTime, self.now) = (processorTime, now)
    lookedAt = now()
    worked = processorTime()
  }

  /// Records the load since the last look, as a share of one core, for the intervals up to `intervals` that have none. After too
  /// short a time they wait for the next look; at the end of the run they have the load before it.
  mutating func look(intervals: Int, isAtEnd: Bool = false) {
    let (now, time) = (now(), processorTime())
    let missing = intervals - series.levels.count
    guard missing > 0, now > lookedAt else { return }
    let isShort = now - lookedAt < ProcessorGauge.leastSpan
    if isShort, isAtEnd, let last = series.levels.last {
      return series.levels += repeatElement(last, count: missing)
    }
    guard !isShort || isAtEnd else { return }
    let load = Int(((time - worked).seconds / (now - lookedAt).seconds * series.resolution).rounded())
    series.levels += repeatElement(load, count: missing)
    (lookedAt, worked) = (now, time)
  }
}
