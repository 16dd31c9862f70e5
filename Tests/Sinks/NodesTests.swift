import Base
import Database
import Glibc
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// Two servers on one real PostgreSQL: what one does, the other knows.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct NodesTests {
  private let place: String

  init() throws { place = try PostgresCluster.shared.get().place() }

  /// One whose sessions at the database have this name.
  private func node(_ name: String = "") throws -> IngestServer {
    try IngestServer(.loopback(data: name.isEmpty ? place : place + "&application_name=\(name)", loops: 1))
  }

  /// Sends a request whose answer is read later.
  private func begin(_ server: IngestServer, _ head: String, _ body: String = "") throws -> LoopbackClient {
    let client = try LoopbackClient(port: server.port)
    try client.send("\(head) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return client
  }

  private func ask(_ server: IngestServer, _ head: String, _ body: String = "") throws -> String {
    let client = try begin(server, head, body)
    return try answer(client)
  }

  private func answer(_ client: LoopbackClient, until end: (String) -> Bool = NodesTests.isWhole) throws -> String {
    var text = ""
    while !end(text) {
      let some = try client.receiveSome(atMost: 65_536)
      try #require(!some.isEmpty, "the connection has ended: \(text)")
      text += String(decoding: some, as: UTF8.self)
    }
    return text
  }

  private static func isWhole(_ text: String) -> Bool {
    guard let head = text.firstRange(of: "\r\n\r\n"), let field = text.lowercased().firstRange(of: "content-length: "),
      let count = Int(text[field.upperBound...].prefix { $0.isNumber })
    else { return false }
    return text[head.upperBound...].utf8.count >= count
  }

  /// Until it holds: the test's time limit is the end of the waiting.
  private func eventually(_ condition: () throws -> Bool) throws {
    while try !condition() {
      try #require(!Task.isCancelled, "not within the time limit")
      sched_yield()
    }
  }

  @Test func aWaitAtOneEndsWithRecordsOfTheOther() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    try Uploader(port: here.port).upload(0..<5, of: 1)
    let now = try begin(here, "POST /admin/v1/await", #"{"since":"now","exactly":20,"timeout":"60s"}"#)
    try eventually { here.context.hub.isListening }
    let counted = try begin(here, "POST /admin/v1/await", #"{"device":"device-1","exactly":25,"timeout":"60s"}"#)
    let named = try begin(
      here, "POST /admin/v1/await", #"{"uuids":["\#(Uploader.uuid(1, 24))"],"timeout":"60s"}"#)
    let tooMany = try begin(here, "POST /admin/v1/await", #"{"device":"device-1","exactly":24,"timeout":"60s"}"#)
    try eventually { here.context.hub.waitsForCounts.count == 3 }
    let uploader = try Uploader(port: there.port)
    try uploader.upload(5..<15, of: 1)
    try uploader.upload(15..<25, of: 1)
    for client in [counted, now, named] {
      let text = try answer(client)
      #expect(text.hasPrefix("HTTP/1.1 200"), "\(text)")
    }
    let exceeded = try answer(tooMany)
    #expect(exceeded.hasPrefix("HTTP/1.1 409"), "\(exceeded)")
  }

  /// A commit wakes those who wait for its run, and no others.
  @Test func aWaitIsOfItsRun() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    let ofNight = try begin(here, "POST /r/night/admin/v1/await", #"{"since":"now","exactly":5,"timeout":"60s"}"#)
    try eventually { here.context.hub.isListening }
    let ofAll = try begin(here, "POST /admin/v1/await", #"{"exactly":7,"timeout":"60s"}"#)
    try eventually { here.context.hub.waitsForCounts.count == 1 }
    let uploader = try Uploader(port: there.port)
    try uploader.upload(0..<4, of: 1)
    try uploader.upload(0..<2, of: 1, run: "night")
    try uploader.upload(2..<5, of: 2, run: "night")
    #expect(try answer(ofNight).hasPrefix("HTTP/1.1 200"))
    try uploader.upload(4..<7, of: 1)
    #expect(try answer(ofAll).hasPrefix("HTTP/1.1 200"))
  }

  /// What was committed is found without a notification, which is lost with its connection.
  @Test func whatNoOneHasToldOfIsFound() throws {
    let here = try node()
    defer { here.stop() }
    try Uploader(port: here.port).upload(0..<3, of: 1)
    let administrator = try PostgresConnection(to: place)
    let wait = try begin(here, "POST /admin/v1/await", #"{"device":"device-1","atLeast":6,"timeout":"60s"}"#)
    try eventually { here.context.hub.waitsForCounts.count == 1 }
    try administrator.run(
      """
      UPDATE devices SET points = points * 2;
      INSERT INTO points(recorded_at, device, received_at, arrived_in, n, uuid, record)
      SELECT recorded_at + 1, device, received_at, arrival_now(), n, uuid, record FROM points
      """)
    #expect(try answer(wait).hasPrefix("HTTP/1.1 200"))
    let rules = #"{"faults":[{"id":"quiet","fault":{"kind":"status","status":503}}]}"#
    try administrator.run(
      "INSERT INTO documents(kind, run, bytes) VALUES ('faults', '', convert_to('\(rules)', 'UTF8'))")
    try eventually { try ask(here, "GET /admin/v1/faults").contains(#""id":"quiet""#) }
  }

  /// What others stored while a node had no connection belongs to the waits that it has.
  @Test func aNodeThatWasCutOffMissesNothing() throws {
    let (here, there) = (try node("here"), try node())
    defer { for server in [here, there] { server.stop() } }
    let uploader = try Uploader(port: there.port)
    let wait = try begin(here, "POST /admin/v1/await", #"{"since":"now","exactly":5,"timeout":"60s"}"#)
    try eventually { here.context.hub.isListening }
    try uploader.upload(0..<2, of: 1)
    let administrator = try PostgresConnection(to: place)
    _ = try administrator.perform(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'here'")
    try uploader.upload(2..<5, of: 1)
    #expect(try answer(wait).hasPrefix("HTTP/1.1 200"))
  }

  @Test func eventsAndTheListOfDevicesShowAllNodes() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    let events = try begin(here, "GET /admin/v1/events")
    try eventually { here.context.hub.isListening }
    try Uploader(port: there.port).upload(0..<3, of: 7)
    try Uploader(port: here.port).upload(0..<3, of: 8)
    let text = try answer(events) { $0.contains("device-7") && $0.contains("device-8") }
    #expect(text.split(separator: "event: records").count == 3, "each upload is told once: \(text)")
    let devices = try ask(here, "GET /admin/v1/devices")
    #expect(devices.contains("device-7") && devices.contains("device-8"))
  }

  @Test func aRuleAMapAndAResetHoldAtAllNodes() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    let rules = #"{"faults":[{"id":"a","fault":{"kind":"status","status":503},"match":{"device":"device-1"}}]}"#
    #expect(try ask(here, "PUT /admin/v1/faults", rules).hasPrefix("HTTP/1.1 200"))
    let map = #"{"type":"FeatureCollection","features":[]}"#
    #expect(try ask(here, "PUT /r/night/admin/v1/map", map).hasPrefix("HTTP/1.1 200"))
    try eventually { try ask(there, "GET /admin/v1/faults").contains(#""id":"a""#) }
    let upload = try ask(there, "POST /locations", #"{"location":{"uuid":"1"},"device_id":"device-1"}"#)
    #expect(upload.hasPrefix("HTTP/1.1 503"), "\(upload)")
    let late = try node()
    defer { late.stop() }
    try eventually { try ask(late, "GET /admin/v1/faults").contains(#""id":"a""#) }
    #expect(try ask(there, "POST /admin/v1/reset").contains(#""faults":1"#))
    for server in [here, late] { try eventually { try !ask(server, "GET /admin/v1/faults").contains(#""id":"a""#) } }
  }

  /// Whichever server took the last one, and whatever the others read meanwhile.
  @Test func theLastRulesHold() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    func put(_ id: Int, at server: IngestServer, _ run: String = "") throws {
      let rules = #"{"faults":[{"id":"rule\#(id)","fault":{"kind":"status","status":503},"match":{"device":"none"}}]}"#
      #expect(try ask(server, "PUT \(run)/admin/v1/faults", rules).hasPrefix("HTTP/1.1 200"))
    }
    func holds(_ id: Int, at server: IngestServer) throws -> Bool {
      try ask(server, "GET /admin/v1/faults").contains(#""id":"rule\#(id)""#)
    }
    for number in 0..<40 {
      // The other one's change lets this one read all documents.
      try put(number, at: there, "/r/night")
      try put(number, at: here)
      #expect(try holds(number, at: here), "at once where it was set")
    }
    for (number, server) in [(100, there), (101, here), (102, there)] {
      try put(number, at: server)
      for other in [here, there] { try eventually { try holds(number, at: other) } }
    }
    #expect(try ask(here, "POST /r/night/admin/v1/reset").contains(#""faults":1"#))
    try eventually { try !ask(there, "GET /r/night/admin/v1/faults").contains(#""id":"rule39""#) }
    for server in [here, there] { #expect(try holds(102, at: server), "another run's stay") }
  }

  @Test func tagsOfOneNodeMeetRulesOfTheOther() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    try Uploader(port: here.port).upload(0..<1, of: 1)
    #expect(try ask(here, "PUT /admin/v1/devices/device-1/tags", #"{"tags":["van"]}"#).hasPrefix("HTTP/1.1 200"))
    let rules = #"{"faults":[{"id":"a","fault":{"kind":"status","status":418},"match":{"tag":"van"}}]}"#
    #expect(try ask(there, "PUT /admin/v1/faults", rules).hasPrefix("HTTP/1.1 200"))
    let device = #"{"location":{"uuid":"00000000-0000-4000-8000-0000000000ff"},"device_id":"device-1"}"#
    try eventually { try ask(there, "POST /locations", device).hasPrefix("HTTP/1.1 418") }
  }

  /// Both are ready to send, and one does.
  @Test func oneNodeSendsOn() throws {
    let receiver = Receiver()
    let hook = try receiver.serve()
    let nodes = try (0..<2).map { _ in try sender(to: hook.url) }
    let uploaders = try nodes.map { try Uploader(port: $0.port) }
    for part in 0..<20 { try uploaders[part % 2].upload(part * 10..<part * 10 + 10, of: part % 3) }
    #expect(receiver.wait(for: 200))
    for node in nodes {
      node.child.process.signal(SIGTERM)
      #expect(node.child.finish() == 0, "\(node.child.output)")
    }
    #expect(receiver.taken.count == 200, "nothing twice")
  }

  private func sender(to hook: String) throws -> (child: SpokenChild, port: UInt16) {
    let child = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "serve", "--listen", "127.0.0.1:0", "--data", place, "--loops", "1",
      "--forward", "hook=\(hook)", "--forward-batch", "20", "--forward-from", "start",
    ])
    let port = UInt16(try child.line(beginningWith: "listening ").split(separator: ":").last ?? "")
    return (child, try #require(port))
  }

  /// The leader is killed while it sends: the other goes on, in order, and what comes twice has the same id.
  @Test func anotherNodeSendsOnWhenTheLeaderIsKilled() throws {
    let receiver = Receiver()
    // Some are taken and never answered.
    let hook = try receiver.serve { number, _ in number % 3 == 1 ? .reset([]) : nil }
    let (leader, leaderPort) = try sender(to: hook.url)
    let first = try Uploader(port: leaderPort)
    for part in 0..<10 { for device in 1...3 { try first.upload(part * 10..<part * 10 + 10, of: device) } }
    #expect(receiver.wait(for: 100), "it leads")
    let (other, otherPort) = try sender(to: hook.url)
    let second = try Uploader(port: otherPort)
    let isLed = { (asked: Uploader, leads: Bool, leader: UInt16) throws in
      let sinks = try asked.get("/admin/v1/sinks")
      return sinks.contains(#""leads":\#(leads),"leader":""#) && sinks.contains(#":\#(leader)","lag":"#)
    }
    #expect(try isLed(first, true, leaderPort) && isLed(second, false, leaderPort))
    for part in 10..<20 { for device in 1...3 { try second.upload(part * 10..<part * 10 + 10, of: device) } }
    #expect(receiver.wait(for: 320))
    leader.process.signal(SIGKILL)
    _ = leader.finish()
    for part in 20..<30 { for device in 1...3 { try second.upload(part * 10..<part * 10 + 10, of: device) } }
    #expect(receiver.wait(for: 900))
    #expect(try isLed(second, true, otherPort))
    other.process.signal(SIGTERM)
    #expect(other.finish() == 0, "\(other.output)")
    for device in 1...3 { #expect(receiver.numbers(of: "device-\(device)") == Array(0..<300)) }
    let byID = Dictionary(grouping: receiver.taken, by: \.id)
    #expect(byID.count == 900 && byID.values.allSatisfy { Set($0.map(\.number)).count == 1 })
  }
}
