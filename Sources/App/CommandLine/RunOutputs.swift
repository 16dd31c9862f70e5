import Base
import FleetSimulator
import JSON
import Oracle
import Reports
import Scenario
import Shell
import Store

/// The files of a run in the folder of `--out`, named by the scenario's `outputs`.
final class RunOutputs {
  private let folder: OutputFolder?
  private let plan: OutputPlan
  private let devices: Int
  private(set) var written: [String] = []
  private var logged: Set<String> = []
  /// The first write error; reported at the end, with the results of the run.
  private(set) var failure: OutputFolder.Failure?
  /// Files that are missing or truncated.
  private var unfinished: Set<String> = []
  /// The file of the failure.
  private var failed: String?

  /// Whether the run is over already, so that only final results are written.
  private let isOfThePast: Bool

  /// Whether the files are for the process that joins the shards.
  private let isOfWorker: Bool
  /// The folder of the shards of a run in several processes.
  private var shards: OutputFolder?

  private var events: EventLog?
  private var deviceLogs: DeviceLogs?
  private var intervalsWritten = 0
  private var lostLines = 0

  /// Creates the folder; throws when it is not writable. `setup` is nil when the run is over already. A worker writes
  /// on behalf of `shown`, the folder that the user named.
  init(
    _ scenario: Scenario, _ setup: RunSetup?, folder path: String?, isOfWorker: Bool = false, for shown: String? = nil
  ) throws {
    self.isOfWorker = isOfWorker
    // Excludes places for phones that may still be added, because the saved session describes the same devices.
    devices = setup?.devicesOfWhole ?? 0
    isOfThePast = setup == nil
    plan = OutputPlan(scenario.outputs)
    folder = try path.map { path throws in try OutputFolder(path, for: shown) }
    guard let folder else { return }
    try folder.discard(OutputPlan.lost)
    let earlier = [
      EarlierOutputs(summaryAt: folder.path(plan.summary)), setup.map { EarlierOutputs(scenario.name, $0) },
    ]
    for run in earlier.compactMap(\.self) { run.remove(from: folder, logs: [plan.logs, OutputPlan().logs]) }
    if !isOfWorker { folder.removeHiddenFolders("shards") }
    guard !isOfThePast else { return }
    for name in plan.streams { try folder.begin(name) }
    try folder.append(Array(TimelineCSV.head.utf8), to: plan.timeline)
  }

  /// Returns a name without a slash; no two devices have the same one.
  static func fileName(_ device: String) -> String {
    device.replacing("%", with: "%25").replacing("/", with: "%2F")
  }

  /// Returns the devices whose logs are kept from the start.
  func devicesLogged(of setup: RunSetup) -> Set<String> {
    folder != nil && plan.loggedDevices == .all ? Set(setup.deviceNames) : []
  }

  /// Returns the watchers that write during the run.
  func watchers(of setup: RunSetup) -> [any Watcher] {
    guard folder != nil else { return [] }
    let share = plan.eventShare ?? min(1, Double(OutputPlan.devicesToldOf) / Double(max(devices, 1)))
    events = EventLog(setup, share: share, marksEndOfDrives: isOfWorker) { [unowned self] in
      append($0, to: plan.events)
    }
    guard let events else { return [] }
    return [events] + (setup.logged.isEmpty ? [] : [logs(of: setup)])
  }

  /// Returns the logs of a run whose `setup.logged` names devices.
  func logs(of setup: RunSetup) -> DeviceLogs {
    let logs = DeviceLogs(setup) { [unowned self] device, piece in
      let name = plan.logFile(of: device)
      if logged.insert(name).inserted { begin(name) }
      append(piece, to: name)
    }
    deviceLogs = logs
    return logs
  }

  /// Returns the violating devices, whose SDK logs a second run writes.
  func devicesToLog(_ summary: RunSummary, of setup: RunSetup) -> Set<String> {
    guard folder != nil, plan.loggedDevices == .failing else { return [] }
    return Set(summary.violations.map(\.device)).intersection(setup.deviceNames)
  }

  /// Appends the finished intervals of the timeline, so that a killed run leaves them. Without a folder the timeline is
  /// not even computed, which takes time in a long run.
  func append(_ timeline: @autoclosure () -> Timeline) {
    guard folder != nil, !isOfThePast else { return }
    let timeline = timeline()
    guard timeline.intervals.count > intervalsWritten else { return }
    let text = TimelineCSV.lines(of: timeline, from: intervalsWritten)
    intervalsWritten = timeline.intervals.count
    append(Array(text.utf8), to: plan.timeline)
  }

  /// Appends whole lines to the histogram log.
  func append(toHistogramLog lines: [UInt8]) {
    if let name = plan.histogramLog { append(lines, to: name) }
  }

  /// Appends every lost record; the summary names only the first ones.
  func append(_ lost: [LostRecord]) {
    guard !lost.isEmpty else { return }
    append(toLost: LostRecord.lines(of: lost))
  }

  private func append(toLost lines: [UInt8]) {
    lostLines += lines.count { $0 == UInt8(ascii: "\n") }
    append(lines, to: OutputPlan.lost)
  }

