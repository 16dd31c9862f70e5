import Base
import Oracle
import Store
import Testing
import World

@testable import FleetSimulator
@testable import Scenario

/// Routes from files.
@Suite struct RouteFileRunsTests {
  private static let csv = """
    lat,lon,time
    48.10,11.50,2026-03-02T07:00:00Z
    48.11,11.50,2026-03-02T07:02:00Z
    48.11,11.53,2026-03-02T07:06:00Z

    """
  private static let polyline = "[[48.10, 11.50, 0], [48.11, 11.50, 120], [48.11, 11.53, 360]]"
  private static let ndjson = """
    {"coords":{"latitude":48.10,"longitude":11.50},"timestamp":"2026-03-02T07:00:00Z"}
    {"location":{"coords":{"latitude":48.11,"longitude":11.50},"timestamp":"2026-03-02T07:02:00Z"}}
    {"lat":48.11,"lon":11.53,"time":"2026-03-02T07:06:00Z"}

    """
  private static let other = "lat,lon\n48.2,11.6\n48.21,11.62\n"

  private static func files(_ contents: KeyValuePairs<String, String>) -> RouteFiles {
    RouteFiles(
      beside: "/s/scenario.json5",
      read: { path in contents.first { "/s/\($0.key)" == path }.map { Array($0.value.utf8) } },
      list: { folder in
        folder == "/s/many" ? contents.filter { $0.key.hasPrefix("many/") }.map { String($0.key.dropFirst(5)) } : nil
      })
  }

  /// As a plan has them, under the names of the scenario, wherever that lay.
  @Test func theFilesOfAScenarioAreHeld() throws {
    let text = #"""
      { version: 1, name: "held", routes: { one: { type: "replay", file: "drive.csv" },
          many: { type: "collection", files: "many/*.csv", format: "csv" }, gone: { type: "replay", file: "/no/such.csv" } },
        fleets: { cars: { devices: 1, motion: "driving", routes: "many" } } }
      """#
    let scenario = try ScenarioReader().read(text).scenario
    let held = Self.files(Self.contents).files(of: scenario)
    #expect(held.keys.sorted() == ["drive.csv", "many/a.csv", "many/b.csv"])
    let files = RouteFiles(held)
    #expect(files.read("drive.csv") == Array(Self.csv.utf8))
    #expect(files.paths("many/*.csv") == ["many/a.csv", "many/b.csv"] && files.paths("*.csv") == ["drive.csv"])
    #expect(RouteFiles(["/t/a.csv": []]).paths("/t/*.csv") == ["/t/a.csv"])
    _ = try RunSetup(scenario, files: files)
  }

  /// By the checks of the scenario, for all fleets; by the next setup again, as by that of another seed.
  @Test func aFileIsReadOnceForASetup() throws {
    let text = #"""
      { version: 1, name: "once", routes: { one: { type: "replay", file: "drive.csv" } },
        fleets: { cars: { devices: 1, routes: "one" }, vans: { devices: 1, motion: "driving", routes: "one" } } }
      """#
    let scenario = try ScenarioReader().read(text).scenario
    var reads = 0
    let files = RouteFiles(
      beside: nil,
      read: { _ in
        reads += 1
        return Array(Self.csv.utf8)
      }, list: { _ in nil })
    #expect(RunSetup.problems(of: scenario, files: files) == [])
    let first = try RunSetup(scenario, files: files)
    #expect(reads == 1 && first.fleets.count == 2)
    _ = try RunSetup(scenario, files: files)
    #expect(reads == 2)
  }

  private static let contents: KeyValuePairs = [
    "drive.csv": csv, "drive.json": polyline, "drive.ndjson": ndjson, "broken.csv": "lat,lon\n48.1,999\n",
    "many/b.csv": csv, "many/a.csv": other, "many/notes.txt": "no route",
  ]

  private static func setup(_ route: String, devices: Int = 2) throws -> RunSetup {
    let text = """
      { version: 1, name: "files", seed: 9,
        clock: { start: "2026-03-02T07:30:00Z", duration: "15m", settle: "5m" },
        routes: { r: { \(route) } }, fleets: { a: { devices: \(devices), routes: "r" } } }
      """
    return try RunSetup(ScenarioReader().read(text).scenario, files: files(contents))
  }

  private static let plain = Result { try Runs.run(setup("type: 'replay', file: 'drive.csv'")) }

  @Test func theSameRouteInEveryFormatIsTheSameRun() throws {
    let plain = try Self.plain.get()
    #expect(plain.sums.created > 5 && plain.isRight)
    for file in ["file: 'drive.json', format: 'bgsim-polyline'", "file: 'drive.ndjson'"] {
      #expect(try Runs.run(Self.setup("type: 'replay', \(file)")).hash == plain.hash)
    }
  }

  @Test(arguments: ["timing: 'modelled'", "speed: 2", "loop: 'restart'", "loop: 'ping-pong'"])
  func howItIsDrivenChangesTheRun(key: String) throws {
    let other = try Runs.run(Self.setup("type: 'replay', file: 'drive.csv', \(key)"))
    #expect(try Self.plain.get().hash != other.hash && other.isRight)
  }

  @Test func aCollectionTakesTheFilesOfItsPattern() throws {
    let collection = "type: 'collection', files: 'many/*.csv', format: 'csv'"
    guard case .ride(let routes, _) = try Self.setup(collection).fleets[0].movement else { throw Missing.routes }
    #expect(routes.routes.map { $0.path.vertices[0].latitude } == [48.2, 48.1])
    let hashes = try ["shuffle", "sequence", "random"].map {
      try Runs.run(Self.setup("\(collection), pick: '\($0)'", devices: 4)).hash
    }
    #expect(Set(hashes).count == 3)
  }

  @Test(arguments: [
    ("type: 'replay', file: 'nowhere.csv'", "cannot read the file '/s/nowhere.csv'"),
    ("type: 'replay', file: 'broken.csv'", "/s/broken.csv:2:"),
    ("type: 'replay', file: 'many/a.csv'", "has no time"),
    ("type: 'replay', file: 'drive'", "add format"),
    ("type: 'replay', file: 'drive.csv', format: 'sdk-log'", "not a log of the SDK"),
    ("type: 'collection', files: 'many/*.gpx', format: 'gpx'", "no file matches"),
  ])
  func aFileThatIsNoRouteIsAClearError(route: String, words: String) throws {
    let error = #expect(throws: UnsupportedScenarioError.self) { _ = try Self.setup(route) }
    #expect(
      error?.problems.contains { $0.path.hasPrefix("routes.r") && "\($0)".contains(words) } == true,
      "\(error?.problems ?? [])")
  }

  private enum Missing: Error { case routes }
}
