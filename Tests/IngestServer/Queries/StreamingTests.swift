import HTTP1
import Network
import Store
import Testing

@testable import IngestServer

/// Long answers: a page at a time, each asked for when the client has taken the one before.
@Suite struct StreamingTests {
  private let whole = "GET /admin/v1/devices/car/locations?format=csv HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private func harness(_ count: Int) throws -> SessionHarness {
    let harness = try SessionHarness()
    try harness.upload(0..<count, of: "car")
    return harness
  }

  @Test func aLongAnswerIsChunkedAndTheConnectionGoesOn() throws {
    let harness = try harness(700)
    harness.send(whole + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let answer = try #require(try harness.answer(to: .get))
    #expect(answer.field("Transfer-Encoding") == "chunked")
    #expect(answer.field("Content-Length") == nil)
    #expect(answer.text.split(separator: "\r\n").count == 701)
    #expect(try harness.answer(to: .get)?.text.hasPrefix(#"{"status":"ok","version":""#) == true)
  }

  @Test func aShortAnswerHasItsLength() throws {
    let harness = try harness(3)
    harness.send(whole)
    let answer = try #require(try harness.answer(to: .get))
    #expect(answer.field("Content-Length") == "\(answer.body.count)")
    #expect(answer.field("Transfer-Encoding") == nil)
  }

  @Test func noPageIsReadBeforeThereIsRoomForIt() throws {
    let harness = try harness(700)
    harness.send(whole, commits: false)
    #expect(harness.takeSent().isEmpty)
    #expect(harness.read())
    #expect(harness.session.wishes.hasMoreOutput)
    #expect(!harness.read(), "the second page is asked for only when the connection has room")
    let first = harness.takeSent()
    #expect(String(decoding: first, as: UTF8.self).contains("uuid,recordedAt"))
    harness.produce()
    #expect(!harness.session.wishes.hasMoreOutput)
    #expect(harness.takeSent().isEmpty)
    #expect(harness.read())
    #expect(!harness.takeSent().isEmpty)
    #expect(!harness.read())
  }

  @Test func aClientThatIsGoneGetsNoFurtherPage() throws {
    let harness = try harness(700)
    harness.send(whole, commits: false)
    harness.read()
    harness.produce()
    harness.close()
    _ = harness.takeSent()
    harness.read()
    #expect(harness.takeSent().isEmpty)
    harness.produce()
    #expect(!harness.read())
  }

  @Test func headOfALongAnswerIsItsHeadOnly() throws {
    let harness = try harness(700)
    harness.send("HEAD /admin/v1/devices/car/locations HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let bytes = harness.takeSent()
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.hasSuffix("\r\n\r\n"))
    #expect(text.contains("Transfer-Encoding: chunked\r\n"))
    #expect(!harness.session.wishes.hasMoreOutput)
    #expect(harness.session.wishes.wantsInput)
  }

  @Test func anOldClientGetsItUntilTheEndOfTheConnection() throws {
    let harness = try harness(700)
    harness.send("GET /admin/v1/devices/car/locations?format=csv HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    let text = String(decoding: harness.takeSent(), as: UTF8.self)
    #expect(text.contains("\r\nConnection: close\r\n"))
    #expect(!text.contains("Transfer-Encoding"))
    #expect(!text.contains("Content-Length"))
    let head = try #require(text.firstRange(of: "\r\n\r\n"))
    #expect(text[head.upperBound...].split(separator: "\r\n").count == 701)
    #expect(harness.session.wishes.ending == .afterOutput)
  }

  @Test func anErrorInTheMiddleResetsTheConnection() throws {
    let harness = try harness(700)
    harness.send(whole, commits: false)
    harness.read()
    let begun = harness.takeSent()
    #expect(begun.starts(with: Array("HTTP/1.1 200 OK".utf8)))
    harness.produce()
    harness.failNextPage()
    #expect(harness.session.wishes.ending == .reset)
    #expect(harness.takeSent().isEmpty, "no last chunk may make the answer look whole")
  }

  /// Without its end the answer cannot be taken for all that the device had, also when another device has its name now.
  @Test(arguments: [
    "devices/car/locations?format=ndjson", "devices/car/locations?format=geojson&shape=track", "uuids?device=car",
  ])
  func aDeletionInTheMiddleResetsTheConnection(list: String) throws {
    let harness = try harness(700)
    for isBack in [false, true] {
      harness.send("GET /admin/v1/\(list) HTTP/1.1\r\nHost: localhost\r\n\r\n", commits: false)
      harness.read()
      #expect(harness.takeSent().starts(with: Array("HTTP/1.1 200 OK".utf8)))
      harness.produce()
      _ = harness.store.apply([.delete(DeviceIdentity(run: "", name: "car"))], now: harness.now)
      if isBack {
        let next = SessionHarness.bytes(
          "POST", "/locations", [("X-Device-Id", "car")], body: SessionHarness.record(699))
        harness.interrupt(with: next)
        harness.commit(delivers: false)
      }
      harness.read()
      #expect(harness.session.wishes.ending == .reset)
      #expect(harness.takeSent().isEmpty, "no last chunk may make the answer look whole")
      harness.connect()
      try harness.upload(0..<700, of: "car")
    }
  }

  @Test func anErrorBeforeTheFirstPageIsAStatus() throws {
    let harness = try SessionHarness()
    harness.send("GET /admin/v1/stats HTTP/1.1\r\nHost: localhost\r\n\r\n", commits: false)
    harness.failFirstPage()
    let answer = try #require(try harness.answer(to: .get))
    #expect(answer.status == 503)
    #expect(try answer.errorCode == "disk_failed")
  }

  @Test func aFirstQuestionTooManyIsRefusedAndALaterOneWaits() throws {
    let harness = try harness(700)
    harness.setQuestionsMax(0)
    harness.send(whole)
    let refused = try #require(try harness.answer(to: .get))
    #expect(refused.status == 503)
    #expect(refused.field("Retry-After") == "1")
    harness.setQuestionsMax(1)
    harness.send(whole, commits: false)
    harness.read()
    harness.setQuestionsMax(0)
    harness.produce()
    #expect(harness.session.wishes.alarm != nil)
    #expect(!harness.session.wishes.hasMoreOutput)
    harness.setQuestionsMax(1)
    harness.ring()
    harness.send([])
    let answer = try #require(try harness.answer(to: .get))
    #expect(answer.text.split(separator: "\r\n").count == 701)
  }

  @Test func aDrainLetsALongAnswerEnd() throws {
    let harness = try harness(700)
    harness.send(whole, commits: false)
    harness.read()
    harness.drain()
    #expect(harness.session.wishes.ending == .open)
    harness.send([])
    #expect(try harness.answer(to: .get)?.text.split(separator: "\r\n").count == 701)
    #expect(harness.session.wishes.ending == .afterOutput)
  }
}
