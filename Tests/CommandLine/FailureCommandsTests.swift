import Glibc
import Support
import Testing

@testable import CommandLine

/// A run that violates an invariant leaves what it takes to see it again.
@Suite struct FailureCommandsTests {
  /// No device ever has a network, and eighty milliseconds are too short to deliver what waits.
  private static let text = """
    {
      version: 1, name: "never", seed: 9, clock: { duration: "10m", settle: "80ms" },
      sdk: { config: { http: { autoSyncThreshold: 5 } } },
      fleets: { cars: { devices: 4, network: "none" }, idle: { devices: 2, motion: "walking" } },
      faults: [{ name: "edge", at: "1m", for: "1m", network: "edge" }],
    }
    """

  /// Goals that a walk of half a minute reaches and does not reach.
  private static let covered = """
    {
      version: 1, name: "covered", clock: { duration: "30s", settle: "10s" },
      fleets: { idle: { devices: 1, motion: "walking" } },
      faults: [{ name: "clock", at: "10s", for: "9s", device: { clockOffset: "-90s" } }],
      coverage: { sometimes: ["clock-stepped-backwards", "reboot-while-offline"], requireOverSeeds: 2 },
    }
    """
  private static let files = ["never.json5": text, "covered.json5": covered]

  private func run(_ words: [String]) -> CommandCall {
    CommandCall(words, files: Self.files, orElse: ProcessContext.live().readFile)
  }

  private func folder() -> String { "/tmp/rollingroad-failures-\(getpid())-\(UInt64.random(in: 0 ... .max))" }

