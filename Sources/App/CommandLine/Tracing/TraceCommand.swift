import Base
import Contract
import DeviceLog
import Fidelity
import FleetSimulator
import Formats
import Scenario
import Shell
import World

extension Subcommand {
  static let trace = Subcommand(
    name: "trace",
    summary: "describe or convert a recorded drive",
    operands: "FILE",
    operandCount: 1...1,
    flags: [
      .value("format", "NAME", "\(TraceFile.names): format of FILE [detected from its name or content]"),
      .value("to", "NAME", "convert to gpx, geojson or csv, or to a scenario that drives FILE"),
      .value("out", "FILE", "where to write the conversion [standard output]"),
      .value("year", "YEAR", "year of the last entry of an Android log, which has none [that of FILE's last change]"),
      .toggle("fidelity", "replay a log of the SDK through the engine and compare"),
      .value("differences", "N", "how many differences to list for each class", standard: "20"),
    ],
    details: """
      Reads GPX, GeoJSON, CSV, lines of JSON, or the log that the SDK exports on iOS or Android, gzipped or not. Shows how
      long, how far and how fast the drive is, and where it has gaps and stops; for a log, also how much of it was
      understood. '--to scenario' writes a file for 'rollingroad simulate', in which a phone drives FILE again.

      With --fidelity, the engine gets the inputs of the real device, and its actions are compared. The last column is for
      an engine that follows the documentation only; the column before it also has the behaviour observed in logs.
      The exit code is 1 when the file cannot be read; the error names line and column. docs/trace.md has more.
      """,
    run: { (invocation) throws(UsageError) in try TraceCommand(invocation).run() })
}

/// One run of `trace`.
private struct TraceCommand {
  private enum Goal: String, CaseIterable {
    case gpx, geojson, csv, scenario
  }

  private let process: ProcessContext
  private let path: String
  private let format: RouteFormat?
  private let goal: Goal?
  private let out: String?
  private let year: Int?
  private let wantsFidelity: Bool
  private let differences: Int

  init(_ invocation: Invocation) throws(UsageError) {
    let values = invocation.values
    process = invocation.process
    path = invocation.operands[0]
    format = try values.read("format", expected: "one of \(TraceFile.names)", TraceFile.format)
    goal = try values.read("to", expected: "one of gpx, geojson, csv, scenario", Goal.init(rawValue:))
    out = values.text("out")
    year = try values.read("year", expected: "a year from 1970 to 9999") { text in
      Quantities.count(text).flatMap { (1_970...9_999).contains($0) ? $0 : nil }
    }
    wantsFidelity = values.isOn("fidelity")
    differences = try values.read("differences", expected: "a whole number", Quantities.count) ?? 20
    if out != nil && goal == nil { throw UsageError("--out needs a conversion; add --to gpx") }
    if let out, out == path || TraceCommand.isSameFile(out, path) {
      throw UsageError("--out: '\(out)' is the file that is read; name another one")
    }
    if year != nil && goal == nil { throw UsageError("--year is for a conversion; add --to gpx") }
    if wantsFidelity && goal != nil { throw UsageError("--fidelity and --to cannot be used together") }
  }

  /// However they are spelled.
  private static func isSameFile(_ one: String, _ other: String) -> Bool {
    let stamp = FileStamp(one)
    return stamp != FileStamp("") && stamp == FileStamp(other)
  }

  func run() throws(UsageError) -> ExitCode {
    guard let bytes = process.readFile(path) else {
      return fail(
        "cannot read \(path)" + (UnreadableFile.reason(path).map { ": \($0)" } ?? "") + "; name a file that can be read"
      )
    }
    let (file, route): (TraceFile, RouteRecording)
    let goal: Goal
    do throws(RouteError) {
      file = try TraceFile(bytes, path: path, format: format)
      if wantsFidelity { return hold(file) }
      guard let wanted = self.goal else { return try tell(file) }
      goal = wanted
      route = try inYear(try file.route(), file)
    } catch {
      return fail("\(path):\(error.spot): \(error.message)")
    }
    if year != nil, file.log?.platform != .android {
      throw UsageError("--year: '\(path)' is not an Android log; only those lack a year")
    }
    return try write(goal, route, file.format)
  }

