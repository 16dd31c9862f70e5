import Base
import Scenario

/// Evaluates the thresholds: those that end the run now and then, all of them at its end.
struct ThresholdJudge {
  private struct Entry {
    let selector: MetricSelector
    let threshold: Threshold
    let selection: Int
    /// The factor by which its figure may be too large; nil where it is exact.
    let stretch: Double?
    var endedTheRun = false

    var test: ThresholdTest { ThresholdTest(threshold.expression, stretch: stretch) }
  }

  private var entries: [Entry] = []
  private var nextLook: MonotonicInstant?

  /// The interval of k6.
  static let interval = Nanoseconds.seconds(2)

  init(_ scenario: Scenario, _ setup: RunSetup, in table: inout MeasureTable) throws(UnsupportedScenarioError) {
    var problems: [ScenarioProblem] = []
    for section in scenario.thresholds {
      do throws(ScenarioProblem) {
        let (measure, filter) = try SampleFilter.measure(section.selector, of: scenario, setup)
        let selection = table.select(measure, filter)
        for threshold in section.thresholds {
          let stretch = ThresholdTest.stretch(threshold.expression, of: measure, in: setup)
          entries.append(
            Entry(selector: section.selector, threshold: threshold, selection: selection, stretch: stretch))
        }
      } catch {
        problems.append(error)
      }
    }
    if !problems.isEmpty { throw UnsupportedScenarioError(problems) }
    let delays = entries.filter(\.threshold.abortOnFail).map(\.threshold.delayAbortEval)
    nextLook = delays.min().map { MonotonicInstant(nanoseconds: 0) + max($0, ThresholdJudge.interval) }
  }

  func isDue(at instant: MonotonicInstant) -> Bool { nextLook.map { $0 <= instant } ?? false }

  /// Reports whether a threshold that ends the run is missed by now.
  mutating func isMissed(in table: MeasureTable, _ chart: ChartRecorder, at instant: MonotonicInstant) -> Bool {
    let elapsed = instant - MonotonicInstant(nanoseconds: 0)
    nextLook = instant + ThresholdJudge.interval
    var isMissed = false
    for index in entries.indices {
      let threshold = entries[index].threshold
      guard threshold.abortOnFail, threshold.delayAbortEval <= elapsed else { continue }
      let value = value(of: entries[index], in: table, chart, elapsed)
      if entries[index].test.outcome(of: value) == .failed {
        entries[index].endedTheRun = true
        isMissed = true
      }
    }
    if isMissed { nextLook = nil }
    return isMissed
  }

  func verdicts(in table: MeasureTable, _ chart: ChartRecorder, _ elapsed: Nanoseconds) -> [ThresholdVerdict] {
    entries.map { entry in
      let expression = entry.threshold.expression
      let value = value(of: entry, in: table, chart, elapsed)
      var verdict = ThresholdVerdict(
        selection: entry.selector.text, expression: expression.text, value: value,
        outcome: .notMeasured,
        invalidates: entry.threshold.onFail == .invalidate, endedTheRun: entry.endedTheRun, stretch: entry.stretch)
      verdict.judge(by: entry.test)
      return verdict
    }
  }

  private func value(
    of entry: Entry, in table: MeasureTable, _ chart: ChartRecorder, _ elapsed: Nanoseconds
  ) -> Double? {
    let figure = figure(of: entry, in: table, chart)
    return figure.measured(entry.threshold.expression.aggregation, seconds: elapsed.seconds)
  }

  private func figure(of entry: Entry, in table: MeasureTable, _ chart: ChartRecorder) -> Figure {
    let selection = table.selections[entry.selection]
    return selection.measure.metric.kind == .gauge
      ? chart.gauge(selection.measure, of: selection.filter.fleets)
      : table.cell(of: entry.selection).figure(of: selection.measure)
  }

  /// Returns the figures of all selections, so that the shards of a run can be judged together.
  func figures(in table: MeasureTable, _ chart: ChartRecorder, besides known: [MetricFigure]) -> [MetricFigure] {
    var figures: [MetricFigure] = []
    for entry in entries where !(known + figures).contains(where: { $0.name == entry.selector.text }) {
      figures.append(MetricFigure(name: entry.selector.text, figure: figure(of: entry, in: table, chart)))
    }
    return figures
  }
}
