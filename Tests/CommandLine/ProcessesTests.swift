import FoundationEssentials
import Glibc
import Support
import Testing

/// A run in virtual time that several processes share.
@Suite(.timeLimit(.minutes(5))) struct ProcessesTests {
  private static let scenario = """
    { version: 1, name: "shared", seed: 7, clock: { duration: "40m", settle: "10m" },
      fleets: {
        cars: { devices: 9, motion: "driving", network: "lte" }, walkers: { devices: 4, motion: "walking", network: "wifi" },
        trips: { devices: 2, trips: { rate: "30/h" }, motion: "driving" },
      },
      faults: [{ name: "busy", at: "10m", for: "5m", http: { abort: { status: 503, percentage: 40 } } }],
      thresholds: { upload_duration: ["p(95)<60s"], upload_failed: ["rate<0.9"] },
      outputs: [{ type: "events", sample: 1 }, { type: "sdk-log", dir: "sdk", devices: "all" }],
    }
    """

  /// What it says goes into files of the folder.
  private func begin(_ folder: TemporaryFolder, _ words: [String]) throws -> ChildProcess {
    let program = BuiltProgram.path(of: "rollingroad")
    let command = "exec '\(program)' simulate '\(folder.file("shared.json5"))' \(words.joined(separator: " "))"
    return try ChildProcess(["sh", "-c", "\(command) >'\(folder.path)/said' 2>'\(folder.path)/errors'"])
  }

  private func run(_ folder: TemporaryFolder, _ words: [String]) throws -> Int32 {
    try begin(folder, words).exitCode()
  }

  private func errors(_ folder: TemporaryFolder) throws -> String {
    String(decoding: try folder.read("errors"), as: UTF8.self)
  }

  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Without what was typed, and when.
  private func summary(_ folder: TemporaryFolder, _ name: String) throws -> [Substring] {
    String(decoding: try folder.read(name + "/summary.json"), as: UTF8.self).split(separator: "\n").filter { line in
      !["\"command\":", "\"start\":", "\"end\":"].contains { line.contains($0) }
    }
  }

  private func page(_ folder: TemporaryFolder, _ name: String) throws -> [Substring] {
    String(decoding: try folder.read(name + "/report.html"), as: UTF8.self).split(separator: "\n")
      .filter { !$0.contains("rollingroad simulate ") }
  }

  @Test func anyNumberOfProcessesComesToTheSame() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.scenario.utf8), to: "shared.json5")
    for count in ["1", "2", "5"] {
      let code = try run(folder, ["--out", folder.file(count), "--processes", count])
      let errors = try errors(folder)
      #expect(code == 0, "\(errors)")
    }
    let whole = try summary(folder, "1")
    let wholePage = try page(folder, "1")
    for count in ["2", "5"] {
      #expect(try summary(folder, count) == whole)
      #expect(try page(folder, count) == wholePage)
      for name in ["events.ndjson", "timeline.csv", "junit.xml", "sdk/cars-0.log", "sdk/trips-1.log"] {
        #expect(try folder.read("\(count)/\(name)") == folder.read("1/\(name)"), "\(name) of \(count)")
      }
      #expect(!Self.exists(folder.file("\(count)/shards")), "the folders of the parts are gone")
    }
  }

  /// The bundle that replays a violation is made by one process.
  @Test func aViolationIsFoundAndKeptAsByOneProcess() throws {
    let folder = try TemporaryFolder()
    let text = """
      { version: 1, name: "shared", seed: 1, clock: { duration: "10m", settle: "1s" },
        sdk: { config: { http: { autoSyncThreshold: 5 } } }, fleets: { cars: { devices: 4, network: "none" } } }
      """
    try folder.write(Array(text.utf8), to: "shared.json5")
    for count in ["1", "2"] {
      #expect(try run(folder, ["--out", folder.file(count), "--processes", count]) == 98)
    }
    #expect(try summary(folder, "2").count == summary(folder, "1").count)
    #expect(try folder.read("2/shared-1/report.md") == folder.read("1/shared-1/report.md"))
  }

  @Test func aProcessThatDiesIsNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.scenario.utf8), to: "shared.json5")
    let child = try begin(folder, ["--duration", "300d", "--processes", "3"])
    let shards = try Self.children(of: child.id, count: 3)
    kill(shards[1], SIGKILL)
    #expect(child.exitCode() == 97)
    let error = try errors(folder)
    #expect(error.contains("process 2 of 3 was ended by signal 9"), "\(error)")
    for shard in shards { #expect(kill(shard, 0) != 0, "none is left") }
  }

  @Test func aSignalEndsAllOfThemWithWhatTheyHave() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.scenario.utf8), to: "shared.json5")
    let child = try begin(folder, ["--duration", "300d", "--processes", "2", "--out", folder.file("out")])
    _ = try Self.children(of: child.id, count: 2)
    while !Self.exists(folder.file("out/shards/1/events.ndjson")) { try #require(!child.endedByItself()) }
    child.signal(SIGINT)
    #expect(child.exitCode() == 105)
    #expect(try summary(folder, "out").contains { $0.contains("\"ending\": \"signal\"") })
    #expect(try folder.read("out/events.ndjson").count > 0)
  }

  /// The processes that it has begun, once they are there.
  private static func children(of id: pid_t, count: Int) throws -> [pid_t] {
    var children: [pid_t] = []
    while children.count < count {
      let text = try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
      children = text.split(separator: " ").compactMap { pid_t($0) }
    }
    return children
  }
}
