import Glibc
import JSON
import Support
import Testing

/// A run in virtual time that several processes share, and seeds that run side by side.
@Suite(.timeLimit(.minutes(5))) struct ProcessesTests {
  private static let scenario = """
    { version: 1, name: "shared", seed: 7, clock: { duration: "20m", settle: "5m" },
      fleets: {
        cars: { devices: 9, motion: "driving", network: "lte" }, walkers: { devices: 4, motion: "walking", network: "wifi" },
        trips: { executor: "constant-arrival-rate", rate: 30, timeUnit: "1h", maxDevices: 2, motion: "driving" },
      },
      faults: [{ name: "busy", at: "10m", for: "5m", http: { abort: { status: 503, percentage: 40 } } }],
      thresholds: { upload_duration: ["p(95)<60000"], "upload_failed{fleet:trips}": ["rate<0.9"] },
      outputs: [{ type: "events-ndjson", file: "events.ndjson" }, { type: "sdk-log", dir: "sdk", devices: "all" }],
    }
    """

  /// For longer than any test waits.
  private static let endless = """
    { version: 1, name: "shared", seed: 7, clock: { duration: "900d" }, fleets: { cars: { devices: 6 } } }
    """

  /// Records wait for more than the settling time allows.
  private static let violating = """
    { version: 1, name: "shared", seed: 1, clock: { duration: "10m", settle: "80ms" },
      sdk: { config: { http: { autoSyncThreshold: 5 } } }, fleets: { cars: { devices: 4, network: "none" } } }
    """

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func begin(_ scenario: String, _ words: String...) throws -> SpokenChild {
    try folder.write(Array(scenario.utf8), to: "shared.json5")
    return try SpokenChild([BuiltProgram.path(of: "rollingroad"), "simulate", folder.file("shared.json5")] + words)
  }

  private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

  /// Without what was typed, and when.
  private func summary(_ name: String) throws -> [Substring] {
    try text(name + "/summary.json").split(separator: "\n").filter { line in
      !["\"command\":", "\"start\":", "\"end\":"].contains { line.contains($0) }
    }
  }

  /// Without what was typed, and when.
  private func page(_ name: String) throws -> [Substring] {
    try text(name + "/report.html").split(separator: "<").filter { part in
      !part.contains("rollingroad simulate ") && !part.contains(" by the clock")
    }
  }

  private func leftovers(_ name: String) -> [String] { folder.names(in: name).filter { $0.hasPrefix(".") } }

  @Test func anyNumberOfProcessesComesToTheSame() throws {
    for count in ["1", "2", "5"] {
      // A run that was killed has left its parts.
      for part in [count, "\(count)/.shards-killed", "\(count)/.shards-killed/0"] {
        try #require(unsafe mkdir(folder.file(part), 0o755) == 0)
      }
      try folder.write([], to: "\(count)/.shards-killed/0/events.ndjson")
      let child = try begin(Self.scenario, "--quiet", "--out", folder.file(count), "--processes", count)
      #expect(child.finish() == 0, "\(child.output)")
      #expect(leftovers(count).isEmpty)
    }
    let (whole, wholePage) = (try summary("1"), try page("1"))
    for count in ["2", "5"] {
      #expect(try summary(count) == whole)
      #expect(try page(count) == wholePage)
      for name in ["events.ndjson", "timeline.csv", "sdk/cars-0.log", "sdk/trips-1.log"] {
        #expect(try folder.read("\(count)/\(name)") == folder.read("1/\(name)"), "\(name) of \(count)")
      }
    }
  }

  /// The bundle that replays a violation is made by one process.
  @Test func aViolationIsFoundAndKeptAsByOneProcess() throws {
    for count in ["1", "2"] {
      let child = try begin(Self.violating, "--quiet", "--out", folder.file(count), "--processes", count)
      #expect(child.finish() == 98, "\(child.output)")
      #expect(child.output.contains("the run is repeated in one process") == (count == "2"))
    }
    #expect(try summary("2").count == summary("1").count)
    let bundle = "failures/shared-1/plan.json"
    #expect(try folder.read("2/\(bundle)") == folder.read("1/\(bundle)"))
  }

  @Test func aProcessThatDiesIsNamed() throws {
    let child = try begin(Self.endless, "--processes", "3", "--out", folder.file("out"))
    try child.wait(for: "processes\n")
    let workers = ChildrenOf.process(child.process)
    try #require(workers.count == 3)
    kill(workers[1], SIGKILL)
    #expect(child.finish() == 97)
    #expect(
      child.output.contains(
        "shared invalid: the figures of this run are not valid; shard 1/3 is missing: process 2 of 3 was ended by signal 9"
      ),
      "\(child.output)")
    let bytes = try folder.read("out/summary.json")
    let summary = try JSONValue(parsing: bytes.span)
    #expect(summary["devices"] == .integer(4) && summary["missing"]?.elements.map { $0["shard"]?.string } == ["1/3"])
    #expect(summary["ending"]?.string == "stopped", "\(child.output)")
    #expect(leftovers("out").isEmpty)
    for worker in workers { #expect(kill(worker, 0) != 0, "none is left") }
  }

  /// A name that no file system takes is as good as a full disk.
  @Test func aFileThatAProcessCouldNotWriteIsNamedInTheFolderOfTheRun() throws {
    let fleet = String(repeating: "x", count: 252)
    let scenario = """
      { version: 1, name: "shared", seed: 7, clock: { duration: "5m" }, fleets: { "\(fleet)": { devices: 4 } },
        outputs: [{ type: "sdk-log", dir: "sdk", devices: "all" }] }
      """
    let out = folder.file("out")
    let child = try begin(scenario, "--quiet", "--out", out, "--processes", "2")
    #expect(child.finish() == 1, "\(child.output)")
    #expect(child.output.contains("simulate: cannot write \(out)/sdk/\(fleet)-"), "\(child.output)")
    #expect(child.output.contains(".log: File name too long; missing or not whole too: events.ndjson,"))
    #expect(!child.output.contains("exit code") && !child.output.contains(".shards"), "\(child.output)")
  }

  @Test func noProcessOutlivesTheOneThatHasBegunIt() throws {
    let child = try begin(Self.endless, "--processes", "2")
    try child.wait(for: "processes\n")
    child.process.signal(SIGKILL)
    // Its outputs are theirs, too: they end when the last process has.
    #expect(child.finish() == -SIGKILL)
  }

  @Test func aSignalEndsAllOfThemWithWhatTheyHave() throws {
    let child = try begin(Self.endless, "--processes", "2", "--out", folder.file("out"))
    try child.wait(for: "processes\n")
    child.process.signal(SIGINT)
    #expect(child.finish() == 105, "\(child.output)")
    #expect(try summary("out").contains { $0.contains("\"ending\": \"signal\"") })
    #expect(try folder.read("out/events.ndjson").count > 0)
    #expect(leftovers("out").isEmpty)
  }

  @Test func seedsSideBySideSayWhatTheySayOneAfterTheOther() throws {
    var said: [String] = []
    for count in ["1", "3"] {
      let child = try begin(Self.scenario, "--duration", "12m", "--seeds", "4", "--quiet", "--processes", count)
      #expect(child.finish() == 0, "\(child.output)")
      said.append(child.output)
    }
    #expect(said[0].hasSuffix("4 seeds: 4 passed\n"))
    #expect(said[0] == said[1])
  }
}
