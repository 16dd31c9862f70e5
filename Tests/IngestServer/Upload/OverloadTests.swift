import Base
import HTTP1
import Network
import Store
import Support
import Synchronization
import Testing

@testable import IngestServer

/// A store that has more than it can take: said before the body is read, and so that the client can hear it.
@Suite struct OverloadTests {
  private func head(_ length: Int, _ fields: String = "") -> String {
    "POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(fields)\r\n"
  }

  private func expectOverloaded(_ answer: TestAnswer?) throws {
    let answer = try #require(answer)
    #expect(answer.status == 503)
    #expect(try answer.errorCode == "overloaded")
    #expect(answer.field("Retry-After") == "1")
  }

  @Test func aHeadIsAnsweredBeforeItsBodyComes() throws {
    let harness = try SessionHarness()
    harness.setFull(true)
    let body = Uploads.record(1)
    harness.send(head(body.utf8.count))
    let answer = try harness.answer()
    try expectOverloaded(answer)
    #expect(answer?.keepsAlive == true)
    harness.setFull(false)
    harness.send(body)
    #expect(try harness.answer() == nil, "a request has one answer")
    #expect(try harness.upload(2).text == #"{"accepted":1,"duplicate":0,"quarantined":0}"#)
    #expect(try harness.reader.countStored() == 1)
  }

  @Test(arguments: ["/locations", "/api/register", "/api/refresh_token", "/logs/a"])
  func whateverDevicesSendIsTurnedAway(target: String) throws {
    let harness = try SessionHarness()
    harness.setFull(true)
    try expectOverloaded(try harness.request("POST", target, body: Uploads.record(1)))
    #expect(try harness.request("GET", "/admin/v1/stats").status == 200)
  }

  @Test func aLongBodyIsNotWaitedFor() throws {
    let harness = try SessionHarness()
    harness.setFull(true)
    harness.send(head(1_000_000) + "[")
    let answer = try harness.answer()
    try expectOverloaded(answer)
    #expect(answer?.keepsAlive == false)
    #expect(harness.session.wishes.ending == .afterOutput)
  }

  @Test func anExpectedContinueGetsTheErrorInstead() throws {
    let harness = try SessionHarness()
    harness.setFull(true)
    harness.send(head(10, "Expect: 100-continue\r\n"))
    try expectOverloaded(try harness.answer())
    #expect(harness.session.wishes.ending == .afterOutput)
  }

  @Test func aBodyThatNeverComesEndsTheConnectionWithoutASecondAnswer() throws {
    for limit in [TimeLimit.body, .bodyRate] {
      let harness = try SessionHarness()
      harness.setFull(true)
      harness.send(head(10) + "[")
      try expectOverloaded(try harness.answer())
      #expect(harness.session.wishes.phase == .body(message: 1), "the body has its time limit")
      harness.timeOut(limit)
      #expect(try harness.answer() == nil)
      #expect(harness.session.wishes.ending == .atOnce)
    }
  }

  @Test func aMailboxThatFillsDuringTheBodyRefusesToo() throws {
    let harness = try SessionHarness()
    harness.setFull(true, shows: false)
    let body = Uploads.record(1)
    harness.send(head(body.utf8.count))
    #expect(try harness.answer() == nil)
    harness.send(body)
    try expectOverloaded(try harness.answer())
    #expect(try harness.reader.countStored() == 0)
  }

  /// The client sends five mebibytes without looking up, and reads then. The kernel's buffers do not hold them: without the
  /// drain the server's close would be a reset, which takes the answer away.
  @Test func aClientInTheMiddleOfALongBodyCanReadTheAnswer() throws {
    let server = try OverloadedServer()
    defer { server.stop() }
    let client = try LoopbackClient(port: server.port, receiveBuffer: 4_096)
    let length = 5 << 20
    try client.send(head(length))
    for _ in 0..<80 { try client.send([UInt8](repeating: 0x20, count: length / 80)) }
    let (text, ending) = try client.receiveToEnd()
    #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("\r\nRetry-After: 1\r\n"), "\(text)")
    #expect(ending == .closed)
  }
}

/// Takes nothing.
private struct FullBackend: ServerBackend {
  var now: WallInstant { SystemClock().wallNow }
  func submit(_ job: StoreJob, for address: SessionAddress) -> Bool { false }
  func ask(_ question: @escaping StoreQuestion, for address: SessionAddress) -> Bool { false }
  var outage: StoreOutage? { nil }
  var outageDetail: String? { nil }
  var isFull: Bool { true }
  var waitingJobs: Int { 0 }
  var network: LoopFigures? { nil }
}

/// A server with sockets whose store has no room.
private final class OverloadedServer {
  private let loops: LoopGroup<IngestSession>

  var port: UInt16 { loops.address.port }

  init() throws {
    var registry = MetricsRegistry()
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    let metrics = ServerMetrics(registry: &registry)
    let context = ServerContext(
      configuration, keys: TokenKeys(own: Array(repeating: 7, count: 32)), metrics: metrics, registry: registry,
      backend: FullBackend(), hub: EventHub(epoch: 1, post: { _ in }))
    loops = try LoopGroup(NetworkConfiguration(), on: ListenAddress(parsing: "127.0.0.1:0")) { number, _ in
      let scratch = SessionScratch()
      return { accepted in
        let address = SessionAddress(loop: number, connection: accepted.token.word)
        return IngestSession(context, scratch: scratch, address: address, caller: ConnectedCaller(isLocal: true))
      }
    }
  }

  func stop() {
    loops.drain(within: .seconds(1))
    loops.wait()
  }
}
