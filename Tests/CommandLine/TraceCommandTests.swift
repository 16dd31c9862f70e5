import Glibc
import IngestServer
import Support
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

  private func run(_ arguments: [String]) -> CommandCall {
    CommandCall(
      ["trace"] + arguments,
      files: [
        "drive.log": Self.log, "notes": "milk", "drive.csv": Self.csv, "drive": Self.csv,
        "bad.csv": "lat,lon\n48.1,11.5\n48.1,east\n",
      ])
  }

  @Test func aLogIsCounted() {
    let call = run(["drive.log"])
    #expect(call.code == .ok)
    #expect(call.output.hasPrefix("ios log: 3 lines, 2 entries, 0 without meaning for the engine\n"))
    #expect(call.output.contains("the log has no positions; it needs the level debug"))
  }

  @Test func everyDifferenceHasItsLine() {
    let call = run(["drive.log", "--fidelity"])
    #expect(call.code == .ok && call.output.contains("the defaults are assumed"))
    #expect(call.output.contains("line 3, 10:00:00.001, log only: to stationary"))
  }

  @Test func listsCanBeCutShort() {
    let output = run(["drive.log", "--fidelity", "--differences", "0"]).output
    #expect(output.contains("… and 2 more") && !output.contains("log only"))
  }

  @Test(arguments: ["missing", "notes"])
  func whatIsNoLogFails(path: String) {
    #expect(run([path]).code == .runtimeFailure)
  }

  @Test(arguments: [["drive.csv"], ["drive"], ["drive", "--format", "csv"]])
  func aDriveIsSummarized(arguments: [String]) {
    let call = run(arguments)
    #expect(call.code == .ok && call.error == "")
    #expect(
      call.output == """
          points    5 of csv, one every 2m
          duration  4m 20s
          distance  1.33 km
          speed     34.3 km/h excluding stops, fastest 40.0 km/h at line 4
          gaps      none
          stops     1, 2m in all
                    2m from line 4 on, at 48.10200,11.50000
          box       48.10000,11.50000 to 48.11200,11.50000

        """, "\(call.output)")
  }

  /// docs/trace.md: what this server exports can be read.
  @Test(arguments: ["ndjson", "csv", "geojson", "gpx"]) func anExportOfTheServerIsRead(format: String) throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let records = (0..<3).map { index in
      #"{"timestamp":"2026-07-28T18:00:0\#(index).000Z","uuid":"00000000-0000-4000-8000-00000000000\#(index)","#
        + #""coords":{"latitude":48.10\#(index),"longitude":11.5,"accuracy":5}}"#
    }
    let body = #"{"location":[\#(records.joined(separator: ","))]}"#
    let sent = try answer(server, "POST /locations/car", body)
    #expect(sent.hasPrefix("HTTP/1.1 200"))
    let export = try answer(server, "GET /admin/v1/devices/car/locations?format=\(format)&limit=100", "")
    let content = export.components(after: "\r\n\r\n")
    let call = CommandCall(["trace", "export.\(format)"], files: ["export.\(format)": content])
    #expect(call.code == .ok, "\(call.error)")
    #expect(call.output.hasPrefix("  points    3 of \(format), one every 1 s\n"), "\(call.output)")
  }

  private func answer(_ server: IngestServer, _ line: String, _ body: String) throws -> String {
    let client = try LoopbackClient(port: server.port)
    let head = "\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    try client.send(head + body)
    return try client.receiveToEnd().text
  }

  /// Where the name says nothing.
  @Test(arguments: [
    (#"{"latitude":48.1,"longitude":11.5,"type":"car"}"# + "\n" + #"{"latitude":48.2,"longitude":11.5}"#, "ndjson"),
    ("\n[[48.1,11.5],\n[48.2,11.5]]", "bgsim-polyline"),
    (#"{"type":"LineString","coordinates":[[11.5,48.1],[11.5,48.2]]}"#, "geojson"),
    ("{\n\"type\":\"LineString\",\"coordinates\":[[11.5,48.1],[11.5,48.2]]}", "geojson"),
    ("<gpx><rte><rtept lat='48.1' lon='11.5'/><rtept lat='48.2' lon='11.5'/></rte></gpx>", "gpx"),
  ])
  func aFormatIsToldByTheContent(content: String, format: String) {
    let call = CommandCall(["trace", "drive"], files: ["drive": content])
    #expect(call.code == .ok && call.output.hasPrefix("  points    2 of \(format)"), "\(call.output)\(call.error)")
  }

  /// As Android writes it, without years.
  private static func box(_ day: String) -> String {
    "\(day) 14:33:46.653 DEBUG [TrackingService b] \n╔═════\n║ TrackingService: LocationResult\n╠═════\n"
      + "╟─ 📍  Location[fused 48.1,11.5 hAcc=5.1 et=+1d1h5m31s938ms alt=30.5], age: 53ms, time: 1785256426600\n"
  }

  /// 2026-07-28T12:00:00Z, but for a phone whose clock is ahead of UTC.
  @Test(arguments: [
    (["07-28"], [], ["2026-07-28"]), (["07-29"], [], ["2025-07-29"]),
    (["12-31", "01-02"], [], ["2025-12-31", "2026-01-02"]),
    (["12-31"], [], ["2025-12-31"]), (["02-29", "03-01"], [], ["2024-02-29", "2024-03-01"]),
    (["07-28"], ["--year", "2019"], ["2019-07-28"]),
    (["12-31", "01-02"], ["--year", "2019"], ["2018-12-31", "2019-01-02"]),
  ])
  func aLogOfAndroidGetsAYear(days: [String], flags: [String], dates: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(days.map(Self.box).joined().utf8), to: "phone.log")
    let path = folder.file("phone.log")
    let written = timespec(tv_sec: 1_785_240_000, tv_nsec: 0)
    try #require(unsafe utimensat(AT_FDCWD, path, [written, written], 0) == 0)
    let call = CommandCall(["trace", path, "--to", "csv"] + flags, orElse: ProcessContext.live().readFile)
    let found = call.output.matches(of: /\d{4}-\d\d-\d\d(?=T)/).map { String($0.0) }
    #expect(call.code == .ok && found == dates, "\(call.output)\(call.error)")
    #expect(call.error.contains("note: the log has no year; ") == flags.isEmpty, "\(call.error)")
  }

  /// However it is named.
  @Test func theFileThatIsReadIsNotWritten() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.csv.utf8), to: "drive.csv")
    let path = folder.file("drive.csv")
    try #require(unsafe symlink("drive.csv", folder.file("link.csv")) == 0)
    for (file, out) in [(path, folder.file("./drive.csv")), (folder.file("link.csv"), path)] {
      let call = CommandCall(["trace", file, "--to", "geojson", "--out", out], orElse: ProcessContext.live().readFile)
      #expect(call.code == .usage && call.error.contains("is the file that is read"), "\(call.output)\(call.error)")
    }
    #expect(try folder.read("drive.csv") == Array(Self.csv.utf8))
  }

  @Test func aMistakeHasItsPlace() {
    let call = run(["bad.csv"])
    #expect(call.code == .runtimeFailure)
    #expect(call.error.hasPrefix("rollingroad trace: bad.csv:3:6: \"east\" is not a number; "))
  }

  @Test(arguments: [
    (["drive.csv", "--to", "kml"], "one of gpx"), (["drive.csv", "--out", "a"], "add --to"),
    (["drive.csv", "--to", "gpx", "--out", "drive.csv"], "name another one"),
    (["drive.csv", "--to", "gpx", "--fidelity"], "cannot be used together"),
    (["drive.csv", "--to", "gpx", "--year", "2026"], "not an Android log"),
    (["drive.log", "--year", "2026"], "add --to"),
    (["drive.csv", "--to", "scenario", "--out", "/elsewhere/a.json5"], "give FILE as an absolute path"),
  ])
  func whatDoesNotFitIsRefused(arguments: [String], words: String) {
    let call = run(arguments)
    #expect(call.code == .usage && call.error.contains(words), "\(call.error)")
  }

  @Test func fidelityWantsALog() {
    let call = run(["drive.csv", "--fidelity"])
    #expect(call.code == .runtimeFailure && call.error.contains("drive.csv is not a log of the SDK"))
  }

  /// With real files: what is converted is read again, and the scenario runs and delivers records.
  @Test func aScenarioOfARecordingRuns() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.csv.utf8), to: "drive.csv")
    func call(_ arguments: String...) -> CommandCall {
      CommandCall(
        arguments,
        orElse: { path in
          do {
            return try folder.read(String(path.dropFirst(folder.path.count + 1)))
          } catch { return nil }
        })
    }
    let (gpx, scenario) = (folder.file("drive.gpx"), folder.file("made/drive.json5"))
    #expect(call("trace", folder.file("drive.csv"), "--to", "gpx", "--out", gpx).output == "wrote \(gpx)\n")
    #expect(call("trace", gpx).output.contains("distance  1.33 km\n"))
    #expect(call("trace", gpx, "--to", "geojson").output.hasPrefix("{\"type\":\"Feature\""))
    let written = call("trace", gpx, "--to", "scenario", "--out", scenario)
    #expect(written.output == "wrote \(scenario); 'rollingroad simulate \(scenario)' runs it\n")
    let run = call("simulate", scenario, "--quiet")
    #expect(run.code == .ok, "\(run.error)")
    #expect(run.output.contains("1 device for ") && run.output.contains("records_lost"))
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

extension String {
  /// What follows the first of them.
  fileprivate func components(after separator: String) -> String {
    firstRange(of: separator).map { String(self[$0.upperBound...]) } ?? ""
  }
}
