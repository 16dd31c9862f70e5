import Oracle
package import Store

/// The full history of the violating records, from a second run that watches only these.
package enum Investigation {
  /// Runs the report's `setup` again; `store` makes a store like that of the first run.
  package static func explain(
    _ report: RunReport, of setup: RunSetup, store: () throws -> any Store
  ) throws -> RunReport {
    guard !report.violations.isEmpty || !report.remarks.isEmpty else { return report }
    let run = try FleetRun(setup, store: store(), following: report.violations + report.remarks)
    _ = try run.run()
    var explained = report
    explained.violations = report.violations.map { run.withHistory($0) }
    explained.remarks = report.remarks.map { run.withHistory($0) }
    return explained
  }
}
