package import Base

/// What went on in each of the intervals of a run, all of the same width: as many as a chart is wide, however long the
/// run is. Timelines of shards add up interval by interval.
package struct Timeline: Equatable, Sendable {
  /// One interval.
  package struct Interval: Equatable, Sendable {
    package var created = 0
    package var delivered = 0
    package var uploads = 0
    /// Of the uploads, those without a 2xx.
    package var failed = 0
    package var bytes = 0
    /// Records that wait, and devices whose app runs or that move, at its end.
    package var backlog = 0
    package var active = 0
    package var moving = 0
    /// Uploads without an answer at its end.
    package var inFlight = 0
    /// Milliseconds of uploads that were answered.
    package var uploadDuration = StepSpread.coarse
    /// Milliseconds from a record's making to its acknowledgement.
    package var deliveryLatency = StepSpread.coarse

    package init() {}
  }

  /// Something that lasted and explains what the charts show.
  package struct Mark: Equatable, Sendable {
    package var name: String
    package var from: Nanoseconds
    package var until: Nanoseconds
  }

  package let width: Nanoseconds
  package var intervals: [Interval] = []
  package var marks: [Mark] = []

  package static let intervalsMax = 360
  /// The name of the mark over the time in which queues empty.
  package static let settling = "settle phase"

  /// For a run of that length: intervals of whole seconds.
  package init(span: Nanoseconds) {
    let seconds = max(1, (span.count / 1_000_000_000 + Int64(Timeline.intervalsMax) - 1) / Int64(Timeline.intervalsMax))
    width = .seconds(seconds)
  }

  package init(width: Nanoseconds) {
    precondition(width > .zero, "an interval lasts")
    self.width = width
  }

  /// Beyond the end of the run that was planned, everything belongs to the last interval.
  package func index(of span: Nanoseconds) -> Int {
    min(Int(span.count / width.count), Timeline.intervalsMax)
  }
}

/// Writes the timeline: what happens goes into the interval of now, levels are written down when it ends.
struct ChartRecorder {
  private(set) var timeline: Timeline
  var current = Timeline.Interval()
  var backlog = 0
  /// Uploads that are under way now.
  var inFlight = 0
  /// Devices whose app runs, and devices that move, of each fleet now.
  var active: [Int]
  var moving: [Int]
  /// The same at the end of each interval.
  private(set) var activeLevels: [LevelSeries]
  private(set) var movingLevels: [LevelSeries]
  /// Tells how many connections are open; nil where they are modelled.
  var connections: (() -> Int)?
  private var connectionLevels = LevelSeries()
  private var isFinished = false
  /// Nil where the clock is not the machine's.
  private var processor: ProcessorGauge?

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
    processor?.look()
  }

  mutating func mark(_ name: String, from start: Nanoseconds, until end: Nanoseconds) {
    timeline.marks.append(Timeline.Mark(name: name, from: start, until: end))
  }

  /// The last interval ends with the run.
  mutating func finish(at instant: MonotonicInstant) {
    advance(to: instant)
    close()
    processor?.look()
    isFinished = true
  }

  /// What a gauge came to in these fleets.
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