  /// Returns the route in the year that the log does not show.
  private func inYear(_ route: RouteRecording, _ file: TraceFile) throws(RouteError) -> RouteRecording {
    guard let log = file.log, log.platform == .android, let last = log.facts.last?.time else { return route }
    let years = LogYear(last: last, of: route)
    if let year { return try years.route(endingIn: year) }
    guard let written = FileStamp(path).writtenSeconds else { return route }
    let year = years.latest(by: WallInstant(millisecondsSince1970: Int64(written) * 1_000))
    process.writeError("note: the log has no year; it is given \(year), as its file shows; --year names another one")
    return try years.route(endingIn: year)
  }

  private func fail(_ message: String) -> ExitCode {
    process.writeError("rollingroad trace: \(message)")
    return .runtimeFailure
  }

  private func tell(_ file: TraceFile) throws(RouteError) -> ExitCode {
    if let log = file.log { process.writeOutput(TraceCommand.account(of: log)) }
    do throws(RouteError) {
      let route = try file.route()
      process.writeOutput(RouteAccount(RouteSummary(route), format: file.format).text)
    } catch {
      // A log without positions is a log nevertheless.
      guard file.log != nil, error.code == .empty else { throw error }
      process.writeOutput(error.message)
    }
    return .ok
  }

  private static func account(of log: LogReader) -> String {
    "\(log.platform) log: \(log.lineCount) lines, \(log.facts.count) entries, "
      + "\(log.otherCount) without meaning for the engine"
  }

  private func hold(_ file: TraceFile) -> ExitCode {
    guard let log = file.log else {
      return fail("\(path) is not a log of the SDK; export one with logger.emailLog for --fidelity")
    }
    process.writeOutput(TraceCommand.account(of: log))
    let table = FidelityTable(
      FidelityReport(log), documented: FidelityReport(log, isAsObserved: false), limit: differences)
    process.writeOutput(table.text)
    return .ok
  }

  private func write(_ goal: Goal, _ route: RouteRecording, _ format: RouteFormat) throws(UsageError) -> ExitCode {
    let text: String
    switch goal {
    case .gpx: text = route.gpx
    case .geojson: text = route.geoJSON
    case .csv: text = route.csv
    case .scenario:
      text = TraceScenario(route, file: try RelativePath.from(out, to: path), format: format).text
    }
    guard let out else {
      // As a character, the line end of CSV is neither of its two bytes.
      let isEnded = text.utf8.last == UInt8(ascii: "\n")
      process.writeOutput(isEnded ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text)
      return .ok
    }
    let (folder, name) = RelativePath.parts(of: out)
    do throws(OutputFolder.Failure) {
      try OutputFolder(folder).write(text, to: name)
    } catch {
      return fail("\(error)")
    }
    process.writeOutput("wrote \(out)" + (goal == .scenario ? "; 'rollingroad simulate \(out)' runs it" : ""))
    return .ok
  }
}

/// A file of a recorded drive.
struct TraceFile {
  let format: RouteFormat
  /// Set for logs only.
  let log: LogReader?
  private let bytes: [UInt8]

  static let names = RouteFormat.allCases.map(\.rawValue).joined(separator: ", ")

  static func format(_ name: String) -> RouteFormat? { RouteFormat(rawValue: name) }

  init(_ file: [UInt8], path: String, format: RouteFormat?) throws(RouteError) {
    bytes = try RouteFile.unpacked(file)
    self.format = format ?? RouteFile.format(of: path) ?? RouteFile.format(guessedFrom: bytes)
    log = self.format == .sdkLog ? LogReader(String(decoding: bytes, as: UTF8.self)) : nil
  }

  func route() throws(RouteError) -> RouteRecording {
    if let log { return try RouteRecording(log) }
    return try RouteFile.read(bytes, as: format)
  }
}

/// Paths of one file relative to another.
enum RelativePath {
  static func parts(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
  }

  /// Returns `file` as named in `document`, both relative to the working directory; unchanged without a document.
  static func from(_ document: String?, to file: String) throws(UsageError) -> String {
    guard let document, !file.hasPrefix("/") || parts(of: document).folder == parts(of: file).folder else {
      return file
    }
    if parts(of: document).folder == parts(of: file).folder { return parts(of: file).name }
    let steps = document.split(separator: "/").dropLast().filter { $0 != "." }
    guard !document.hasPrefix("/"), !steps.contains("..") else {
      throw UsageError(
        "--out: there is no relative path from '\(document)' to '\(file)'; give FILE as an absolute path")
    }
    return steps.map { _ in "../" }.joined() + file
  }
}
