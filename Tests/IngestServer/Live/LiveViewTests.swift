import HTTP1
import JSON
import Network
import Store
import Support
import Testing

@testable import IngestServer

/// The view of all devices: what it tells, how seldom, and what becomes of a viewer that does not read.
@Suite struct LiveViewTests {
  private func look(
    _ server: VirtualServer, _ target: String = "/admin/v1/live", reads: Bool = true
  ) -> VirtualClient {
    let client = server.connect(reads: reads)
    client.send(SessionHarness.bytes("GET", target))
    return client
  }

  /// The content of the events with this name, the oldest first.
  private func events(_ name: String, _ client: VirtualClient) throws -> [JSONValue] {
    let mark = "event: \(name)\ndata: "
    return try client.text.replacing("\r\n", with: "\n").split(separator: mark).dropFirst().map { rest in
      try JSONValue(parsing: Array(rest.utf8.prefix { $0 != UInt8(ascii: "\n") }).span)
    }
  }

  private func devices(_ client: VirtualClient) throws -> [JSONValue] {
    try events("devices", client).flatMap { $0["devices"]?.elements ?? [] }
  }

  @Test func aViewBeginsWithWhatOneHasToKnow() throws {
    let server = try VirtualServer { $0.authentication = .required }
    let viewer = look(server)
    let hello = try #require(try events("hello", viewer).first)
    #expect(hello["auth"] == .string("required") && hello["journal"] == .bool(false))
    #expect(hello["bounds"]?.elements.count == 120)
    #expect(try events("figures", viewer).count == 1)
  }

  @Test func aDeviceThatChangesOftenIsToldOnce() throws {
    let server = try VirtualServer()
    let viewer = look(server)
    let uploader = server.connect()
    for number in 0..<5 { uploader.post("/r/x/locations/a", Uploads.record(number)) }
    #expect(try devices(viewer).isEmpty, "nothing is told between two glances")
    server.advance(milliseconds: 250)
    let told = try devices(viewer)
    #expect(told.count == 1)
    #expect(told.first?["device"] == .string("a") && told.first?["run"] == .string("x"))
    #expect(told.first?["status"] == .integer(200))
    #expect(told.first?["places"]?.elements.count == 5)
    server.advance(milliseconds: 10_000)
    #expect(try devices(viewer).count == 1, "what has not changed is not told again")
    uploader.post("/r/x/locations/a", Uploads.record(5))
    server.advance(milliseconds: 250)
    #expect(try devices(viewer).last?["places"]?.elements.count == 1, "only what is new")
  }

  @Test func aRefusedDeviceIsSeen() throws {
    let server = try VirtualServer { $0.authentication = .required }
    let viewer = look(server)
    server.connect().post("/locations/a", Uploads.record(1))
    server.advance(milliseconds: 250)
    let device = try #require(try devices(viewer).first)
    #expect(device["device"] == .string("a") && device["status"] == .integer(401))
    #expect(device["latitude"] == nil)
  }

