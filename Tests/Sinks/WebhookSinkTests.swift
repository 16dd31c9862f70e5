import Base
import Contract
import IngestServer
import JSON
import Sinks
import Store
import Support
import Synchronization
import TLS
import Testing

/// The requests of a webhook, and what is made of its answers.
@Suite(.timeLimit(.minutes(10))) struct WebhookSinkTests {
  private static func messages(_ count: Int) throws -> [ForwardMessage] {
    let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    let record = Array(#"{"odometer":7}"#.utf8)
    let points = (0..<count).map {
      Point(
        recordedAt: 1_795_176_000_000 + Int64($0), uuid: UUID128(high: 1, low: UInt64($0)), record: 0..<record.count)
    }
    let at = WallInstant(millisecondsSince1970: 1_795_176_000_000)
    let device = DeviceIdentity(run: "nightly", name: "phone \"1\"")
    _ = store.apply([.ingest(IngestBatch(device: device, receivedAt: at, bytes: record, points: points))], now: at)
    let reader = try #require(store.reader)
    return try reader.arrivals(RecordSelection(KeySelection(run: "nightly")), limit: count).elements
      .map { ForwardMessage($0) }
  }

  private func send(
    _ count: Int, _ configure: (inout WebhookSink.Settings) -> Void = { _ in },
    _ respond: @escaping @Sendable (BareServer.Request) -> BareServer.Answer
  ) throws -> (SinkAnswer, [BareServer.Request]) {
    let server = try BareServer(respond)
    var settings = WebhookSink.Settings(url: server.url + "hook?key=1")
    configure(&settings)
    let sink = try WebhookSink(settings)
    let answer = sink.send(try Self.messages(count)[...])
    return (answer, server.requests)
  }

  @Test func aRequestCarriesWhatTheSchemaSays() throws {
    let (answer, requests) = try send(3, { $0.token = "letmein" }) { _ in .ok() }
    #expect(answer == SinkAnswer(taken: 3))
    let request = try #require(requests.first)
    #expect(requests.count == 1 && request.lines[0] == "POST /hook?key=1 HTTP/1.1")
    #expect(request.values(of: "content-type") == ["application/json"])
    #expect(request.values(of: "authorization") == ["Bearer letmein"])
    #expect(request.values(of: "x-rollingroad-signature") == [])
    let schema = try ContractDocument("forwarded-record.schema.json").json
    let body = try JSONValue(parsing: request.body.span)
    let records = try #require(body["records"]).elements
    #expect(records.count == 3)
    for record in records { #expect(JSONSchema(within: schema).problems(of: record, in: schema) == []) }
    #expect(records[2]["id"] == .string("nightly/phone%20%221%22/1795176000002/00000000-0000-0001-0000-000000000002"))
    #expect(records[2]["device"] == .string("phone \"1\"") && records[2]["run"] == .string("nightly"))
    #expect(records[2]["received"] == .string("2026-11-20T12:00:00.000Z"))
    #expect(String(decoding: request.body, as: UTF8.self).contains(#""record":{"odometer":7}}"#))
  }

  /// The receiver's part, as its documentation says it: an HMAC of the time, a point and the body.
  @Test func aSignatureProvesTimeAndBody() throws {
    let (_, requests) = try send(1, { $0.secret = "whsec" }) { _ in .ok() }
    let request = try #require(requests.first)
    let header = try #require(request.values(of: "x-rollingroad-signature").first)
    let parts = header.split(separator: ",").map(String.init)
    try #require(parts.count == 2 && parts[0].hasPrefix("t=") && parts[1].hasPrefix("v1="))
    let seconds = try #require(Int64(parts[0].dropFirst(2)))
    #expect(abs(seconds - SystemClock().wallNow.millisecondsSince1970 / 1_000) < 600)
    let code = Cryptography.hmacSHA256(key: Array("whsec".utf8), (Array("\(seconds).".utf8) + request.body)[...])
    let text = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(parts[1] == "v1=" + text)
  }

  @Test func aRepetitionHasTheSameKeyAndOtherRecordsAnother() throws {
    let server = try BareServer { _ in .text("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") }
    let sink = try WebhookSink(WebhookSink.Settings(url: server.url))
    let messages = try Self.messages(2)
    for slice in [messages[...], messages[...], messages[..<1]] { _ = sink.send(slice) }
    let keys = server.requests.flatMap { $0.values(of: "idempotency-key") }
    #expect(keys.count == 3 && keys[0] == keys[1] && keys[0] != keys[2] && keys[0].utf8.count == 32)
  }

  @Test(arguments: [
    (status: 200, taken: true, refused: false), (204, true, false), (400, false, true), (413, false, true),
    (422, false, true), (301, false, false), (401, false, false), (404, false, false), (408, false, false),
    (409, false, false), (410, false, false), (429, false, false), (500, false, false), (503, false, false),
  ])
  func eachStatusHasItsMeaning(status: Int, taken: Bool, refused: Bool) throws {
    let (answer, requests) = try send(2) { _ in
      .text(
        "HTTP/1.1 \(status) Reason\r\nLocation: /other\r\n" + (status == 204 ? "\r\n" : "Content-Length: 0\r\n\r\n"))
    }
    #expect(requests.count == 1, "nothing follows a redirect, and nothing is tried again in here")
    switch answer.trouble {
    case nil: #expect(taken && answer.taken == 2)
    case .refused(let count, let reason): #expect(refused && count == 2 && reason == "status \(status)")
    case .later(let wish, let reason):
      #expect(!taken && !refused && wish == nil && reason.hasPrefix("status \(status)"))
    }
  }

  /// An echo of the request is longer than any answer that says something.
  @Test(arguments: [200, 400, 500]) func theStatusCountsWhateverElseTheAnswerSays(status: Int) throws {
    let long = String(repeating: "x", count: 200_000)
    for (field, body) in [("A: b", long), ("Content-Encoding: gzip", "no file"), ("Content-Encoding: other", "x")] {
      let (answer, requests) = try send(2) { _ in
        .text("HTTP/1.1 \(status) Reason\r\n\(field)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
      let expected =
        switch status {
        case 200: SinkAnswer(taken: 2)
        case 400: SinkAnswer(taken: 0, .refused(count: 2, reason: "status 400"))
        default: SinkAnswer(taken: 0, .later(reason: "status 500"))
        }
      #expect(answer == expected && requests.count == 1, "\(field)")
    }
  }

  @Test func anAnswerThatIsNotWholeIsNone() throws {
    let (answer, _) = try send(1) { _ in .close(Array("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{".utf8)) }
    #expect(answer.taken == 0 && answer.trouble != nil)
  }

  @Test func whatRetryAfterAsksForIsHandedOn() throws {
    let (answer, _) = try send(1) { _ in
      // A line separator of Unicode is not one of HTTP.
      .text("HTTP/1.1 429 Slow down\r\nX-Note: a\u{2028}Retry-After: 5\r\nRetry-After: 17\r\nContent-Length: 0\r\n\r\n")
    }
    #expect(answer == SinkAnswer(taken: 0, .later(after: .seconds(17), reason: "status 429")))
  }

  @Test func aConnectionThatBreaksIsNoAnswer() throws {
    let (answer, _) = try send(1) { _ in .reset([]) }
    guard case .later(nil, let reason) = answer.trouble else {
      Issue.record("\(answer)")
      return
    }
    #expect(answer.taken == 0 && !reason.isEmpty)
  }

  @Test func aSinkThatIsToStopDoesNotWaitForItsAnswer() throws {
    let asked = Handle()
    let server = try BareServer { _ in
      asked.interrupt.withLock { $0 }?()
      return .silence
    }
    let sink = try WebhookSink(WebhookSink.Settings(url: server.url))
    let interrupt = sink.interrupt
    asked.interrupt.withLock { $0 = interrupt }
    let answer = sink.send(try Self.messages(1)[...])
    #expect(answer.taken == 0 && answer.trouble != nil)
  }

  private final class Handle: Sendable {
    let interrupt = Mutex<(@Sendable () -> Void)?>(nil)
  }
}
