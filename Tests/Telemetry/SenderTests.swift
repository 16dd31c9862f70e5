import Base
import Contract
import Support
import Synchronization
import Testing
import Threads
import Upload

@testable import Telemetry

/// A receiver on a real socket that is busy, half there, mute or gone; and a sender that keeps its run out of it.
@Suite(.timeLimit(.minutes(10))) struct SenderTests {
  private static let swift: TelemetrySender.Pace = {
    var pace = TelemetrySender.Pace()
    pace.firstPause = .milliseconds(5)
    return pace
  }()

  private func sender(
    _ rules: SendingRules = .openTelemetry, _ pace: TelemetrySender.Pace = SenderTests.swift
  ) throws -> TelemetrySender {
    try TelemetrySender(rules, headers: [NameValuePair("Content-Type", "application/x-protobuf")], pace: pace)
  }

  private func shipment(_ server: BareServer, _ number: Int = 0, points: Int = 10, bytes: Int = 3) -> TelemetryBatch {
    TelemetryBatch(
      url: server.url + "v1/metrics", body: [UInt8](repeating: UInt8(number & 0xFF), count: bytes), points: points)
  }

  /// Answers in turn, the last one for ever.
  private func server(_ answers: [BareServer.Answer]) throws -> BareServer {
    let turn = Mutex(0)
    return try BareServer { _ in
      turn.withLock { turn in
        defer { turn += 1 }
        return answers[min(turn, answers.count - 1)]
      }
    }
  }

  private static func status(_ line: String, _ headers: String = "", body: [UInt8] = []) -> BareServer.Answer {
    .keep(Array("HTTP/1.1 \(line)\r\n\(headers)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
  }

  @Test func whatIsTakenIsCountedAndComesWhole() throws {
    let server = try server([.ok()])
    let sender = try sender()
    for number in 0..<20 { sender.send(shipment(server, number)) }
    let account = sender.finish(within: .seconds(60))
    #expect(account.points.delivered == 200 && account.points.lost == 0 && account.reasons.isEmpty)
    #expect(server.requests.map(\.body) == (0..<20).map { [UInt8](repeating: $0, count: 3) })
    #expect(server.requests.allSatisfy { $0.lines[0] == "POST /v1/metrics HTTP/1.1" })
    #expect(server.requests.allSatisfy { $0.values(of: "content-type") == ["application/x-protobuf"] })
    #expect(account.deliverySentence(to: "x") == "200 data points sent to x" && account.lossSentence(to: "x") == nil)
  }

  @Test(arguments: ["429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"])
  func aBusyReceiverIsAskedAgain(_ line: String) throws {
    let server = try server([Self.status(line, "Retry-After: 0\r\n"), Self.status(line), .ok()])
    let sender = try sender()
    sender.send(shipment(server))
    let account = sender.finish(within: .seconds(60))
    #expect(account.points.delivered == 10 && account.retries == 2 && server.requests.count == 3)
    #expect(Set(server.requests.map(\.body)).count == 1)
  }

  @Test(arguments: [
    ("Retry-After: Sun, 06 Nov 1994 08:50:07 GMT \r\n", 30), ("retry-after:\tSun, 06 Nov 1994 08:00:00 GMT\r\n", 0),
    ("Retry-After: 12\r\n", 12), ("Retry-After: soon\r\n", nil), ("", nil),
  ])
  func theWishIsSecondsOrADate(field: String, seconds: Int64?) throws {
    let now = try #require(WallInstant(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT", at: .earliest))
    let verdict = SendingRules.openTelemetry.verdict(
      on: .answered(status: 503, reason: "", body: []), head: Array("HTTP/1.1 503 Busy\r\n\(field)\r\n".utf8), at: now)
    #expect(verdict == .again(after: seconds.map { .seconds($0) }, reason: "status 503"))
  }

  /// It wants to be left alone for an hour, which is longer than anything is kept: no second request comes.
  @Test func aWishToBeLeftAloneIsHeeded() async throws {
    let server = try server([Self.status("503 Service Unavailable", "retry-after: 3600\r\n"), .ok()])
    let sender = try sender()
    sender.send(shipment(server))
    await server.comesTrue { $0.requests.count == 1 }
    let account = sender.finish(within: .seconds(60))
    #expect(account.points.dropped == 10 && server.requests.count == 1)
    #expect(account.lossSentence(to: "x") == "x: 10 data points not delivered: status 503")
  }

  /// A pause that is longer than anything is kept: no second request comes.
  @Test func aWishToBeAskedAtOnceDoesNotShortenThePause() async throws {
    let server = try server([Self.status("503 Service Unavailable", "Retry-After: 0\r\n"), .ok()])
    var pace = TelemetrySender.Pace()
    pace.firstPause = .seconds(3_600)
    let sender = try sender(.openTelemetry, pace)
    sender.send(shipment(server))
    await server.comesTrue { $0.requests.count == 1 }
    let account = sender.finish(within: .seconds(60))
    #expect(account.points.dropped == 10 && server.requests.count == 1)
  }

  @Test func whatIsRefusedIsGivenUpAndToldWithTheReceiversWords() throws {
    // A google.rpc.Status: code 3, message "bad".
    let server = try server([Self.status("400 Bad Request", body: [0x08, 3, 0x12, 3] + Array("bad".utf8)), .ok()])
    let sender = try sender()
    sender.send(shipment(server))
    sender.send(shipment(server, points: 7))
    let account = sender.finish(within: .seconds(60))
    #expect(account.points.dropped == 10 && account.points.delivered == 7 && server.requests.count == 2)
    #expect(account.reasons == ["status 400: bad": 1])
  }

  /// OTLP asks not again after a 500, Prometheus does.
  @Test func protocolsDifferInWhatCanBeTriedAgain() throws {
    let servers = [try server([Self.status("500 Oops"), .ok()]), try server([Self.status("500 Oops"), .ok()])]
    let accounts = try zip([SendingRules.openTelemetry, .remoteWrite], servers).map { rules, server in
      let sender = try sender(rules)
      sender.send(shipment(server))
      return sender.finish(within: .seconds(60))
    }
    #expect(accounts[0].points.dropped == 10 && accounts[1].points.delivered == 10)
    #expect(servers.map(\.requests.count) == [1, 2])
  }

  @Test func aPartialSuccessIsTold() throws {
    let message = Array("too old".utf8)
    let partial: [UInt8] = [0x08, 4, 0x12, UInt8(message.count)] + message
    let answers = [
      Self.status("200 OK", body: [0x0A, UInt8(partial.count)] + partial),
      .ok(#"{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"too new"}}"#),
      .ok(#"{"partialSuccess":{"errorMessage":"a warning"}}"#),
      Self.status("200 OK", body: [0x0A, 0xFF, 0xFF]),
      .ok(#"{"partialSuccess":{"rejectedDataPoints":"-9223372036854775808"}}"#),
    ]
    let server = try server(answers)
    let sender = try sender()
    for number in answers.indices { sender.send(shipment(server, number)) }
    let account = sender.finish(within: .seconds(60))
    #expect(account.points.rejected == 7 && account.points.delivered == 43 && account.points.dropped == 0)
    #expect(
      account.reasons == [
        "the receiver rejected some: too old": 1, "the receiver rejected some: too new": 1,
        "the receiver warned: a warning": 1,
      ])
    #expect(account.lossSentence(to: "x")?.hasPrefix("x: 7 data points not delivered: ") == true)
  }

  /// The port of a server that is gone.
  @Test func aReceiverThatIsNotThereHoldsNothingUp() async throws {
    var pace = Self.swift
    pace.firstPause = .seconds(3_000)
    pace.patience = .seconds(10_000)
    let url = try gonePort()
    let sender = try sender(.openTelemetry, pace)
    for _ in 0..<100 { sender.send(TelemetryBatch(url: url, body: [1], points: 1)) }
    // A wait of an hour is ahead; the time limit of the suite says that it is not waited for.
    let account = sender.finish(within: .seconds(3_600))
    #expect(account.points.dropped == 100 && account.points.delivered == 0)
  }

  private func gonePort() throws -> String {
    let server = try server([.ok()])
    return server.url
  }

  @Test func aReceiverThatSaysNothingIsWaitedForOnlySoLong() async throws {
    var pace = Self.swift
    pace.answerTime = .seconds(3_600)
    let server = try server([.silence])
    let sender = try sender(.openTelemetry, pace)
    for _ in 0..<5 { sender.send(shipment(server)) }
    await server.comesTrue { $0.requests.count == 1 }
    let account = sender.finish(within: .milliseconds(20))
    #expect(account.points.dropped == 50 && server.requests.count == 1)
  }

  @Test func aConnectionThatEndsInTheMiddleIsMadeAgain() async throws {
    let half = Array("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf".utf8)
    let server = try server([.reset([]), .close(half), .ok()])
    let sender = try sender()
    sender.send(shipment(server))
    // It is not given up while the run goes on.
    await server.comesTrue { $0.requests.count == 3 }
    let account = sender.finish(within: .seconds(60))
    #expect(account.points.delivered == 10)
  }

  /// The receiver holds the first one: what is beyond the bound gives way, the oldest first, and `send` returns all the while.
  @Test func whatWaitsIsBoundedAndTheLatestCounts() async throws {
    var pace = Self.swift
    (pace.waitingMax, pace.waitingBytesMax) = (8, 1_000)
    pace.answerTime = .seconds(3_600)
    let gate = Semaphore()
    let server = try BareServer { request in
      if request.body.first == 0 { gate.wait() }
      return .ok()
    }
    let sender = try sender(.openTelemetry, pace)
    sender.send(shipment(server, 0))
    await server.comesTrue { $0.requests.count == 1 }
    for number in 1...100 { sender.send(shipment(server, number, points: 1)) }
    for number in 101...120 { sender.send(shipment(server, number, points: 1, bytes: 300)) }
    gate.signal()
    let account = sender.finish(within: .seconds(60))
    #expect(server.requests.map { Int($0.body[0]) } == [0, 118, 119, 120])
    #expect(account.points.delivered == 13 && account.points.dropped == 117)
    #expect(account.reasons == ["the receiver was too slow": 117])
  }
}
