import Support
import Synchronization
import Testing

@testable import CommandLine

/// `rollingroad trace`.
@Suite struct TraceCommandTests {
  private static let log = """
    2026-07-28 10:00:00.000 🔵 -[TSTrackingService locationManager:didExitRegion:] Exit stationary region

    2026-07-28 10:00:00.001 🟢 -[TSTrackingService changePace:] isMoving: 0
    """

  private static let csv = """
    lat,lon,time
    48.100,11.500,2026-03-02T06:30:00Z
    48.101,11.500,2026-03-02T06:30:10Z
    48.102,11.500,2026-03-02T06:30:20Z
    48.102,11.500,2026-03-02T06:32:20Z
    48.112,11.500,2026-03-02T06:34:20Z

    """

  private func run(_ arguments: String...) -> (code: ExitCode, output: String) {
    let (code, output, _) = all(arguments)
    return (code, output)
  }

  private func all(_ arguments: [String]) -> (code: ExitCode, output: String, error: String) {
    let files = [
      "drive.log": Self.log, "notes": "milk", "drive.csv": Self.csv, "drive": Self.csv,
      "bad.csv": "lat,lon\n48.1,11.5\n48.1,east\n",
    ]
    var output = ""
    let error = Mutex("")
    let process = ProcessContext(
      arguments: ["trace"] + arguments, readFile: { files[$0].map { Array($0.utf8) } },
      writeOutput: { output += $0 + "\n" }, writeError: { text in error.withLock { $0 += text + "\n" } })
    return (CommandTable.run(process), output, error.withLock { $0 })
  }

  @Test func aLogIsCounted() {
    let (code, output) = run("drive.log")
    #expect(code == .ok && output.hasPrefix("ios log: 3 lines, 2 entries, 0 without meaning for the engine\n"))
    #expect(output.contains("the log has no positions; it needs the level debug"))
  }

  @Test func everyDifferenceHasItsLine() {
    let (code, output) = run("drive.log", "--fidelity")
    #expect(code == .ok && output.contains("the defaults are assumed"))
    #expect(output.contains("line 3, 10:00:00.001, log only: to stationary"))
  }

  @Test func listsCanBeCutShort() {
    let output = run("drive.log", "--fidelity", "--differences", "0").output
    #expect(output.contains("… and 2 more") && !output.contains("log only"))
  }

  @Test(arguments: ["missing", "notes"])
  func whatIsNoLogFails(path: String) {
    #expect(run(path).code == .runtimeFailure)
  }

  @Test(arguments: [["drive.csv"], ["drive"], ["drive", "--format", "csv"]])
  func aDriveIsSummarized(arguments: [String]) {
    let (code, output, error) = all(arguments)
    #expect(code == .ok && error == "")
    #expect(
      output == """
          points    5 of csv, one every 2m
          duration  4m 20s
          distance  1.33 km
          speed     34.3 km/h without the stops, fastest 40.0 km/h at line 4
          gaps      none
          stops     1, 2m in all
                    2m from line 4 on, at 48.10200,11.50000
          box       48.10000,11.50000 to 48.11200,11.50000

        """, "\(output)")
  }

  @Test func aMistakeHasItsPlace() {
    let (code, _, error) = all(["bad.csv"])
    #expect(code == .runtimeFailure && error.hasPrefix("rollingroad trace: bad.csv:3:6: \"east\" is no number; "))
  }

  @Test(arguments: [
    (["drive.csv", "--to", "kml"], "one of gpx"), (["drive.csv", "--out", "a"], "add --to"),
    (["drive.csv", "--to", "gpx", "--out", "drive.csv"], "name another one"),
    (["drive.csv", "--to", "gpx", "--fidelity"], "one at a time"),
    (["drive.csv", "--to", "scenario", "--out", "/elsewhere/a.json5"], "name FILE from the root"),
  ])
  func whatDoesNotFitIsRefused(arguments: [String], words: String) {
    let (code, _, error) = all(arguments)
    #expect(code == .usage && error.contains(words), "\(error)")
  }

  @Test func fidelityWantsALog() {
    let (code, _, error) = all(["drive.csv", "--fidelity"])
    #expect(code == .runtimeFailure && error.contains("drive.csv is no log of the SDK"))
  }

  /// With real files: what is converted is read again, and the scenario runs and delivers records.
  @Test func aScenarioOfARecordingRuns() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.csv.utf8), to: "drive.csv")
    var output = ""
    let error = Mutex("")
    func call(_ arguments: String...) -> ExitCode {
      output = ""
      let process = ProcessContext(
        arguments: arguments,
        readFile: { path in
          do {
            return try folder.read(String(path.dropFirst(folder.path.count + 1)))
          } catch { return nil }
        }, writeOutput: { output += $0 + "\n" }, writeError: { text in error.withLock { $0 += text + "\n" } },
        errorIsTerminal: false)
      return CommandTable.run(process)
    }
    let (gpx, scenario) = (folder.file("drive.gpx"), folder.file("made/drive.json5"))
    #expect(call("trace", folder.file("drive.csv"), "--to", "gpx", "--out", gpx) == .ok && output == "wrote \(gpx)\n")
    #expect(call("trace", gpx) == .ok && output.contains("distance  1.33 km\n"))
    #expect(call("trace", gpx, "--to", "geojson") == .ok && output.hasPrefix("{\"type\":\"Feature\""))
    #expect(call("trace", gpx, "--to", "scenario", "--out", scenario) == .ok)
    #expect(output == "wrote \(scenario); 'rollingroad simulate \(scenario)' runs it\n")
    #expect(call("simulate", scenario, "--quiet") == .ok, "\(error.withLock { $0 })")
    #expect(output.contains("1 device for ") && output.contains("records_lost"))
  }

  @Test func aScenarioNamesItsFileAsItIsSeenFromThere() throws {
    #expect(try RelativePath.from(nil, to: "a/b.gpx") == "a/b.gpx")
    #expect(try RelativePath.from("a/s.json5", to: "a/b.gpx") == "b.gpx")
    #expect(try RelativePath.from("s.json5", to: "b.gpx") == "b.gpx")
    #expect(try RelativePath.from("out/./x/s.json5", to: "b.gpx") == "../../b.gpx")
    #expect(try RelativePath.from("out/s.json5", to: "/b.gpx") == "/b.gpx")
    #expect(throws: UsageError.self) { try RelativePath.from("../s.json5", to: "b.gpx") }
  }
}
