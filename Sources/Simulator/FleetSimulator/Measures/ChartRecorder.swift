import Base

/// Writes the timeline: what happens goes into the interval of now, levels are written down when it ends.
struct ChartRecorder {
  private(set) var timeline: Timeline
  var current = Timeline.Interval()
  var backlog = 0
  /// Devices whose app runs, and devices that move, of each fleet now.
  var active: [Int]
  var moving: [Int]
  /// The same at the end of each interval.
  private(set) var activeLevels: [LevelSeries]
  private(set) var movingLevels: [LevelSeries]
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
    current.active = active.reduce(0, +)
    current.moving = moving.reduce(0, +)
    timeline.intervals.append(current)
    current = Timeline.Interval()
    for fleet in active.indices {
      activeLevels[fleet].levels.append(active[fleet])
      movingLevels[fleet].levels.append(moving[fleet])
    }
  }
}
