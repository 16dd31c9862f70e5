import Base
import Scenario

/// Holds the figures against the thresholds: those that end the run now and then, all of them at its end.
struct ThresholdJudge {
  private struct Entry {
    let selector: MetricSelector
    let threshold: Threshold
    let selection: Int
    var endedTheRun = false
  }

  private var entries: [Entry] = []
  private var nextLook: MonotonicInstant?
  /// Waits for a real server take many times as long for the devices.
  private let isAccelerated: Bool

  /// k6 looks as often.
  static let interval = Nanoseconds.seconds(2)

  init(_ scenario: Scenario, _ setup: RunSetup, in table: inout MeasureTable) throws(UnsupportedScenario) {
    isAccelerated = scenario.clock.mode == .accelerated
    var problems: [String] = []
    for section in scenario.thresholds {
      switch SampleFilter.measure(section.selector, of: scenario, setup) {
      case .failure(let problem): problems.append("thresholds.\(section.selector.text): \(problem.message)")
      case .success(let (measure, filter)):
        let selection = table.select(measure, filter)
        for threshold in section.thresholds {
          entries.append(Entry(selector: section.selector, threshold: threshold, selection: selection))
        }
      }
    }
    if !problems.isEmpty { throw UnsupportedScenario(problems: problems) }
    let delays = entries.filter(\.threshold.abortOnFail).map(\.threshold.delayAbortEval)
    nextLook = delays.min().map { MonotonicInstant(nanoseconds: 0) + max($0, ThresholdJudge.interval) }
  }

  func isDue(at instant: MonotonicInstant) -> Bool { nextLook.map { $0 <= instant } ?? false }

  /// Whether a threshold that ends the run is missed by now.
  mutating func isMissed(in table: MeasureTable, _ chart: ChartRecorder, at instant: MonotonicInstant) -> Bool {
    let elapsed = instant - MonotonicInstant(nanoseconds: 0)
    nextLook = instant + ThresholdJudge.interval
    var isMissed = false
    for index in entries.indices {
      let threshold = entries[index].threshold
      guard threshold.abortOnFail, threshold.delayAbortEval <= elapsed, isJudgedAtOnce(entries[index]) else { continue }
      guard let value = value(of: entries[index], in: table, chart, elapsed) else { continue }
      if !threshold.expression.comparison.holds(value, threshold.expression.limit) {
        entries[index].endedTheRun = true
        isMissed = true
      }
    }
    if isMissed { nextLook = nil }
    return isMissed
  }

  /// What is missed by the pace of an accelerated run alone does not end it.
  private func isJudgedAtOnce(_ entry: Entry) -> Bool {
    let comparison = entry.threshold.expression.comparison
    let metric = String(entry.selector.text.prefix { $0 != "{" })
    return !isAccelerated || !ThresholdVerdict.growsWithPace(metric, comparison)
  }

  func verdicts(in table: MeasureTable, _ chart: ChartRecorder, _ elapsed: Nanoseconds) -> [ThresholdVerdict] {
    entries.map { entry in
      let expression = entry.threshold.expression
      let value = value(of: entry, in: table, chart, elapsed)
      let isMissed = entry.endedTheRun || value.map { !expression.comparison.holds($0, expression.limit) } ?? false
      return ThresholdVerdict(
        selection: entry.selector.text, expression: expression.text, value: value,
        outcome: isMissed ? .failed : value == nil ? .notMeasured : .passed,
        invalidates: entry.threshold.onFail == .invalidate, endedTheRun: entry.endedTheRun)
    }
  }

  private func value(
    of entry: Entry, in table: MeasureTable, _ chart: ChartRecorder, _ elapsed: Nanoseconds
  ) -> Double? {
    let figure = figure(of: entry, in: table, chart)
    return figure.isEmpty ? nil : figure.value(entry.threshold.expression.aggregation, seconds: elapsed.seconds)
  }

  private func figure(of entry: Entry, in table: MeasureTable, _ chart: ChartRecorder) -> Figure {
    let selection = table.selections[entry.selection]
    return selection.measure.metric.kind == .gauge
      ? chart.gauge(selection.measure, of: selection.filter.fleets)
      : table.cell(of: entry.selection).figure(of: selection.measure)
  }

  /// What the parts that are asked for came to, all of them, so that the shards of a run can be judged together.
  func figures(in table: MeasureTable, _ chart: ChartRecorder, besides known: [MetricFigure]) -> [MetricFigure] {
    var figures: [MetricFigure] = []
    for entry in entries where !(known + figures).contains(where: { $0.name == entry.selector.text }) {
      figures.append(MetricFigure(name: entry.selector.text, figure: figure(of: entry, in: table, chart)))
    }
    return figures
  }
}
