import Base
import Scenario

extension Measures {
  /// The end of the run: what `report` says and what was measured, as one.
  /// It can be asked for again with a later report.
  package func summary(of report: RunReport, hash scenarioHash: String, product: String) -> RunSummary {
    let (tableBefore, chartBefore) = (table, chart)
    defer { (table, chart) = (tableBefore, chartBefore) }
    chart.finish(at: now)
    enter(report.sums)
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    var summary = RunSummary(
      scenario: scenario.name, scenarioHash: scenarioHash, seed: report.seed, mode: scenario.clock.mode.rawValue,
      shard: nil, product: product, start: setup.start, duration: setup.duration, settle: setup.settle,
      fleets: zip(setup.fleets, report.fleetHashes).map {
        RunSummary.Fleet(name: $0.name, devices: $0.simulated.count, hash: $1.text)
      },
      ended: elapsed, hash: report.hash.text, timeline: chart.timeline)
    if hasSeenEnough { summary.ending = .threshold }
    if report.isEndedByViolation { summary.ending = .violation }
    if report.isInterrupted { summary.ending = .signal }
    (summary.events, summary.requests, summary.drained) = (report.events, report.requests, report.drained)
    summary.ledger = report.sums
    summary.metrics = figures
    summary.metrics += judge.figures(in: table, chart, besides: summary.metrics)
    summary.checks = zip(scenario.checks, checkCounts).map { check, cell in
      CheckResult(name: check.name, held: cell.hits, failed: cell.total - cell.hits)
    }
    summary.thresholds = judge.verdicts(in: table, chart, elapsed)
    summary.violations = report.victims.map(ViolationStory.init)
    summary.remarks = report.remarks.map(ViolationStory.init)
    summary.verification = report.verification
    summary.findings = report.findings
    summary.answers = answerCounts
    if let settledSince {
      summary.timeline.marks.append(
        Timeline.Mark(name: Timeline.settling, from: settledSince, until: settledSince + setup.settle))
    }
    if let refusal = report.proofRefusal {
      summary.notes.append("what the server has stored is not verified: \(refusal)")
    }
    if let sentence = report.lossSentence { summary.notes.insert(sentence, at: 0) }
    if let refusal = report.faultRefusal {
      summary.notes.append("the server has not done everything that faults ask of it: \(refusal)")
    }
    summary.invariants = report.invariants.map { InvariantVerdict($0) }
    // What has to come up over several seeds need not in each of them.
    if scenario.coverage.requireOverSeeds == 1 {
      summary.coverage = report.coverage.filter { scenario.coverage.sometimes.contains($0.goal) }
        .map { CoverageCount(goal: $0.goal.rawValue, seen: $0.count) }
    }
    summary.leaveStorageUnjudged()
    return summary
  }

  private func enter(_ sums: LedgerSums) {
    table.add(.recordsLost, of: sums.lost)
    let repeated = sums.duplicatesExplained + sums.duplicatesUnexplained
    table.add(.duplicatesExplained, of: sums.duplicatesExplained)
    table.add(.duplicatesUnexplained, of: sums.duplicatesUnexplained)
    table.add(.duplicatesRatio, hits: repeated, of: sums.stored + repeated)
    table.add(.clausesBroken, of: clausesBroken)
    table.add(.droppedTrips, of: setup.fleets.reduce(0) { $0 + $1.droppedTrips })
  }

  /// Of the run as a whole and, where there are several, of each fleet.
  private var figures: [MetricFigure] {
    var figures: [MetricFigure] = []
    let all = setup.fleets.map { _ in true }
    for measure in Measure.allCases where measure.absence(in: setup) == nil {
      let name = measure.metric.name
      figures.append(MetricFigure(name: name, figure: figure(of: measure, all)))
      guard setup.fleets.count > 1, !measure.isOfTheWhole else { continue }
      for (index, fleet) in setup.fleets.enumerated() {
        let one = all.indices.map { $0 == index }
        figures.append(MetricFigure(name: "\(name){fleet:\(fleet.name)}", figure: figure(of: measure, one)))
      }
    }
    return figures.filter { !$0.figure.isEmpty }
  }

  func figure(of measure: Measure, _ fleets: [Bool]) -> Figure {
    measure.metric.kind == .gauge
      ? chart.gauge(measure, of: fleets) : table.cell(measure, of: fleets).figure(of: measure)
  }
}
