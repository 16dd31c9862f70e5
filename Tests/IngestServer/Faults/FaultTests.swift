import Base
import HTTP1
import JSON
import Network
import Testing

@testable import IngestServer

/// Each fault as the client sees it, and what is stored then.
@Suite struct FaultTests {
  private func server(_ fault: String, match: String = "{}") throws -> VirtualServer {
    let server = try VirtualServer()
    let body = #"{"faults":[{"id":"f","fault":\#(fault),"match":\#(match),"seed":1}]}"#
    let answer = try server.connect().request("PUT", "/admin/v1/faults", body: body)
    #expect(answer.status == 200, "\(answer.text)")
    return server
  }

  private func accepted(_ answer: TestAnswer?) throws -> JSONValue? { try answer?.json()["accepted"] }

  @Test func aRefusedRequestIsAnsweredBeforeItsBody() throws {
    let server = try server(#"{"kind":"refuse","status":503}"#)
    let client = server.connect()
    client.send(Array("POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n".utf8))
    #expect(try client.answer()?.status == 503)
    #expect(client.ending == .afterOutput)
  }

  @Test func aResetComesBeforeTheBody() throws {
    let server = try server(#"{"kind":"reset"}"#)
    let client = server.connect()
    client.post("/locations", Uploads.record(1))
    #expect(client.received == [])
    #expect(client.ending == .reset)
    #expect(try server.stored() == 0)
  }

  @Test func aDelayComesBeforeTheCommit() throws {
    let server = try server(#"{"kind":"delay","time":"2s"}"#)
    let client = server.connect()
    client.post("/locations", Uploads.record(1))
    server.advance(milliseconds: 1_999)
    #expect(try server.stored() == 0)
    #expect(client.received == [])
    server.advance(milliseconds: 1)
    #expect(try accepted(client.answer()) == .integer(1))
  }

  @Test func aDelayAfterTheCommitStoresAtOnce() throws {
    let server = try server(#"{"kind":"delayAfterCommit","time":"90s"}"#)
    let client = server.connect()
    client.post("/locations", Uploads.record(1))
    #expect(try server.stored() == 1)
    server.advance(milliseconds: 89_999)
    #expect(client.received == [])
    server.advance(milliseconds: 1)
    #expect(try accepted(client.answer()) == .integer(1))
  }

  @Test func aStatusStoresNothing() throws {
    let server = try server(#"{"kind":"status","status":500}"#)
    #expect(try server.connect().request("POST", "/locations", body: Uploads.record(1)).status == 500)
    #expect(try server.stored() == 0)
  }

  @Test(arguments: [
    ("{\"background_geolocation\":[\"stop\"]}", "application/json"), ("gone", "text/plain"), ("", "text/plain"),
  ])
  func aStatusMayHaveABody(body: String, type: String) throws {
    let text = body.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
    let server = try server("{\"kind\":\"status\",\"status\":403,\"body\":\"\(text)\"}")
    let answer = try server.connect().request("POST", "/locations", body: Uploads.record(1))
    #expect(answer.status == 403 && answer.body == Array(body.utf8) && answer.field("Content-Type") == type)
    #expect(try server.stored() == 0)
  }

  @Test func aPortalAnswersWithAPage() throws {
    let server = try server(#"{"kind":"portal"}"#)
    let answer = try server.connect().request("POST", "/locations", body: Uploads.record(1))
    #expect(answer.status == 200 && answer.field("Content-Type") == "text/html")
    #expect(try server.stored() == 0)
  }

  @Test func aRedirectNamesAnotherPlace() throws {
    let server = try server(#"{"kind":"redirect","status":307,"location":"http://other/"}"#)
    let answer = try server.connect().request("POST", "/locations", body: Uploads.record(1))
    #expect(answer.status == 307 && answer.field("Location") == "http://other/")
    #expect(try server.stored() == 0)
  }

  @Test func aPretendingServerAcknowledgesAndStoresNothing() throws {
    let server = try server(#"{"kind":"pretend"}"#)
    let answer = try server.connect().request("POST", "/locations", body: Uploads.batch(0..<5))
    #expect(try accepted(answer) == .integer(5))
    #expect(try server.stored() == 0)
  }

  /// What is no upload it lets pass uncounted, and a rule that asks for it is refused.
  @Test func aPretendingServerRegistersDevices() throws {
    let server = try server(#"{"kind":"pretend"}"#)
    let client = server.connect()
    let registration = #"{"org":"acme","uuid":"a","model":"m","manufacturer":"f","version":"15"}"#
    #expect(try client.request("POST", "/api/register", body: registration).status == 200)
    #expect(server.shows(metric: #"rollingroad_faults_total{kind="pretend"} 0"#))
    let rules = #"{"faults":[{"id":"f","fault":{"kind":"pretend"},"match":{"operation":"registerDevice"}}]}"#
    let refusal = try client.request("PUT", "/admin/v1/faults", body: rules)
    #expect(refusal.status == 400 && refusal.text.contains("faults[0].match.operation"), "\(refusal.text)")
  }

  @Test func aHeaderThatCannotBeSentIsRefusedWithItsReason() throws {
    for (header, reason) in [
      (#""Content-Length":"5""#, "headers.Content-Length must be omitted: the server writes this header itself"),
      (#""X Odd":"a""#, "headers.X Odd must be a header, whose name has letters, digits and"),
      (#""X-Odd":"a\nb""#, #"headers.X-Odd must be a text without control characters, not "a\nb""#),
    ] {
      let rules = #"{"faults":[{"id":"f","fault":{"kind":"status","headers":{\#(header)}}}]}"#
      let answer = try VirtualServer().connect().request("PUT", "/admin/v1/faults", body: rules)
      guard case .string(let message)? = try answer.json()["error"]?["message"] else { throw NoAnswer(request: rules) }
      #expect(answer.status == 400 && message.contains(reason), "\(message)")
    }
  }

  @Test func aPrefixIsStoredAndAllIsAcknowledged() throws {
    let server = try server(#"{"kind":"prefix","records":2}"#)
    let answer = try server.connect().request("POST", "/locations", body: Uploads.batch(0..<5))
    #expect(try accepted(answer) == .integer(5))
    #expect(try server.stored() == 2)
  }

  @Test(arguments: [0, 1, 30, 100_000])
  func anAnswerIsCutAfterSomeBytes(count: Int) throws {
    let unspoilt = try VirtualServer()
    let whole = unspoilt.connect()
    whole.post("/locations", Uploads.record(1))
    let server = try server(#"{"kind":"cut","bytes":\#(count)}"#)
    let client = server.connect()
    client.post("/locations", Uploads.record(1))
    #expect(client.received == Array(whole.received.prefix(count)))
    #expect(client.ending == .reset)
    #expect(try server.stored() == 1)
  }

  @Test func aDroppedAnswerWasCommitted() throws {
    let server = try server(#"{"kind":"drop"}"#)
    let client = server.connect()
    client.post("/locations", Uploads.record(1))
    #expect(client.received == [] && client.ending == .atOnce)
    #expect(try server.stored() == 1)
  }

  @Test func aDribbledAnswerComesPieceByPiece() throws {
    let server = try server(#"{"kind":"dribble","bytes":10,"every":"1s"}"#)
    let client = server.connect()
    client.post("/locations", Uploads.record(1))
    #expect(client.received.count == 10)
    server.advance(milliseconds: 3_000)
    #expect(client.received.count == 40)
    server.advance(milliseconds: 60_000)
    #expect(try accepted(client.answer()) == .integer(1))
    #expect(client.ending == .open)
  }

  @Test func aMalformedAnswerIsNoJSON() throws {
    let server = try server(#"{"kind":"malformed"}"#)
    let answer = try server.connect().request("POST", "/locations", body: Uploads.record(1))
    #expect(answer.status == 200)
    #expect(throws: JSONError.self) { try answer.json() }
    #expect(try server.stored() == 1)
  }

  @Test func anEmptyAnswerHasNoContent() throws {
    let server = try server(#"{"kind":"empty"}"#)
    let answer = try server.connect().request("POST", "/locations", body: Uploads.record(1))
    #expect(answer.status == 200 && answer.body == [])
    #expect(try server.stored() == 1)
  }

  @Test func aWrongLengthLeavesTheClientWaiting() throws {
    let server = try server(#"{"kind":"wrongLength","by":10}"#)
    let client = server.connect()
    client.post("/locations", Uploads.record(1))
    #expect(client.text.contains("HTTP/1.1 200"))
    #expect(try client.answer() == nil)
    #expect(client.ending == .afterOutput)
  }

  @Test func everyFaultIsCounted() throws {
    let server = try server(#"{"kind":"drop"}"#)
    server.connect().post("/locations", Uploads.record(1))
    #expect(server.shows(metric: #"rollingroad_faults_total{kind="drop"} 1"#))
    let list = try server.connect().request("GET", "/admin/v1/faults").json()
    guard case .array(let rules)? = list["faults"] else {
      Issue.record("no list")
      return
    }
    #expect(rules[0]["hits"] == .integer(1) && rules[0]["matched"] == .integer(1))
  }

  @Test func administrationIsNeverSpoilt() throws {
    let server = try server(#"{"kind":"reset"}"#)
    #expect(try server.connect().request("DELETE", "/admin/v1/faults").status == 200)
    #expect(try server.connect().request("POST", "/locations", body: Uploads.record(1)).status == 200)
  }

  /// Neither request says in its head whose it is.
  @Test func aRuleOfOneDeviceMeetsItsRegistrationsAndRefreshes() throws {
    let server = try server(#"{"kind":"status","status":500}"#, match: #"{"device":"a","skip":1}"#)
    func register(_ device: String) throws -> TestAnswer {
      let body = #"{"org":"acme","uuid":"\#(device)","model":"m","manufacturer":"f","version":"15"}"#
      return try server.connect().request("POST", "/api/register", body: body)
    }
    func refresh(_ registered: TestAnswer) throws -> Int {
      guard case .string(let token)? = try registered.json()["refreshToken"] else { return 0 }
      return try server.connect().request("POST", "/api/refresh_token", body: "refresh_token=\(token)").status
    }
    let (first, other) = (try register("a"), try register("b"))
    #expect(first.status == 200 && other.status == 200)
    #expect(try register("a").status == 500)
    #expect(try register("b").status == 200)
    #expect(try refresh(first) == 500)
    #expect(try refresh(other) == 200)
  }
}
