import FleetSimulator
import FoundationEssentials
import IngestServer
import JSON
import Oracle
import Scenario
import Support
import Testing

@testable import CommandLine

/// What `simulate` leaves behind, and with which code it ends.
@Suite struct SimulateOutputTests {
  private func run(_ words: String...) -> CommandCall {
    CommandCall(["simulate", "first-drive", "--duration", "8m"] + words)
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rollingroad-out-\(UUID())")
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    try body(folder.path())
  }

  @Test func everythingIsLeftInTheFolderAndCanBeReadBack() throws {
    try withFolder { folder in
      let run = run("--out", folder + "/deep/er", "--quiet")
      #expect(run.code == .ok && run.error.isEmpty, "\(run.error)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/deep/er").sorted()
      #expect(names == ["events.ndjson", "junit.xml", "report.html", "summary.json", "timeline.csv"])
      let bytes = try Data(contentsOf: URL(filePath: folder + "/deep/er/summary.json"))
      let summary = try RunSummary(JSONValue(parsing: Array(bytes).span))
      #expect(run.output.contains("hash \(summary.hash)"))
      #expect(summary.ledger.created > 0 && summary.ledger.stored == summary.ledger.created)
      let lines = try Data(contentsOf: URL(filePath: folder + "/deep/er/events.ndjson")).split(separator: 0x0A)
      for line in lines { _ = try JSONValue(parsing: Array(line).span) }
      #expect(lines.count > summary.ledger.created * 2)
    }
  }

  @Test func logsAreKeptWhenTheScenarioAsksForThem() throws {
    try withFolder { folder in
      let run = run("--out", folder, "--set", "outputs=[{ type: 'sdk-log', dir: 'sdk', devices: 'all' }]")
      #expect(run.code == .ok, "\(run.error)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/sdk")
      #expect(names.count == 1)
      #expect(try Data(contentsOf: URL(filePath: folder + "/sdk/\(names[0])")).count > 1_000)
    }
  }