  @Test func aFaultIsNamed() throws {
    let server = try VirtualServer()
    let viewer = look(server)
    let client = server.connect()
    _ = try client.request(
      "PUT", "/admin/v1/faults", body: #"{"faults":[{"id":"f","fault":{"kind":"status","status":503}}]}"#)
    client.post("/locations/a", Uploads.record(1))
    server.advance(milliseconds: 250)
    let device = try #require(try devices(viewer).first)
    #expect(device["status"] == .integer(503) && device["fault"] == .string("status"))
  }

  /// One line tells of all that happened between two glances.
  @Test func eachFailureIsCounted() throws {
    let server = try VirtualServer()
    let client = server.connect()
    let body = #"{"faults":[{"id":"f","fault":{"kind":"status","status":503},"match":{"count":4}}]}"#
    #expect(try client.request("PUT", "/admin/v1/faults", body: body).status == 200)
    client.post("/locations/a", Uploads.record(0))
    let viewer = look(server)
    for number in 1...3 { client.post("/locations/a", Uploads.record(number)) }
    server.advance(milliseconds: 250)
    let failing = try #require(try devices(viewer).last)
    #expect(failing["failed"] == .integer(3), "of those since the view began")
    #expect(failing["failures"] == .integer(4), "in a row")
    client.post("/locations/a", Uploads.record(4))
    server.advance(milliseconds: 250)
    let well = try #require(try devices(viewer).last)
    #expect(well["status"] == .integer(200) && well["failed"] == nil && well["failures"] == nil)
  }

  @Test func aViewOfARunShowsThatRun() throws {
    let server = try VirtualServer()
    let within = look(server, "/r/x/admin/v1/live")
    let asked = look(server, "/admin/v1/live?run=")
    server.connect().post("/r/x/locations/a", Uploads.record(1))
    server.connect().post("/locations/b", Uploads.record(1))
    server.advance(milliseconds: 250)
    #expect(try devices(within).map { $0["device"] } == [.string("a")])
    #expect(try devices(asked).map { $0["device"] } == [.string("b")])
  }

  @Test func figuresCountWhatDevicesDid() throws {
    let server = try VirtualServer()
    let viewer = look(server)
    let client = server.connect()
    client.post("/locations/a", Uploads.batch(0..<3))
    client.post("/locations/a", Uploads.batch(0..<3))
    _ = try client.request("GET", "/admin/v1/stats")
    server.advance(milliseconds: 1_000)
    let figures = try #require(try events("figures", viewer).last)
    #expect(figures["requests"]?["2xx"] == .integer(2), "what administrators ask is not counted")
    #expect(figures["accepted"] == .integer(3) && figures["duplicate"] == .integer(3))
    #expect(figures["answered"] == .integer(2))
    #expect(figures["latencies"]?.elements.last == .integer(2))
  }

  private func names(_ name: String, _ client: VirtualClient) throws -> [String] {
    try events(name, client).flatMap { $0["devices"]?.elements ?? [] }
      .map { "\($0["run"]?.string ?? "?")/\($0["device"]?.string ?? "?")" }
  }

  @Test func aDeletedDeviceIsToldAndIsNewWhenItComesBack() throws {
    let server = try VirtualServer()
    let (viewer, other) = (look(server), look(server, "/r/y/admin/v1/live"))
    let (client, admin) = (server.connect(), server.connect())
    client.post("/r/x/locations/a", Uploads.record(1))
    client.post("/r/x/locations/b", Uploads.record(1))
    server.advance(milliseconds: 250)
    #expect(try admin.request("DELETE", "/admin/v1/devices/a?run=x").status == 200)
    client.post("/r/x/locations/b", Uploads.record(2))
    #expect(try admin.request("DELETE", "/admin/v1/devices/nobody").status == 404)
    #expect(try admin.request("DELETE", "/admin/v1/devices/b?run=x").status == 200)
    server.advance(milliseconds: 250)
    #expect(try names("deleted", viewer) == ["x/a", "x/b"])
    #expect(try names("devices", viewer) == ["x/a", "x/b"], "what was deleted since the last glance is not told")
    #expect(try names("deleted", other) == [], "a view of a run hears of that run")
    client.post("/r/x/locations/a", Uploads.record(3))
    server.advance(milliseconds: 1_000)
    #expect(try names("devices", viewer) == ["x/a", "x/b", "x/a"])
    #expect(try devices(viewer).last?["places"]?.elements.count == 1)
    #expect(try names("deleted", viewer).count == 2, "and told once")
  }

  @Test func aResetIsTold() throws {
    let server = try VirtualServer()
    let (viewer, within, other) = (look(server), look(server, "/r/x/admin/v1/live"), look(server, "/r/y/admin/v1/live"))
    let (client, admin) = (server.connect(), server.connect())
    client.post("/r/x/locations/a", Uploads.record(1))
    client.post("/r/y/locations/a", Uploads.record(1))
    #expect(try admin.request("POST", "/r/x/admin/v1/reset").status == 200)
    client.post("/r/x/locations/c", Uploads.record(1))
    server.advance(milliseconds: 250)
    #expect(try events("reset", viewer).map { $0["run"] } == [.string("x")])
    #expect(try names("devices", viewer).sorted() == ["x/c", "y/a"], "whoever came before the reset is not told")
    #expect(try events("reset", within).count == 1 && events("reset", other).isEmpty)
    #expect(
      viewer.text.split(separator: "event: devices").first?.contains("event: reset") == true, "and the reset before")
    #expect(try admin.request("POST", "/admin/v1/reset").status == 200)
    server.advance(milliseconds: 250)
    #expect(try events("reset", viewer).last?["run"] == .null)
    #expect(try events("reset", other).map { $0["run"] } == [.null], "everything is every run")
  }

