import Base

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
