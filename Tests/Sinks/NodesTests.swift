import Base
import Glibc
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// Two servers on one real PostgreSQL: what one does, the other knows.
@Suite(
  .timeLimit(.minutes(2)),
  .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct NodesTests {
  private let place: String

  init() throws { place = try PostgresCluster.shared.get().place() }

  private func node() throws -> IngestServer { try IngestServer(.loopback(data: place, loops: 1)) }

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
  private func eventually(_ condition: () throws -> Bool) rethrows { while try !condition() { sched_yield() } }

  @Test func aWaitAtOneEndsWithRecordsOfTheOther() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    try Uploader(port: here.port).upload(0..<5, of: 1)
    let now = try begin(here, "POST /admin/v1/await", #"{"since":"now","exactly":20,"timeout":"60s"}"#)
    eventually { here.context.hub.isListening }
    let counted = try begin(here, "POST /admin/v1/await", #"{"device":"device-1","exactly":25,"timeout":"60s"}"#)
    let named = try begin(
      here, "POST /admin/v1/await", #"{"uuids":["\#(Uploader.uuid(1, 24))"],"timeout":"60s"}"#)
    let tooMany = try begin(here, "POST /admin/v1/await", #"{"device":"device-1","exactly":24,"timeout":"60s"}"#)
    eventually { here.context.hub.waitsForCounts.count == 3 }
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

  @Test func eventsAndTheListOfDevicesShowAllNodes() throws {
    let (here, there) = (try node(), try node())
    defer { for server in [here, there] { server.stop() } }
    let events = try begin(here, "GET /admin/v1/events")
    eventually { here.context.hub.isListening }
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

  /// The leader is killed while it sends: the other goes on, in order, and what comes twice has the same id.
  @Test func anotherNodeSendsOnWhenTheLeaderIsKilled() throws {
    let receiver = Receiver()
    // Some are taken and never answered.
    let hook = try receiver.serve { number, _ in number % 3 == 1 ? .reset([]) : nil }
    let start = {
      try SpokenChild([
        BuiltProgram.path(of: "rollingroad"), "serve", "--listen", "127.0.0.1:0", "--data", place, "--loops", "1",
        "--forward", "hook=\(hook.url)", "--forward-batch", "20", "--forward-from", "start",
      ])
    }
    let port = { (node: SpokenChild) throws in
      try #require(UInt16(try node.line(beginningWith: "listening ").split(separator: ":").last ?? ""))
    }
    let leader = try start()
    var ports = [try port(leader)]
    let first = try Uploader(port: ports[0])
    for part in 0..<10 { for device in 1...3 { try first.upload(part * 10..<part * 10 + 10, of: device) } }
    #expect(receiver.wait(for: 100), "it leads")
    let other = try start()
    ports.append(try port(other))
    let second = try Uploader(port: ports[1])
    let isLed = { (asked: Uploader, leads: Bool, leader: UInt16) throws in
      let sinks = try asked.get("/admin/v1/sinks")
      return sinks.contains(#""leads":\#(leads),"leader":""#) && sinks.contains(#":\#(leader)","lag":"#)
    }
    #expect(try isLed(first, true, ports[0]) && isLed(second, false, ports[0]))
    for part in 10..<20 { for device in 1...3 { try second.upload(part * 10..<part * 10 + 10, of: device) } }
    #expect(receiver.wait(for: 320))
    leader.process.signal(SIGKILL)
    _ = leader.finish()
    for part in 20..<30 { for device in 1...3 { try second.upload(part * 10..<part * 10 + 10, of: device) } }
    #expect(receiver.wait(for: 900))
    #expect(try isLed(second, true, ports[1]))
    other.process.signal(SIGTERM)
    #expect(other.finish() == 0, "\(other.output)")
    for device in 1...3 { #expect(receiver.numbers(of: "device-\(device)") == Array(0..<300)) }
    let byID = Dictionary(grouping: receiver.taken, by: \.id)
    #expect(byID.count == 900 && byID.values.allSatisfy { Set($0.map(\.number)).count == 1 })
  }
}
