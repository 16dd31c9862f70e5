package import Store

/// The whole story of those to whom something happened that must not: from a second run, in which only they are watched.
package enum Investigation {
  /// `setup` is the report's own, and `store` makes a store like the one that it ran with.
  package static func explain(
    _ report: RunReport, of setup: RunSetup, store: () throws -> any Store
  ) throws -> RunReport {
    guard !report.victims.isEmpty || !report.remarks.isEmpty else { return report }
    let run = try FleetRun(setup, store: store(), following: report.victims + report.remarks)
    _ = try run.run()
    var explained = report
    explained.victims = report.victims.map { run.retold($0) }
    explained.remarks = report.remarks.map { run.retold($0) }
    return explained
  }
}