  @Test func aFailureIsKeptMadeSmallAndReplayed() throws {
    let folder = folder()
    let first = run(["simulate", "never.json5", "--out", folder])
    #expect(first.code == .invariantViolated, "\(first.error)")
    let bundle = folder + "/failures/never-9"
    #expect(first.output.contains("again: rollingroad replay \(bundle)/shrunk.json --break 'I13-drain'"))
    let report = try #require(ProcessContext.live().readFile(bundle + "/report.md"))
    let lines = String(decoding: report, as: UTF8.self).split(separator: "\n")
    #expect(lines.first == "`rollingroad replay \(bundle)/shrunk.json --break 'I13-drain'`")
    #expect(lines.contains("| devices | 6 | 1 |") && lines.contains("| faults | 1 | 0 |"))
    #expect(ProcessContext.live().readFile(bundle + "/journal.ndjson")?.isEmpty == false)
    let log = try #require(ProcessContext.live().listFolder(bundle + "/logs")?.first)
    #expect(ProcessContext.live().readFile("\(bundle)/logs/\(log)")?.isEmpty == false)
    for name in ["summary.json", "report.html", "junit.xml"] {
      let text = String(decoding: try #require(ProcessContext.live().readFile("\(folder)/\(name)")), as: UTF8.self)
      #expect(text.contains("rollingroad replay \(bundle)/shrunk.json"), "\(name)")
    }

    let again = run(["replay", bundle])
    #expect(again.code == .invariantViolated, "\(again.error)")
    #expect(again.output.contains("as when it failed") && again.output.contains("  cars-"))
    let whole = run(["replay", bundle + "/plan.json", "--until", "10s", "--device", "all"])
    #expect(whole.code == .invariantViolated && whole.output.contains("as when it failed"))
    // Its events end there; the story of the violation has later instants.
    #expect(!whole.output.split(separator: "\n").contains { $0.hasPrefix("00:01:") })
    #expect(run(["replay", bundle, "--break", "I1-conservation"]).code == .runtimeFailure)
    let unknown = run(["replay", bundle, "--device", "lorries-7"])
    #expect(unknown.code == .usage && unknown.output == "")
    #expect(unknown.error.contains("--device: the plan has no device 'lorries-7'; there is: cars-"), "\(unknown.error)")
    let stopped = run(["replay", bundle, "--break", "I13-drain"])
    #expect(stopped.code == .invariantViolated && stopped.output.contains("as when it failed"))
  }

  /// It does not end where the violation did.
  @Test func aRunThatIsToBreakElsewhereHasAnotherHash() throws {
    let text = """
      { version: 1, name: "lied-to", seed: 1, clock: { duration: "10m", settle: "1m" }, fleets: { cars: { devices: 1 } },
        faults: [{ name: "lies", at: "2m", for: "1m", http: { answer: { kind: "pretend" } } }] }
      """
    let folder = try TemporaryFolder()
    try folder.write(Array(text.utf8), to: "lied-to.json5")
    #expect(run(["simulate", folder.file("lied-to.json5"), "--out", folder.file("out")]).code == .invariantViolated)
    let other = run(["replay", folder.file("out/failures/lied-to-1"), "--break", "I4-no-phantom"])
    #expect(other.code == .runtimeFailure && other.output.contains("I4-no-phantom is not violated\nhash "))
    #expect(!other.output.contains("has changed since"), "\(other.output)")
  }

  @Test func theCommandOfABundleCanBePasted() throws {
    let folder = try TemporaryFolder()
    let out = folder.file("my run")
    #expect(run(["simulate", "never.json5", "--out", out]).code == .invariantViolated)
    let report = String(decoding: try folder.read("my run/failures/never-9/report.md"), as: UTF8.self)
    let command = "rollingroad replay '\(out)/failures/never-9/shrunk.json' --break 'I13-drain'"
    #expect(report.hasPrefix("`\(command)`\n"), "\(report.prefix(200))")
    let summary = String(decoding: try folder.read("my run/summary.json"), as: UTF8.self)
    #expect(summary.contains(command))
  }

  /// The routes are in the plan: it is replayed where their files are not.
  @Test func aFailureOnARouteIsReplayedWithoutItsFile() throws {
    let folder = try TemporaryFolder()
    let track = (0..<60).map { "48.\(100 + $0),11.5,2026-03-02T10:\($0 < 10 ? "0" : "")\($0):00Z" }
    try folder.write(Array((["lat,lon,time"] + track).joined(separator: "\n").utf8), to: "one.csv")
    let scenario = """
      {
        version: 1, name: "route", seed: 9, clock: { duration: "10m", settle: "80ms" },
        routes: { way: { type: "replay", file: "one.csv" } },
        fleets: { cars: { devices: 1, network: "none", motion: "driving", routes: "way" } },
      }
      """
    try folder.write(Array(scenario.utf8), to: "route.json5")
    let out = folder.file("out")
    let first = run(["simulate", folder.file("route.json5"), "--out", out])
    #expect(first.code == .invariantViolated && !first.error.contains("cannot read"), "\(first.output)\(first.error)")
    #expect(first.output.contains("again: rollingroad replay \(out)/failures/route-9/shrunk.json"), "\(first.output)")
    try #require(unsafe unlink(folder.file("one.csv")) == 0)
    for name in ["plan.json", "shrunk.json"] {
      let again = run(["replay", "\(out)/failures/route-9/\(name)"])
      #expect(again.code == .invariantViolated && again.output.contains("as when it failed"), "\(again.error)")
    }
  }

  /// Nothing is told of a bundle that could not be written.
  @Test func aBundleThatIsNotThereIsNotNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "failures")
    let call = run(["simulate", "never.json5", "--out", folder.file("")])
    #expect(call.code == .invariantViolated && call.error.contains("failures"), "\(call.error)")
    #expect(!call.output.contains("again: ") && !call.output.contains("shrunk.json"), "\(call.output)")
    let summary = try folder.read("summary.json")
    #expect(String(decoding: summary, as: UTF8.self).contains("\"replay\": null"))
  }

  /// What an earlier run has kept is not the next one's; what it has not written stays.
  @Test func whatAnEarlierRunKeptIsRemoved() throws {
    let folder = try TemporaryFolder()
    let out = folder.file("out")
    #expect(run(["simulate", "never.json5", "--out", out]).code == .invariantViolated)
    let logs = folder.names(in: "out/logs")
    #expect(logs.contains("cars-0.log") && folder.names(in: "out/failures/never-9").contains("shrunk.json"))
    for name in ["logs/cars-4.log", "logs/notes.txt", "failures/never-9/notes.txt"] {
      try folder.write(Array("mine".utf8), to: "out/\(name)")
    }
    #expect(run(["simulate", "first-drive", "--duration", "2m", "--quiet", "--out", out]).code == .ok)
    #expect(folder.names(in: "out/logs").sorted() == ["cars-4.log", "notes.txt"])
    #expect(folder.names(in: "out/failures") == ["never-9"])
    #expect(folder.names(in: "out/failures/never-9") == ["notes.txt"])
  }

  /// A run that was killed has left no summary that tells of its logs.
  @Test func whatAKilledRunKeptIsRemovedByTheSameOne() throws {
    let folder = try TemporaryFolder()
    let out = folder.file("out")
    #expect(run(["simulate", "never.json5", "--out", out]).code == .invariantViolated)
    try #require(unsafe unlink(out + "/summary.json") == 0)
    #expect(
      run(["simulate", "never.json5", "--set", "clock.settle=0s", "--set", "fleets.cars.network=lte", "--out", out])
        .code != .invariantViolated)
    #expect(!folder.names(in: "out").contains("logs") && !folder.names(in: "out").contains("failures"))
  }

  @Test func withoutAFolderTheCommandIsTold() {
    let result = run(["simulate", "never.json5", "--set", "fleets.cars.devices=1", "--fleet", "cars"])
    #expect(
      result.output.contains(
        "again: rollingroad simulate never.json5 --set fleets.cars.devices=1 --fleet cars --out DIR"))
  }

  /// As of every command that reads what another one has left.
  @Test func aBundleThatIsNotThereIsNoUsageError() {
    let result = run(["replay", "nowhere"])
    #expect(result.code == .runtimeFailure && result.error.contains("replay: nowhere: "), "\(result.error)")
    #expect(result.error.contains("; name a folder in failures/"), "\(result.error)")
  }

  @Test(arguments: [["never.json5", "--until", "soon"], ["never.json5", "--break", "I99"]])
  func wrongWordsAreUsageErrors(words: [String]) {
    #expect(run(["replay"] + words).code == .usage)
  }

  @Test func anInvalidPlanIsRefused() {
    let result = run(["replay", "never.json5"])
    #expect(result.code == .badScenario && result.error.contains("never.json5: invalid JSON: "))
  }

  @Test func shardsAreMerged() throws {
    let folder = folder()
    let words = ["--duration", "4m", "--quiet"]
    for index in 0..<2 {
      let part = run(["simulate", "first-drive", "--shard", "\(index)/2", "--out", "\(folder)/\(index)"] + words)
      #expect(part.code == .ok, "\(part.error)")
    }
    let whole = run(["simulate", "first-drive", "--out", folder + "/whole"] + words)
    let merged = run(["merge", folder + "/1", folder + "/0", "--out", folder + "/merged"])
    #expect(merged.code == .ok, "\(merged.error)")
    let hash = try #require(whole.output.split(separator: "\n").first { $0.contains("hash") })
    #expect(merged.output.contains(hash))
    let over = run(["merge", folder + "/1", folder + "/0", "--out", folder + "/0/"])
    #expect(over.code == .runtimeFailure && over.error.contains("is the folder of the shard"), "\(over.error)")
    let half = run(["merge", folder + "/1"])
    #expect(half.code == .runtimeFailure && half.error.contains("missing: 0/2"))
    let none = run(["merge", folder + "/2"])
    #expect(none.code == .runtimeFailure && none.error.contains("did its run end?"))
    let bytes = try #require(ProcessContext.live().readFile(folder + "/merged/summary.json"))
    let origin = "\"command\": \"rollingroad merge \(folder)/1 \(folder)/0 --out \(folder)/merged\""
    #expect(String(decoding: bytes, as: UTF8.self).contains(origin))
  }

  /// What is there already goes only where something else comes.
  @Test func whatCannotBeMergedLeavesAnEarlierResultAsItWas() throws {
    let folder = try TemporaryFolder()
    let out = folder.file("out")
    #expect(run(["simulate", "never.json5", "--out", out]).code == .invariantViolated)
    try folder.write(Array("{}\n".utf8), to: "out/lost.ndjson")
    let names = ["", "/logs", "/failures/never-9"].map { folder.names(in: "out" + $0).sorted() }
    #expect(run(["merge", folder.file("nowhere"), "--out", out]).code == .runtimeFailure)
    #expect(["", "/logs", "/failures/never-9"].map { folder.names(in: "out" + $0).sorted() } == names)
  }

  @Test func coverageIsJudgedOverAllSeeds() {
    let two = run(["simulate", "covered.json5", "--seeds", "2", "--quiet"])
    #expect(two.code == .coverageMissed, "\(two.output)\(two.error)")
    let lines = two.output.split(separator: "\n")
    #expect(lines[0].hasPrefix("seed 0x1  covered passed") && lines[1].hasPrefix("seed 0x2  covered passed"))
    #expect(lines[2] == "2 seeds: 2 passed" && lines[3] == "  never reboot-while-offline")
    #expect(lines[4].contains("clock-stepped-backwards") && lines[4].hasSuffix("times, in 2 of 2 seeds"))
    let one = run(["simulate", "covered.json5", "--seeds", "1", "--quiet"])
    #expect(one.code == .ok && one.error.contains("coverage was not evaluated"))
    let reached = ["--set", "coverage.sometimes=[\"clock-stepped-backwards\"]"]
    #expect(run(["simulate", "covered.json5", "--seeds", "2", "--quiet"] + reached).code == .ok)
  }

  @Test func tortureTellsItsSeedsAndEnds() throws {
    let result = run(["torture", "0.01", "6", "--seeds", "2", "--out", folder()])
    #expect(result.error.hasPrefix("seed 6\n") && result.output.contains(" seeds from 6 on"))
    #expect(run(["torture", "soon"]).code == .usage && run(["torture", "1", "x"]).code == .usage)
    let wrong = run(["torture", "1", "--cover", "reboot-while-online"])
    #expect(wrong.code == .usage && wrong.error.contains("did you mean 'reboot-while-offline'?"))
    #expect(result.output.contains("reboot-while-offline"))
  }
}