  /// A name may have any characters.
  @Test func everyPhoneHasALogOfItsOwnAndTheFirstAreNamed() throws {
    try withFolder { folder in
      let fleets = "{ 'a/b': { devices: 3 }, a_b: { devices: 3 }, 'a%2Fb': { devices: 3 } }"
      let scenario = """
        { version: 1, name: 'x', clock: { duration: '10s', settle: '10s' }, fleets: \(fleets),
          outputs: [{ type: 'sdk-log', dir: 'sdk', devices: 'all' }, { type: 'hdr-log', file: 'hdr' }] }
        """
      let call = CommandCall(["simulate", "x.json5", "--out", folder], files: ["x.json5": scenario])
      #expect(call.code == .ok, "\(call.error)")
      let logs = (0..<3).flatMap { ["a%252Fb-\($0).log", "a%2Fb-\($0).log", "a_b-\($0).log"] }.sorted()
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/sdk")
      #expect(files.sorted() == logs)
      #expect(
        logs.map { call.output.contains("\(folder)/sdk/\($0)") } == logs.map { $0 != logs.last }, "\(call.output)")
      #expect(call.output.contains("1 more log in \(folder)/sdk"), "\(call.output)")
    }
  }

  @Test func aFolderThatCannotBeWrittenIsToldBeforeTheRun() {
    let run = run("--out", "/proc/nowhere")
    #expect(run.code == .runtimeFailure && run.output.isEmpty)
    #expect(run.error.contains("cannot make the folder /proc/nowhere"))
    let outside = self.run("--out", "/tmp", "--set", "outputs=[{ type: 'html', file: '../up.html' }]")
    #expect(outside.code == .badScenario && outside.error.contains("'../up.html' is not a file name inside --out"))
  }

  @Test func aScenarioThatIsNotUTF8IsCalledThat() {
    let call = CommandCall(["simulate", "latin1.json5"], orElse: { _ in Array("{ name: 'caf".utf8) + [0xE9] })
    #expect(call.code == .usage && call.error.contains("'latin1.json5' is not UTF-8"), "\(call.error)")
  }

  /// A worker had no room for its own.
  @Test func aFileThatIsWholeInTheEndIsNotMissed() throws {
    try withFolder { folder in
      #expect(run("--out", folder, "--quiet").code == .ok)
      let bytes = try Data(contentsOf: URL(filePath: folder + "/summary.json"))
      let outputs = try RunOutputs(Scenario(), nil, folder: folder)
      outputs.miss(OutputFolder.Failure(description: "no room"), ["x.log", "junit.xml", "y.log"])
      outputs.write(try RunSummary(JSONValue(parsing: Array(bytes).span)), map: nil)
      #expect(outputs.sentenceOfFailure == "no room; missing or not whole too: y.log")
      #expect(outputs.written.contains(folder + "/junit.xml"))
    }
  }

  /// The verdict of a run of hours is told, whatever is wrong with the disk in the end.
  @Test(arguments: [
    ("{ records_created: ['count>0'] }", ExitCode.runtimeFailure, "passed"),
    ("{ records_created: ['count<1'] }", .thresholdFailed, "failed: records_created count<1 was "),
  ])
  func aDiskThatIsFullKeepsNoVerdictBack(thresholds: String, code: ExitCode, verdict: String) throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder + "/report.html", withIntermediateDirectories: true)
      let words = ["--out", folder, "--quiet", "--set", "thresholds=\(thresholds)"]
      let call = CommandCall(["simulate", "first-drive", "--duration", "8m"] + words)
      #expect(call.code == code && call.output.contains("first-drive \(verdict)"), "\(call.output)\(call.error)")
      #expect(call.error.contains("cannot write \(folder)/report.html: Is a directory"), "\(call.error)")
      #expect(call.output.contains("wrote \(folder)/junit.xml") && !call.output.contains("report.html"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(!names.contains { $0.hasSuffix(".partial") } && names.contains("summary.json"), "\(names)")
    }
  }

  /// What is written while the run goes on finds no room.
  @Test func eventsWithoutRoomKeepNoVerdictBack() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: folder + "/events.ndjson", withDestinationPath: "/dev/full")
      let call = run("--out", folder, "--quiet")
      #expect(call.code == .runtimeFailure && call.output.contains("first-drive passed"), "\(call.output)")
      #expect(call.error.contains("cannot write \(folder)/events.ndjson: No space left on device"), "\(call.error)")
      #expect(call.error.contains("; missing or not whole too: timeline.csv\n"), "\(call.error)")
      #expect(call.output.contains("wrote \(folder)/summary.json") && !call.output.contains("wrote \(folder)/events"))
      #expect(!call.output.contains("timeline.csv"), "\(call.output)")
    }
  }

  @Test(arguments: [
    ("{ records_created: ['count>0'] }", ExitCode.ok), ("{ records_created: ['count<1'] }", .thresholdFailed),
    ("{ records_created: [{ threshold: 'count<1', onFail: 'invalidate' }] }", .runInvalid),
    ("{ time_to_visible: ['max<1'] }", .badScenario),
  ])
  func thresholdsDecideTheCode(thresholds: String, code: ExitCode) {
    #expect(run("--set", "thresholds=\(thresholds)").code == code)
  }

  @Test func theMetricsAreToBeReadWhereItIsSaid() throws {
    let listening = "outputs=[{ type: 'prometheus', listen: '127.0.0.1:0' }]"
    let run = run("--quiet", "--set", listening)
    #expect(run.code == .ok && run.output.contains("\nmetrics http://127.0.0.1:"), "\(run.error)")
    let taken = try LocalServer.start()
    defer { taken.stop() }
    let address = "127.0.0.1:\(taken.port)"
    for words in [["--set", "outputs=[{ type: 'prometheus', listen: '\(address)' }]"], ["--dashboard", address]] {
      let call = CommandCall(["simulate", "first-drive", "--quiet"] + words)
      #expect(call.code == .cannotBind && call.error.contains("cannot bind \(address): "), "\(call.error)")
      #expect(call.error.contains("; stop the program that uses it, or use another port"), "\(call.error)")
    }
    let bad = self.run("--quiet", "--set", "outputs=[{ type: 'prometheus', listen: 'somewhere' }]")
    #expect(
      bad.code == .badScenario && bad.error.contains("outputs[0].listen: \"somewhere\" is not a valid listen address"),
      "\(bad.error)")
  }

  /// No seed has run: that is no success.
  @Test func seedsWithoutARunAreNoSuccess() throws {
    let taken = try LocalServer.start()
    defer { taken.stop() }
    let output = "prometheus=127.0.0.1:\(taken.port)"
    let call = CommandCall(["simulate", "first-drive", "--quiet", "--seeds", "2", "--output", output])
    #expect(call.code == .cannotBind && call.output.contains("2 seeds: 0 passed"), "\(call.output)\(call.error)")
  }

  /// The folder of the other seed cannot be made.
  @Test func theWorstOfAllSeedsIsTheCode() throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "seed-10")
    let scenario = """
      { version: 1, name: "never", seed: 9, clock: { duration: "2m", settle: "80ms" },
        fleets: { cars: { devices: 1, motion: "driving", network: "none" } }, invariants: { onViolation: "continue" } }
      """
    let call = CommandCall(
      ["simulate", "never.json5", "--quiet", "--seeds", "2", "--out", folder.file("")], files: ["never.json5": scenario]
    )
    #expect(call.error.contains("seed-10") && call.code == .invariantViolated, "\(call.output)\(call.error)")
  }

  @Test func setMayStandSeveralTimes() {
    let run = run("--set", "fleets.phones.devices=2", "--set=seed=7", "--quiet")
    #expect(run.output.hasPrefix("seed 0x7\n"), "\(run.error)")
  }

  @Test func progressIsToldInLinesAndNotWhenQuiet() {
    #expect(run("--quiet").error.isEmpty)
  }

  /// What the server inside has stored is in a file without a name, which may find no room.
  @Test func aRunWithoutRoomForWhatItStoresIsNone() throws {
    let words =
      "ulimit -f 2000; exec '\(BuiltProgram.path(of: "rollingroad"))' simulate tunnel-exit --devices 1000 --quiet"
    let child = try SpokenChild(["/bin/sh", "-c", words])
    #expect(child.finish() == 1)
    #expect(
      child.output.contains("the run is not valid; free space in the folder for temporary files"), "\(child.output)")
  }
}
