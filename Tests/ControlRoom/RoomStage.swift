import Base
import ControlRoom
import FleetSimulator
import JSON
import Reports
import Scenario
import Store
import Support
import Synchronization
import Testing
import Threads

/// A control room over a run in virtual time that stands still from its first instant on, until something else is asked
/// of it.
final class RoomStage {
  let steering: RunSteering
  let room: ControlRoom
  let port: UInt16
  private let thread: NamedThread?
  /// What the run came to; nil before its end.
  private let result = ResultBox()

  static let text = """
    { version: 1, name: "small", seed: 1, clock: { duration: "10m", settle: "5m" },
      fleets: { cars: { devices: 4, motion: "driving", network: "lte" } } }
    """

  /// `mode` other than virtual: the run is not begun. `isHeld` is false for one that goes its way.
  init(_ text: String = RoomStage.text, token: String? = nil, mode: String? = nil, isHeld: Bool = true) throws {
    var overrides: [Override] = []
    if let mode {
      overrides.append(Override(origin: "", path: "clock.mode", value: mode))
      overrides.append(Override(origin: "", path: "target.url", value: "http://127.0.0.1:9/locations"))
    }
    let read = try ScenarioReader(overrides: overrides).read(text)
    let scenario = read.scenario
    var setup = try RunSetup(scenario)
    let steering = RunSteering(scenario, &setup, document: read.document, places: 10)
    if isHeld, mode == nil { _ = try steering.submit(.pause) }
    let origin = RoomOrigin(
      product: "test", command: "rollingroad simulate small", host: "here", begun: WallInstant(millisecondsSince1970: 0)
    )
    let watched = WatchedRun(steering, scenario: scenario.name, setup, origin: origin, stays: false) {
      PageReport($0, map: nil).text
    }
    let room = try ControlRoom(watched, listen: "127.0.0.1:0", token: token)
    (self.steering, self.room) = (steering, room)
    port = room.url.split(separator: ":").last.flatMap { UInt16($0.dropLast()) } ?? 0
    let prepared = setup
    thread =
      mode != nil ? nil : .started("run") { [result] in RoomStage.run(scenario, prepared, steering, room, result) }
  }

  private static func run(
    _ scenario: Scenario, _ setup: RunSetup, _ steering: RunSteering, _ room: ControlRoom, _ result: ResultBox
  ) {
    do {
      let measures = try Measures(scenario, setup)
      let run = try FleetRun(
        setup, to: .inside(SQLiteStore(.scratch)), watchers: [measures, ErrorWatch(setup)], steering: steering)
      func summary(_ report: RunReport) -> RunSummary { measures.summary(of: report, hash: "", product: "test") }
      let report = try run.run(progress: { _, _ in room.serve { summary(run.interim) } })
      let whole = summary(report)
      result.summary.withLock { $0 = whole }
      result.isThere.signal()
      room.end(whole)
    } catch {
      preconditionFailure("the run of a test goes through: \(error)")
    }
  }

  func stop() {
    do { _ = try steering.submit(.abort) } catch {}
    thread?.join()
    room.stop()
  }

  /// Waits until the run is over.
  func finish() throws -> RunSummary {
    #expect(result.isThere.wait(milliseconds: 60_000))
    return try #require(result.summary.withLock { $0 })
  }

  /// Until the run stands still and has been seen.
  func waitForView() throws { try RoomListener(self).read(until: "event: state\n") }

  func send(_ request: String) throws -> ContractAnswer {
    try ContractAnswer(to: Array(request.utf8), port: port)
  }

  func get(_ path: String, _ fields: [String] = []) throws -> ContractAnswer {
    let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + fields
    return try send(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }

  func post(_ body: String, _ fields: [String] = ["Content-Type: application/json"]) throws -> ContractAnswer {
    let lines =
      ["POST /run/v1/acts HTTP/1.1", "Host: 127.0.0.1", "Connection: close", "Content-Length: \(body.utf8.count)"]
      + fields
    return try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }
}

/// Where the thread of a run leaves what it came to.
private final class ResultBox: Sendable {
  let summary = Mutex<RunSummary?>(nil)
  let isThere = Semaphore()
}

/// Hears what the stream of a room tells.
final class RoomListener {
  /// A mark that has not come in time.
  struct Silence: Error, CustomStringConvertible {
    let mark: String
    let text: String

    var description: String { "the stream has not said \(mark), but: \(text.suffix(2_000))" }
  }

  private let client: LoopbackClient
  /// All that has been told, as it came over the socket.
  private(set) var text = ""

  init(_ stage: RoomStage) throws {
    client = try LoopbackClient(port: stage.port)
    try client.send("GET /run/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
  }

  /// Until it has told the mark. Something is told once a second even when nothing changes, so that a mark which does not
  /// come is missed in time.
  func read(until mark: String) throws {
    let clock = SystemClock()
    let end = clock.monotonicNow + .seconds(30)
    while !text.contains(mark) {
      let piece = try client.receiveSome(atMost: 65_536)
      guard !piece.isEmpty, clock.monotonicNow < end else { throw Silence(mark: mark, text: text) }
      text += String(decoding: piece, as: UTF8.self)
    }
  }
}
