import Base
import FleetSimulator
import JSON
import Reports
import Scenario

/// The files that a run leaves behind: those of the scenario's `outputs`, in the folder of `--out`.
struct RunOutputs {
  /// What is written when, and under which name.
  private struct Plan {
    var summary = "summary.json"
    var page = "report.html"
    var junit = "junit.xml"
  }

  private let folder: OutputFolder?
  private let plan: Plan

  /// Makes the folder; throws when nothing can be written there.
  init(_ scenario: Scenario, folder path: String?) throws {
    var plan = Plan()
    for output in scenario.outputs {
      switch output {
      case .summary(let output): plan.summary = output.file
      case .html(let output): plan.page = output.file
      case .junit(let output): plan.junit = output.file
      case .console, .histogramLog, .events, .deviceLogs, .prometheus, .telemetry: break
      }
    }
    self.plan = plan
    folder = try path.map { path throws in
      let folder = try OutputFolder(path)
      for name in [plan.summary, plan.page, plan.junit] { try folder.check(name) }
      return folder
    }
  }

  func write(_ summary: RunSummary, map: RunMap?) throws {
    guard let folder else { return }
    try folder.write(summary.json.pretty + "\n", to: plan.summary)
    try folder.write(JUnitReport(summary).text, to: plan.junit)
    try folder.write(PageReport(summary, map: map).text, to: plan.page)
  }

  var written: [String] {
    guard let folder else { return [] }
    return [plan.summary, plan.page, plan.junit].map(folder.path)
  }
}
