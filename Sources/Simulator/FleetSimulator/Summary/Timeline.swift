package import Base

/// The activity in each interval of a run, all of the same width: as many as a chart is wide, however long the run is.
/// Timelines of shards add up interval by interval.
package struct Timeline: Equatable, Sendable {
  /// One interval.
  package struct Interval: Equatable, Sendable {
    package var created = 0
    package var delivered = 0
    package var uploads = 0
    /// Uploads without a 2xx.
    package var failed = 0
    package var bytes = 0
    /// Waiting records, devices whose app runs, and devices that move, at its end.
    package var backlog = 0
    package var active = 0
    package var moving = 0
    /// Uploads under way at its end.
    package var inFlight = 0
    /// The durations of uploads with an answer or a timeout in milliseconds.
    package var uploadDuration = StepSpread.coarse
    /// The times from the creation of a record to its acknowledgement, in milliseconds.
    package var deliveryLatency = StepSpread.coarse

    package init() {}
  }

  /// A marked period that explains what the charts show.
  package struct Mark: Equatable, Sendable {
    package var name: String
    package var from: Nanoseconds
    package var until: Nanoseconds
  }

  package let width: Nanoseconds
  package var intervals: [Interval] = []
  package var marks: [Mark] = []

  package static let intervalsMax = 360
  /// The name of the mark for the settle phase.
  package static let settling = "settle phase"

  /// A timeline for a run of that length, with intervals of whole seconds.
  package init(span: Nanoseconds) {
    let seconds = max(1, (span.count / 1_000_000_000 + Int64(Timeline.intervalsMax) - 1) / Int64(Timeline.intervalsMax))
    width = .seconds(seconds)
  }

  package init(width: Nanoseconds) {
    precondition(width > .zero, "an interval lasts")
    self.width = width
  }

  /// Returns the interval of a time; everything beyond the planned end belongs to the last one.
  package func index(of span: Nanoseconds) -> Int {
    min(Int(span.count / width.count), Timeline.intervalsMax)
  }
}

/// Records the timeline: events count in the current interval, levels are recorded at its end.
struct ChartRecorder {
  private(set) var timeline: Timeline
  var current = Timeline.Interval()
  var backlog = 0
  /// The number of uploads under way.
  var inFlight = 0
  /// The number of devices whose app runs, and of devices that move, per fleet.
  var active: [Int]
  var moving: [Int]
  /// The same numbers at the end of each interval.
  private(set) var activeLevels: [LevelSeries]
  private(set) var movingLevels: [LevelSeries]
  /// The function that returns the number of open connections; nil where they are modelled.
  var connections: (() -> Int)?
  private var connectionLevels = LevelSeries()
  private var isFinished = false
  /// Nil unless the run follows the machine's clock.
  var processor: ProcessorGauge?

  init(span: Nanoseconds, fleetCount: Int, processorTime: (() -> Nanoseconds)? = nil) {
    processor = processorTime.map { ProcessorGauge($0) }
    timeline = Timeline(span: span)
    active = Array(repeating: 0, count: fleetCount)
    moving = active
    activeLevels = Array(repeating: LevelSeries(), count: fleetCount)
    movingLevels = activeLevels
  }

  mutating func advance(to instant: MonotonicInstant) {
    let index = timeline.index(of: instant - MonotonicInstant(nanoseconds: 0))
    guard timeline.intervals.count < index else { return }
    while timeline.intervals.count < index { close() }
    processor?.look(intervals: index)
  }

  mutating func mark(_ name: String, from start: Nanoseconds, until end: Nanoseconds) {
    timeline.marks.append(Timeline.Mark(name: name, from: start, until: end))
  }

  /// Ends the last interval with the run.
  mutating func finish(at instant: MonotonicInstant) {
    advance(to: instant)
    close()
    processor?.look(intervals: timeline.intervals.count, isAtEnd: true)
    isFinished = true
  }

  /// Returns the gauge of these fleets.
  func gauge(_ measure: Measure, of fleets: [Bool]) -> Figure {
    if measure == .generatorCPU { return .gauge(processor?.series ?? LevelSeries()) }
    if measure == .connectionsOpen { return .gauge(connectionLevels) }
    let levels = measure == .devicesActive ? activeLevels : movingLevels
    let now = measure == .devicesActive ? active : moving
    var sum = LevelSeries()
    for fleet in fleets.indices where fleets[fleet] {
      var series = levels[fleet]
      if !isFinished { series.levels.append(now[fleet]) }
      sum.add(series)
    }
    return .gauge(sum)
  }

  private mutating func close() {
    current.backlog = backlog
    current.inFlight = inFlight
    current.active = active.reduce(0, +)
    current.moving = moving.reduce(0, +)
    timeline.intervals.append(current)
    current = Timeline.Interval()
    if let connections { connectionLevels.levels.append(connections()) }
    for fleet in active.indices {
      activeLevels[fleet].levels.append(active[fleet])
      movingLevels[fleet].levels.append(moving[fleet])
    }
  }
}
