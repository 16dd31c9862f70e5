import Base
import HTTP1
import JSON
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// What the journal is asked for, of a whole server.
@Suite struct JournalQueryTests {
  private func request(
    _ server: IngestServer, _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String? = nil
  ) throws -> TestAnswer {
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes(method, target, fields + [("Connection", "close")], body: body))
    var bytes = Array(try client.receiveToEnd().text.utf8)
    guard let answer = try TestAnswer.take(from: &bytes, to: .post) else { throw NoAnswer(request: target) }
    return answer
  }

  private func requests(_ server: IngestServer, _ query: String) throws -> [JSONValue] {
    let answer = try request(server, "GET", "/admin/v1/requests?\(query)")
    guard case .array(let list)? = try answer.json()["requests"] else { throw NoAnswer(request: answer.text) }
    return list
  }

  /// One upload that is good, one that a fault spoils, one registration, one without a route.
  private func fill(_ server: IngestServer) throws {
    #expect(try request(server, "POST", "/locations", [("X-Device-Id", "a")], body: Uploads.record(1)).status == 200)
    let rule = #"{"faults":[{"id":"f","fault":{"kind":"status","status":503},"match":{"device":"b"}}]}"#
    #expect(try request(server, "PUT", "/admin/v1/faults", body: rule).status == 200)
    #expect(try request(server, "PUT", "/locations", [("X-Device-Id", "b")], body: Uploads.record(1)).status == 503)
    #expect(try request(server, "POST", "/api/register", body: #"{"org":"o","uuid":"c"}"#).status != 404)
    #expect(try request(server, "POST", "/nowhere", body: "{}").status == 404)
  }

  @Test func everyConditionSelects() throws {
    try withServer { server in
      try fill(server)
      for (query, paths) in [
        ("", ["/locations", "/locations", "/api/register", "/nowhere"]),
        ("operation=uploadLocations", ["/locations", "/locations"]), ("operation=registerDevice", ["/api/register"]),
        ("method=PUT", ["/locations"]), ("status=503", ["/locations"]), ("status=4xx&path=/no", ["/nowhere"]),
        ("status=2xx&path=/loc", ["/locations"]), ("fault=true", ["/locations"]), ("fault=status", ["/locations"]),
        ("fault=drop", []), ("fault=false&path=/loc", ["/locations"]), ("device=b", ["/locations"]),
        ("from=2000-01-01T00:00:00Z&path=/n", ["/nowhere"]), ("to=2000-01-01T00:00:00Z", []), ("run=x", []),
        ("text=NOWHERE", ["/nowhere"]), ("text=x-device-id:%20B", ["/locations"]), ("text=injected", ["/locations"]),
        ("text=%22latitude%22&device=a", ["/locations"]), ("text=nothing-has-it", []),
      ] {
        #expect(try requests(server, query).map { $0["path"] } == paths.map { .string($0) }, "\(query)")
      }
    }
  }

  /// Where nothing is served only the body can tell whose request it was; what else is in it may be secret.
  @Test func aDeviceAtAWrongPathIsFound() throws {
    try withServer { server in
      let body = #"{"location":\#(Uploads.record(1)),"device":{"uuid":"van-3"}}"#
      for (path, body) in [("/r/x/nowhere", body), ("/nowhere", "no JSON")] {
        #expect(try request(server, "POST", path, body: body).status == 404)
      }
      let found = try requests(server, "device=van-3&run=x")
      #expect(found.map { $0["path"] } == [.string("/r/x/nowhere")])
      #expect(try requests(server, "text=latitude") == [])
    }
  }

  /// Token, header, body, path: so it is where the upload is refused before its body is looked at, too.
  @Test func theBodyNamesTheDeviceBeforeThePath() throws {
    var configuration = ServerConfiguration.loopback(loops: 1)
    configuration.authentication = .required
    let server = try IngestServer(configuration)
    defer { server.stop() }
    let body = #"{"location":\#(Uploads.record(1)),"device_id":"phone-1"}"#
    for (fields, body) in [([], body), ([("X-Device-Id", "phone-2")], body), ([], Uploads.record(1))] {
      #expect(try request(server, "POST", "/locations/acme", fields, body: body).status == 401)
    }
    #expect(try requests(server, "").map { $0["device"] } == ["phone-1", "phone-2", "acme"].map { .string($0) })
  }

  @Test func theNewestComeFirstWhenAsked() throws {
    try withServer { server in
      try fill(server)
      func sequences(_ query: String) throws -> [JSONValue?] { try requests(server, query).map { $0["sequence"] } }
      #expect(try sequences("order=newest") == [4, 3, 2, 1].map { .integer($0) })
      #expect(try sequences("order=newest&limit=2") == [4, 3].map { .integer($0) })
      #expect(try sequences("order=newest&limit=2&cursor=3") == [2, 1].map { .integer($0) })
      #expect(try sequences("order=newest&device=a") == [.integer(1)])
      #expect(try sequences("order=newest&cursor=1") == [])
    }
  }

  @Test func anEntryHasItsOperationAndItsSizes() throws {
    try withServer { server in
      try fill(server)
      let body = Uploads.record(1)
      let first = try requests(server, "device=a")[0]
      #expect(first["operation"] == .string("uploadLocations"))
      #expect(first["requestBytes"] == .integer(Int64(body.utf8.count)))
      guard case .string(let answer)? = first["answer"] else { throw NoAnswer(request: "answer") }
      #expect(first["answerBytes"] == .integer(Int64(answer.utf8.count)))
      let register = try requests(server, "operation=registerDevice")[0]
      #expect(register["requestBytes"] == .integer(22) && register["answerBytes"] == .null)
      #expect(try requests(server, "path=/nowhere")[0]["operation"] == .null)
      let long = "[" + String(repeating: " ", count: 40_000) + "]"
      #expect(try request(server, "POST", "/locations", [("X-Device-Id", "long")], body: long).status == 200)
      #expect(try requests(server, "device=long")[0]["requestBytes"] == .integer(40_002))
    }
  }

  /// A request stands in the journal when it was answered.
  @Test func aSessionCountsFromItsFirstRequestAndHasWholeOnes() throws {
    try withServer { server in
      let slow = try LoopbackClient(port: server.port)
      let body = Uploads.record(1)
      let head = "POST /locations?slow HTTP/1.1\r\nHost: a\r\nX-Device-Id: a\r\nConnection: close\r\n"
      try slow.send("\(head)Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
      let interim = "HTTP/1.1 100 Continue\r\n\r\n"
      #expect(try slow.receiveText(interim.utf8.count) == interim)
      let clock = SystemClock()
      let begun = clock.wallNow.millisecondsSince1970
      while clock.wallNow.millisecondsSince1970 < begun + 2 {}
      #expect(try request(server, "POST", "/locations?quick", [("X-Device-Id", "b")], body: body).status == 200)
      try slow.send(body)
      #expect(try slow.receiveToEnd().text.contains(" 200 "))
      // The journal keeps its beginning, and its head does not say how long it was.
      let long = try LoopbackClient(port: server.port)
      let chunk = "[\(String(repeating: " ", count: 20_000))]"
      let size = String(chunk.utf8.count, radix: 16)
      let chunked = "POST /locations?long HTTP/1.1\r\nHost: a\r\nX-Device-Id: a\r\nConnection: close\r\n"
      try long.send("\(chunked)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(chunk)\r\n0\r\n\r\n")
      #expect(try long.receiveToEnd().text.contains(" 200 "))
      let session = try request(server, "GET", "/admin/v1/requests?format=scenario&path=/locations").json()
      guard case .array(let sent)? = session["requests"] else { throw NoAnswer(request: "requests") }
      #expect(sent.map { $0["path"] } == [.string("/locations?quick"), .string("/locations?slow")])
      #expect(sent.last?["at"] == .string("0ms") && sent.first?["at"] != .string("0ms"))
    }
  }

  @Test func linesAreEverythingOrAsManyAsAsked() throws {
    try withServer { (server: IngestServer) throws in
      // More than one page, by count and by size.
      for number in 0..<150 {
        let body = "[" + String(repeating: " ", count: number % 3 == 0 ? 9_000 : 1) + "]"
        #expect(try request(server, "POST", "/locations?n=\(number)", body: body).status == 200)
      }
      func sequences(_ query: String) throws -> [JSONValue?] {
        let answer = try request(server, "GET", "/admin/v1/requests?format=ndjson\(query)")
        #expect(answer.field("Content-Type") == "application/x-ndjson")
        return try answer.body.split(separator: UInt8(ascii: "\n")).map {
          try JSONValue(parsing: Array($0).span)["sequence"]
        }
      }
      #expect(try sequences("") == (1...150).map { .integer($0) })
      #expect(try sequences("&limit=100&cursor=20") == (21...120).map { .integer($0) })
      #expect(try sequences("&limit=3") == (1...3).map { .integer($0) })
      #expect(try sequences("&status=500") == [])
    }
  }

  @Test func anArchiveHasEveryRequestAndIsWholeJSON() throws {
    try withServer { (server: IngestServer) throws in
      try fill(server)
      // More than one page, by count.
      for number in 0..<150 {
        #expect(try request(server, "POST", "/locations?n=\(number)", body: "[]").status == 200)
      }
      func entries(_ query: String) throws -> [JSONValue] {
        let answer = try request(server, "GET", "/admin/v1/requests?format=har\(query)")
        #expect(answer.field("Content-Type") == "application/har+json")
        guard case .array(let list)? = try answer.json()["log"]?["entries"] else { throw NoAnswer(request: query) }
        return list
      }
      let all = try entries("")
      #expect(all.map { $0["_sequence"] } == (1...154).map { .string("\($0)") })
      #expect(all[0]["request"]?["url"] == .string("http://localhost/locations"))
      #expect(all[0]["request"]?["postData"]?["text"] == .string(Uploads.record(1)))
      #expect(all[1]["response"]?["status"] == .integer(503) && all[1]["_fault"] == .string("status"))
      let secret = all[2]["request"]?["postData"]
      #expect(secret?["text"] == .string("") && secret?["comment"] == .string("not kept: it holds tokens"))
      #expect(try entries("&device=b").map { $0["request"]?["method"] } == [.string("PUT")])
      #expect(try entries("&limit=70&cursor=10").map { $0["_sequence"] } == (11...80).map { .string("\($0)") })
      #expect(try entries("&status=500") == [])
    }
  }

  @Test(arguments: [
    ("operation=uploadLocation", "did you mean uploadLocations?"), ("fault=dorp", "did you mean drop?"),
    ("status=6xx", "a class such as"), ("methd=GET", "did you mean method?"), ("limit=0", "whole number"),
  ])
  func unknownParametersAreRefusedWithTheNearestName(query: String, hint: String) throws {
    try withServer { server in
      let answer = try request(server, "GET", "/admin/v1/requests?\(query)")
      #expect(answer.status == 400 && answer.text.contains(hint), "\(answer.text)")
    }
  }
}
