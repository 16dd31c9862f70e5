import Base
import FleetSimulator
import JSON
import Reports
import Scenario

/// The files that a run leaves behind in the folder of `--out`, under the names that the scenario's `outputs` give them.
final class RunOutputs {
  private let folder: OutputFolder?
  private var plan = OutputPlan()
  private let devices: Int
  private(set) var written: [String] = []
  private var logged: Set<String> = []
  /// What went wrong while the run wrote; it is told at the end.
  private var failure: OutputFolder.Failure?

  /// Nothing happens any more: only what is known at the end is written.
  private let isOfThePast: Bool

  /// Makes the folder; throws when nothing can be written there. `setup` is nil when the run is over already.
  init(_ scenario: Scenario, _ setup: RunSetup?, folder path: String?) throws {
    devices = setup?.deviceNames.count ?? 0
    isOfThePast = setup == nil
    for output in scenario.outputs { plan.take(output) }
    folder = try path.map { path throws in try OutputFolder(path) }
    guard let folder else { return }
    for name in plan.names { try folder.check(name) }
    if !isOfThePast { try folder.begin(plan.events) }
  }

  /// Whose logs are kept from the beginning on.
  func devicesLogged(of setup: RunSetup) -> Set<String> {
    folder != nil && plan.loggedDevices == .all ? Set(setup.deviceNames) : []
  }

  /// What writes while the run goes on.
  func watchers(of setup: RunSetup) -> [any Watcher] {
    guard folder != nil else { return [] }
    let share = plan.eventShare ?? min(1, Double(OutputPlan.devicesToldOf) / Double(max(devices, 1)))
    events = EventLog(setup, share: share) { [unowned self] in append($0, to: plan.events) }
    guard let events else { return [] }
    return [events] + (setup.logged.isEmpty ? [] : [logs(of: setup)])
  }

  private var events: EventLog?
  private var deviceLogs: DeviceLogs?

  /// For a run whose `setup.logged` names devices.
  func logs(of setup: RunSetup) -> DeviceLogs {
    let logs = DeviceLogs(setup) { [unowned self] device, piece in
      let name = plan.logFile(of: device)
      if logged.insert(name).inserted { begin(name) }
      append(piece, to: name)
    }
    deviceLogs = logs
    return logs
  }

  /// The devices to whom something happened that must not: a second run writes what their SDKs say.
  func devicesToLog(_ summary: RunSummary, of setup: RunSetup) -> Set<String> {
    guard folder != nil, plan.loggedDevices == .failing else { return [] }
    return Set(summary.violations.map(\.device)).intersection(setup.deviceNames)
  }

  /// Everything that is known at the end, in whole files.
  func write(_ summary: RunSummary, map: RunMap?) throws {
    guard let folder else { return }
    events?.finish()
    deviceLogs?.finish()
    if let failure { throw failure }
    try folder.write(summary.json.pretty + "\n", to: plan.summary)
    try folder.write(JUnitReport(summary).text, to: plan.junit)
    try folder.write(PageReport(summary, map: map).text, to: plan.page)
    let streams = (isOfThePast ? [] : [plan.events]) + logged.sorted()
    written = ([plan.summary, plan.page, plan.junit] + streams.prefix(9)).map(folder.path)
    if logged.count > 8 { written.append("\(logged.count - 8) more logs in \(folder.path(plan.logs))") }
  }

  private func begin(_ name: String) {
    do throws(OutputFolder.Failure) { try folder?.begin(name) } catch { failure = failure ?? error }
  }

  private func append(_ bytes: [UInt8], to name: String) {
    guard failure == nil else { return }
    do throws(OutputFolder.Failure) { try folder?.append(bytes, to: name) } catch { failure = error }
  }
}

/// Which files there are, and what is in those that can be long.
private struct OutputPlan {
  var summary = "summary.json"
  var page = "report.html"
  var junit = "junit.xml"
  var events = "events.ndjson"
  var logs = "logs"
  /// Nil: of as many devices as a person may want to read about.
  var eventShare: Double?
  var loggedDevices = LoggedDevices.failing

  static let devicesToldOf = 50

  mutating func take(_ output: Output) {
    switch output {
    case .summary(let output): summary = output.file
    case .html(let output): page = output.file
    case .junit(let output): junit = output.file
    case .events(let output): (events, eventShare) = (output.file, output.sample)
    case .deviceLogs(let output): (logs, loggedDevices) = (output.directory, output.devices)
    case .console, .histogramLog, .prometheus, .telemetry: break
    }
  }

  var names: [String] { [summary, page, junit, events, logs] }

  func logFile(of device: String) -> String {
    logs + "/" + String(device.map { $0 == "/" || $0 == "\0" ? "_" : $0 }) + ".log"
  }
}
