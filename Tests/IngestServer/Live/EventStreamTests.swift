import HTTP1
import JSON
import Network
import Testing

@testable import IngestServer

/// The live stream: what it tells, to whom, and what becomes of a client that does not read.
@Suite struct EventStreamTests {
  private func listen(
    _ server: VirtualServer, _ target: String = "/admin/v1/events", _ fields: [(String, String)] = [],
    reads: Bool = true
  ) -> VirtualClient {
    let client = server.connect(reads: reads)
    client.send(SessionHarness.bytes("GET", target, fields))
    return client
  }

  private func names(_ client: VirtualClient) -> [String] {
    client.text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) }
  }

  private func lastID(_ client: VirtualClient) -> String? {
    client.text.split(whereSeparator: \.isNewline).last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
  }

  @Test func storedRecordsAreTold() throws {
    let server = try VirtualServer()
    let listener = listen(server)
    #expect(listener.text.contains("Content-Type: text/event-stream"))
    server.connect().post("/r/x/locations/a", Uploads.batch(0..<2))
    #expect(names(listener) == ["records"])
    #expect(listener.text.contains(#""run":"x","device":"a","accepted":2"#))
    #expect(listener.text.contains(Uploads.uuid(1)))
  }

  @Test func tokensAndFaultsAreTold() throws {
    let server = try VirtualServer()
    let listener = listen(server)
    let client = server.connect()
    _ = try client.request(
      "PUT", "/admin/v1/faults",
      body: #"{"faults":[{"id":"f","fault":{"kind":"status"},"match":{"operation":"uploadLocations"}}]}"#)
    _ = try client.request("POST", "/locations", body: Uploads.record(1))
    _ = try client.request(
      "POST", "/api/register",
      body: #"{"org":"o","uuid":"d","model":"m","manufacturer":"f","version":"1","platform":"p","framework":"n"}"#)
    #expect(names(listener) == ["fault", "token"])
  }

  @Test func runAndDeviceChoose() throws {
    let server = try VirtualServer()
    let run = listen(server, "/r/x/admin/v1/events")
    let device = listen(server, "/admin/v1/events?device=b")
    for target in ["/locations/a", "/locations/b", "/r/x/locations/a"] {
      server.connect().post(target, Uploads.record(1))
    }
    #expect(names(run) == ["records"] && run.text.contains(#""run":"x""#))
    #expect(names(device) == ["records"] && device.text.contains(#""device":"b""#))
  }

  @Test func aSlowReaderIsBoundedAndTold() throws {
    let server = try VirtualServer()
    let slow = listen(server, reads: false)
    let uploader = server.connect()
    for number in 0..<1_000 { uploader.post("/locations/a", Uploads.batch(number * 20..<number * 20 + 20)) }
    #expect(slow.unsentMax < 65_536)
    slow.reads = true
    server.settle()
    let told = names(slow)
    #expect(told.count { $0 == "resync" } == 1)
    let missed = slow.text.split(separator: #"{"missed":"#).last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    #expect(missed + told.count { $0 == "records" } == 1_000)
  }

  @Test func aListenerThatComesBackMissesNothing() throws {
    let server = try VirtualServer()
    let first = listen(server)
    server.connect().post("/locations/a", Uploads.record(1))
    let seen = try #require(lastID(first))
    first.vanish()
    for number in 2..<5 { server.connect().post("/locations/a", Uploads.record(number)) }
    #expect(names(listen(server, "/admin/v1/events", [("Last-Event-ID", seen)])) == ["records", "records", "records"])
  }

  @Test(arguments: ["3.1", "7.99", "nonsense"])
  func anUnknownLastEventMeansAResync(seen: String) throws {
    let server = try VirtualServer()
    _ = listen(server)
    server.connect().post("/locations/a", Uploads.record(1))
    #expect(names(listen(server, "/admin/v1/events", [("Last-Event-ID", seen)])).first == "resync")
  }

  @Test func eventsLostFromTheRingAreCounted() throws {
    let server = try VirtualServer()
    let first = listen(server)
    let uploader = server.connect()
    for number in 0..<3_000 { uploader.post("/locations/a", Uploads.record(number)) }
    first.vanish()
    let second = listen(server, "/admin/v1/events", [("Last-Event-ID", "7.1")])
    let told = names(second)
    let missed = second.text.split(separator: #"{"missed":"#).last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    #expect(told.first == "resync")
    #expect(missed + told.count - 1 == 2_999)
  }

  @Test func aSilentStreamHasAHeartbeat() throws {
    let server = try VirtualServer()
    let listener = listen(server)
    let before = listener.received.count
    server.advance(milliseconds: 14_999)
    #expect(listener.received.count == before)
    server.advance(milliseconds: 1)
    #expect(listener.text.hasSuffix("3\r\n:\n\n\r\n"))
  }

  @Test func aDrainEndsTheStream() throws {
    let server = try VirtualServer()
    let listener = listen(server)
    listener.drain()
    #expect(listener.text.hasSuffix("0\r\n\r\n"))
    #expect(listener.ending == .afterOutput)
  }
}
