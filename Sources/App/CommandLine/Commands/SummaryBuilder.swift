import Base
import FleetSimulator

/// Makes the summary of a run that has begun, as often as it is asked for and at the end.
struct SummaryBuilder {
  let options: SimulationOptions
  let command: String
  let setup: RunSetup
  let run: FleetRun
  let measures: Measures
  let errors: ErrorWatch
  /// Nil where the server is in the process.
  let audit: AnswerAudit?
  private let begun = SystemClock().wallNow
  private let begin = SystemClock().monotonicNow
  /// Sentences about telemetry that was not delivered.
  var undelivered: [String] = []

  init(
    options: SimulationOptions, command: String, setup: RunSetup, run: FleetRun, measures: Measures,
    errors: ErrorWatch, audit: AnswerAudit?
  ) {
    (self.options, self.command, self.setup, self.run) = (options, command, setup, run)
    (self.measures, self.errors, self.audit) = (measures, errors, audit)
  }

  func summary(of report: RunReport) -> RunSummary {
    measures.clausesBroken = audit?.verdicts.count { $0.outcome == .broken } ?? 0
    var summary = measures.summary(of: report, hash: options.scenarioHash, product: Product.version)
    let ended = max(begun, SystemClock().wallNow)
    let rate = measures.uploadsPerSecond(since: begin)
    summary.place = setup.outside.map {
      RunPlace($0, server: run.serverName, start: begun, end: ended, uploadsPerSecond: rate)
    }
    summary.origin = RunOrigin(command: command, host: Machine.words, start: begun, end: ended)
    summary.errors = report.ending == .running ? errors.errors : errors.errors(endedAt: summary.ended)
    summary.leaveLateUnjudged()
    summary.clauses = audit?.verdicts ?? []
    // Those of shards are added when they are merged.
    summary.notes += options.notes + (options.shard == nil ? summary.sentences : []) + undelivered
    if options.isStrict { summary.judgeStrictly() }
    guard let shard = options.shard else { return summary }
    summary.shard = shard.text
    summary.leaveThresholdsToTheWhole()
    return summary
  }
}
