import HTTP1
import JSON
import Support
import Testing

@testable import IngestServer

/// Faults, awaiting, events and the journal of a whole server over sockets.
@Suite struct LiveServerTests {
  /// One request on a connection of its own, read to its end.
  private func request(
    _ server: IngestServer, _ method: String, _ target: String, body: String? = nil
  ) throws -> (answer: TestAnswer?, ending: LoopbackClient.Ending) {
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes(method, target, [("Connection", "close")], body: body))
    let (text, ending) = try client.receiveToEnd()
    var bytes = Array(text.utf8)
    return (try TestAnswer.take(from: &bytes, to: .post), ending)
  }

  private func setFault(_ server: IngestServer, _ fault: String) throws {
    let body = #"{"faults":[{"id":"f","fault":\#(fault)}]}"#
    #expect(try request(server, "PUT", "/admin/v1/faults", body: body).answer?.status == 200)
  }

  @Test func aCutAnswerEndsWithAReset() throws {
    try withServer { server in
      try setFault(server, #"{"kind":"cut","bytes":12}"#)
      let client = try LoopbackClient(port: server.port)
      try client.send(SessionHarness.bytes("POST", "/locations", body: Uploads.record(1)))
      let (text, ending) = try client.receiveToEnd()
      #expect(text == "HTTP/1.1 200" && ending == .reset)
      let stored = try request(server, "POST", "/admin/v1/await", body: #"{"count":1}"#)
      #expect(stored.answer?.status == 200)
    }
  }

  @Test func aDroppedConnectionHasNoAnswer() throws {
    try withServer { server in
      try setFault(server, #"{"kind":"drop"}"#)
      let client = try LoopbackClient(port: server.port)
      try client.send(SessionHarness.bytes("POST", "/locations", body: Uploads.record(1)))
      #expect(try client.receiveToEnd().text == "")
    }
  }

  @Test func anUploadOnAnotherConnectionEndsTheWait() throws {
    try withServer { server in
      let waiting = try LoopbackClient(port: server.port)
      try waiting.send(
        SessionHarness.bytes("POST", "/admin/v1/await", [("Connection", "close")], body: #"{"device":"a","count":2}"#))
      #expect(try request(server, "POST", "/locations/a", body: Uploads.batch(0..<2)).answer?.status == 200)
      #expect(try waiting.receiveToEnd().text.hasPrefix("HTTP/1.1 200"))
    }
  }

  /// Of the connections only those of devices are told.
  @Test func whoLooksOnIsNotCounted() throws {
    try withServer { server in
      let device = try LoopbackClient(port: server.port)
      try device.send(SessionHarness.bytes("POST", "/locations/a", body: Uploads.record(1)))
      _ = try device.receive(16)
      let viewer = try LoopbackClient(port: server.port)
      try viewer.send(SessionHarness.bytes("GET", "/admin/v1/live"))
      var heard = ""
      while !heard.contains("waitingJobs") { heard += try viewer.receiveText(1) }
      #expect(heard.contains(#""connections":1,"#))
    }
  }

  @Test func aListenerHearsOfAnUpload() throws {
    try withServer { server in
      let listener = try LoopbackClient(port: server.port)
      try listener.send(SessionHarness.bytes("GET", "/admin/v1/events"))
      _ = try listener.receive(16)
      #expect(try request(server, "POST", "/locations/a", body: Uploads.record(1)).answer?.status == 200)
      var heard = ""
      while !heard.hasSuffix("\n\n\r\n") || !heard.contains("event: records") { heard += try listener.receiveText(1) }
      #expect(heard.contains(Uploads.uuid(1)))
    }
  }

  @Test func theJournalHasTheRequestItsAnswerAndItsFault() throws {
    try withServer { server in
      try setFault(server, #"{"kind":"status","status":500}"#)
      _ = try request(server, "POST", "/r/x/locations/a?b=c", body: Uploads.record(1))
      _ = try request(server, "POST", "/locations/a?b=c", body: Uploads.record(2))
      let list = try request(server, "GET", "/admin/v1/requests?status=500").answer?.json()
      guard case .array(let requests)? = list?["requests"] else {
        Issue.record("no list")
        return
      }
      #expect(requests.count == 1)
      #expect(requests[0]["path"] == .string("/locations/a?b=c"))
      #expect(requests[0]["device"] == .string("a"))
      #expect(requests[0]["fault"] == .string("status"))
      #expect(requests[0]["body"] == .string(Uploads.record(2)))
    }
  }
}