  @Test func anAnswerToARequestFromBeforeTheDeletionIsNoDevice() throws {
    let board = LiveBoard()
    let cursor = board.enter() ?? 0
    board.committed([.delete(.init(name: "a")), .reset(run: "x")], [.changed(1), .changed(0)], at: 1_000)
    board.answered(.init(name: "a"), status: 200, nil, at: 999)
    board.answered(.init(run: "x", name: "b"), status: 200, nil, at: 999)
    #expect(board.fetch(after: cursor, run: nil, limit: 10).lines.isEmpty)
    board.answered(.init(name: "a"), status: 410, nil, at: 1_000)
    #expect(board.fetch(after: cursor, run: nil, limit: 10).lines.map(\.status) == [410])
  }

  @Test func removalsBeyondTheMemoryAreAGapForSlowViewers() throws {
    let board = LiveBoard()
    let late = board.enter() ?? 0
    var cursor = late
    func delete(_ count: Int) {
      for number in 0..<count {
        board.committed([.delete(.init(name: "device-\(number)"))], [.changed(1)], at: 0)
      }
    }
    delete(LiveBoard.removalsMax)
    var told = 0
    while true {
      let changes = board.fetch(after: cursor, run: nil, limit: 100)
      #expect(changes.removals.count <= 100)
      told += changes.removals.count
      cursor = changes.cursor
      if !changes.hasMore { break }
    }
    #expect(told == LiveBoard.removalsMax)
    delete(1)
    #expect(board.fetch(after: late, run: nil, limit: 10).hasGap)
    let changes = board.fetch(after: cursor, run: nil, limit: 10)
    #expect(!changes.hasGap && changes.removals.count == 1)
  }

  @Test func theArrivalOfTheNewestRecordIsToldApartFromTheLastRequest() throws {
    let server = try VirtualServer()
    let viewer = look(server)
    let client = server.connect()
    client.post("/locations/a", Uploads.record(2))
    server.advance(milliseconds: 250)
    let first = try #require(try devices(viewer).last)
    #expect(first["arrivedAt"] == first["seenAt"])
    server.advance(milliseconds: 90_000)
    for number in [1, 2] { client.post("/locations/a", Uploads.record(number)) }
    server.advance(milliseconds: 250)
    let second = try #require(try devices(viewer).last)
    #expect(second["seenAt"] != first["seenAt"])
    #expect(second["arrivedAt"] == first["arrivedAt"], "neither an older record nor the same one is the newest")
  }

  @Test func aSlowViewerIsBoundedAndThenSeesTheLastOfEach() throws {
    let server = try VirtualServer()
    let slow = look(server, reads: false)
    let uploader = server.connect()
    for round in 0..<4 {
      for device in 0..<400 { uploader.post("/locations/device-\(device)", Uploads.record(round)) }
      server.advance(milliseconds: 1_000)
    }
    #expect(slow.unsentMax < 3 * 65_536)
    slow.reads = true
    server.advance(milliseconds: 2_000)
    var last: [String: JSONValue] = [:]
    for device in try devices(slow) { last[device["device"]?.string ?? ""] = device["recordedAt"] }
    #expect(last.count == 400)
    #expect(Set(last.values.map(\.text)).count == 1, "every device at its last record")
  }

  @Test func tooManyDevicesAreAGap() {
    let board = LiveBoard()
    let cursor = board.enter() ?? 0
    for number in 0...LiveBoard.devicesMax {
      board.answered(.init(name: "device-\(number)"), status: 200, nil, at: 0)
    }
    let changes = board.fetch(after: cursor, run: nil, limit: 10)
    #expect(changes.hasGap && changes.lines.count == 1)
    #expect(!board.fetch(after: changes.cursor, run: nil, limit: 10).hasGap)
  }

  @Test func theBoardIsEmptyWithoutViewers() throws {
    let server = try VirtualServer()
    let viewer = look(server)
    server.connect().post("/locations/a", Uploads.record(1))
    viewer.vanish()
    #expect(!server.hub.board.hasViewers)
    #expect(server.hub.board.fetch(after: 0, run: nil, limit: 10).lines.isEmpty)
  }

  @Test func aDrainEndsTheView() throws {
    let server = try VirtualServer()
    let viewer = look(server)
    viewer.drain()
    #expect(viewer.text.hasSuffix("0\r\n\r\n"))
    #expect(viewer.ending == .afterOutput)
    #expect(!server.hub.board.hasViewers)
  }
}