  /// Appends the lost records that shards have listed in their folders.
  func adoptLost(of folders: [String]) {
    for folder in folders {
      _ = LineFile.read("\(folder)/\(OutputPlan.lost)") { lines in
        append(toLost: Array(lines))
        return true
      }
    }
  }

  /// Returns a sentence with the location of the list of lost records; nil when none is lost.
  func sentenceOfLost(_ summary: RunSummary) -> String? {
    let count = summary.ledger.lostInAll
    guard count > 0 else { return nil }
    let lost = "\(count.of("lost record"))"
    guard let folder else { return "--out DIR keeps a list of the \(lost) (\(OutputPlan.lost))" }
    guard lostLines > 0 else { return nil }
    // A shard may have its list elsewhere, or none.
    let listed = lostLines == count ? "the \(lost)" : "\(lostLines) of the \(lost)"
    return "\(listed), each on a line: \(folder.path(OutputPlan.lost))"
  }

  /// Writes all final files for which there is space.
  func write(_ summary: RunSummary, map: RunMap?) {
    guard let folder else { return }
    append(summary.timeline)
    finish()
    let whole = [
      (plan.summary, summary.json.pretty + "\n"), (plan.page, PageReport(summary, map: map).text),
      (plan.junit, JUnitReport(summary).text),
    ].filter { name, text in
      let isWritten = attempt(name) { () throws(OutputFolder.Failure) in try folder.write(text, to: name) }
      if isWritten { unfinished.remove(name) }
      return isWritten
    }
    let streams = isOfThePast ? [] : plan.streams
    let lost = lostLines > 0 ? [OutputPlan.lost] : []
    let names = whole.map(\.0) + lost + streams + logged.sorted().prefix(RunOutputs.logsNamedMax)
    written = names.filter { !unfinished.contains($0) }.map(folder.path)
    if logged.count > RunOutputs.logsNamedMax, unfinished.isEmpty {
      written.append((logged.count - RunOutputs.logsNamedMax).of("more log") + " in \(folder.path(plan.logs))")
    }
  }

  /// Flushes pending output.
  func finish() {
    events?.finish()
    deviceLogs?.finish()
  }

  /// Performs a write and returns whether it succeeded; stores the first error.
  @discardableResult private func attempt(
    _ name: String, _ body: () throws(OutputFolder.Failure) -> Void
  ) -> Bool {
    do throws(OutputFolder.Failure) { try body() } catch {
      if failure == nil { (failure, failed) = (error, name) }
      unfinished.insert(name)
      return false
    }
    return true
  }

  /// The first write error and the other incomplete files, as a sentence; nil when there are none.
  var sentenceOfFailure: String? {
    guard let failure else { return nil }
    let others = unfinished.filter { $0 != failed }.sorted()
    guard !others.isEmpty else { return "\(failure)" }
    let more = others.count > RunOutputs.namedMax ? " and \(others.count - RunOutputs.namedMax) more" : ""
    return "\(failure); missing or not whole too: \(others.prefix(RunOutputs.namedMax).joined(separator: ", "))\(more)"
  }

  private static let namedMax = 6
  private static let logsNamedMax = 8

  /// The incomplete files, beginning with that of the failure.
  var incomplete: [String] { (failed.map { [$0] } ?? []) + unfinished.filter { $0 != failed }.sorted() }

  /// Records the write error of another process.
  func miss(_ failure: OutputFolder.Failure, _ files: [String] = []) {
    if self.failure == nil { (self.failure, failed) = (failure, files.first) }
    unfinished.formUnion(files)
  }

  /// Creates a folder for each worker; none when nothing is kept.
  func makeFolders(_ count: Int) throws -> [String] {
    guard let folder else { return [] }
    let shards = try folder.makeHiddenFolder("shards")
    self.shards = shards
    return (0..<count).map { shards.path("\($0)") }
  }

  func removeFolders() {
    shards?.remove()
    shards = nil
  }

  /// Merges the streamed files of workers into those of the whole run.
  func adopt(_ folders: [String], fleets: [String]) {
    guard let folder else { return }
    attempt(plan.events) { () throws(OutputFolder.Failure) in
      var events = try EventMerge(folders.map { "\($0)/\(plan.events)" }, fleets: fleets)
      try events.write { append($0, to: plan.events) }
    }
    adoptLost(of: folders)
    for shard in folders {
      for name in FolderSurvey.names(in: "\(shard)/\(plan.logs)") ?? [] {
        let place = "\(plan.logs)/\(name)"
        attempt(place) { () throws(OutputFolder.Failure) in try folder.adopt("\(shard)/\(place)", as: place) }
        logged.insert(place)
      }
    }
  }

  private func begin(_ name: String) {
    attempt(name) { () throws(OutputFolder.Failure) in try folder?.begin(name) }
  }

  private func append(_ bytes: [UInt8], to name: String) {
    // After a failed write, later data is not appended, which would leave a gap.
    guard failure == nil else { return _ = unfinished.insert(name) }
    attempt(name) { () throws(OutputFolder.Failure) in try folder?.append(bytes, to: name) }
  }
}

extension OutputPlan {
  fileprivate static let devicesToldOf = 50

  fileprivate func logFile(of device: String) -> String {
    logs + "/" + RunOutputs.fileName(device) + ".log"
  }
}
