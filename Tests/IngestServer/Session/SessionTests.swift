import HTTP1
import JSON
import Network
import Store
import Support
import Testing

@testable import IngestServer

private let record =
  #"{"uuid":"5A4B0000-0000-4000-8000-000000000001","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":45.5,"longitude":-116.3,"accuracy":5}}"#

@Suite struct SessionTests {
  private let upload = SessionHarness.bytes("POST", "/locations", body: record)

  @Test func anAnswerComesOnlyAfterTheCommit() throws {
    let harness = try SessionHarness()
    harness.send(upload, commits: false)
    #expect(try harness.answer() == nil && harness.session.wishes.phase == .answering)
    harness.commit()
    #expect(try harness.answer()?.status == 200)
    #expect(harness.session.wishes.phase == .idle)
  }

  @Test func aRequestMayBeCutAnywhere() throws {
    for cut in 1..<upload.count {
      let harness = try SessionHarness()
      harness.send(Array(upload[..<cut]))
      #expect(try harness.answer() == nil, "cut at \(cut)")
      harness.send(Array(upload[cut...]))
      #expect(try harness.answer()?.status == 200, "cut at \(cut)")
    }
  }

  @Test func headsOfTwoConnectionsDoNotMix() throws {
    let harness = try SessionHarness()
    harness.send(Array(upload[..<20]))
    harness.interrupt(with: Array("GET /healthz HTTP/1.1\r\nHo".utf8))
    harness.send(Array(upload[20...]))
    #expect(try harness.answer()?.status == 200)
  }

  @Test func pipelinedRequestsAreAnsweredInTheirOrder() throws {
    let harness = try SessionHarness()
    harness.send(
      SessionHarness.bytes("GET", "/nowhere") + upload + SessionHarness.bytes("GET", "/healthz"), commits: false)
    #expect(try harness.answer()?.status == 404)
    #expect(try harness.answer() == nil)
    harness.send([])
    #expect(try harness.answer()?.status == 200)
    #expect(try harness.answer(to: .get)?.text.hasPrefix(#"{"status":"ok","version":""#) == true)
  }

  @Test func aClientThatWaitsForLeaveGetsIt() throws {
    let harness = try SessionHarness()
    let head = SessionHarness.bytes(
      "POST", "/locations", [("Expect", "100-continue"), ("Content-Length", "\(record.utf8.count)")])
    harness.send(head)
    #expect(try harness.answer()?.status == 100)
    harness.send(record)
    let answer = try #require(try harness.answer())
    #expect(answer.status == 200 && answer.keepsAlive)
  }

  @Test func aClientThatWaitsForLeaveIsRefusedAtOnce() throws {
    let harness = try SessionHarness()
    harness.send(SessionHarness.bytes("POST", "/nowhere", [("Expect", "100-continue"), ("Content-Length", "9")]))
    let answer = try #require(try harness.answer())
    #expect(answer.status == 404 && !answer.keepsAlive && harness.isFinished)
  }

  @Test func theShortBodyOfARefusedRequestIsDroppedAndTheConnectionKept() throws {
    let harness = try SessionHarness()
    #expect(try harness.request("POST", "/nowhere", body: "GET / HTTP/1.1\r\n\r\n").status == 404)
    #expect(try harness.upload(record).status == 200)
  }

  @Test func theLongBodyOfARefusedRequestEndsTheConnection() throws {
    let harness = try SessionHarness()
    harness.send(SessionHarness.bytes("POST", "/nowhere", [("Content-Length", "1000000")]))
    #expect(try harness.answer()?.keepsAlive == false)
    #expect(harness.isFinished)
  }

  @Test func headIsAnsweredWithoutContent() throws {
    let harness = try SessionHarness()
    let answer = try harness.request("HEAD", "/healthz")
    let whole = try harness.request("GET", "/healthz")
    #expect(answer.status == 200 && answer.body.isEmpty && answer.field("Content-Length") == "\(whole.body.count)")
    #expect(whole.status == 200 && !whole.body.isEmpty)
  }

  @Test func tooLargeABodyIsRefusedBeforeItComes() throws {
    let harness = try SessionHarness { $0.bodyBytesMax = 100 }
    harness.send(SessionHarness.bytes("POST", "/locations", [("Content-Length", "101")]))
    let answer = try #require(try harness.answer())
    #expect(answer.status == 413 && !answer.keepsAlive && harness.isFinished)
    #expect(answer.text.contains("longer than 100 bytes, the limit of --max-body"))
  }

  /// A phone with such a body sends it again and again.
  @Test func aBodyThatIsTooLargeOrBreaksOffIsAnErrorOfItsDevice() throws {
    let harness = try SessionHarness { $0.bodyBytesMax = 100 }
    let device = ("X-Device-Id", "car")
    harness.send(SessionHarness.bytes("POST", "/locations", [device, ("Content-Length", "101")]))
    #expect(try harness.answer()?.status == 413)
    harness.connect()
    harness.send(SessionHarness.bytes("POST", "/locations", [device, ("Transfer-Encoding", "chunked")]))
    harness.send("65\r\n")
    #expect(try harness.answer()?.status == 413)
    harness.connect()
    harness.send(SessionHarness.bytes("POST", "/locations", [device, ("Content-Length", "100")]))
    harness.timeOut(.body)
    #expect(try harness.answer()?.status == 408)
    harness.connect()
    let errors = try harness.request("GET", "/admin/v1/errors").json()["errors"]?.elements ?? []
    #expect(errors.map { $0["status"] } == [.integer(413), .integer(408)], "\(errors)")
    #expect(errors.map { $0["count"] } == [.integer(2), .integer(1)], "\(errors)")
    let failures = try harness.request("GET", "/admin/v1/failures").json()["failures"]?.elements ?? []
    #expect(failures.map { $0["device"] } == [.string("car")], "\(failures)")
  }

  @Test func anInvalidRequestGets400AndTheConnectionCloses() throws {
    let harness = try SessionHarness()
    harness.send("hello\r\n\r\n")
    #expect(try harness.answer()?.status == 400)
    #expect(harness.isFinished)
  }

  @Test func connectionCloseIsObeyed() throws {
    let harness = try SessionHarness()
    #expect(try harness.upload(record, to: "/locations", [("Connection", "close")]).keepsAlive == false)
    #expect(harness.isFinished)
  }

  @Test func anOldClientKeepsItsConnectionWhenItAsks() throws {
    let harness = try SessionHarness()
    harness.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(try harness.answer(to: .get)?.field("Connection") == "keep-alive")
    harness.send("GET /healthz HTTP/1.0\r\n\r\n")
    #expect(try harness.answer(to: .get)?.field("Connection") == "close")
    #expect(harness.isFinished)
  }

  @Test func aHalfClosedClientGetsItsAnswer() throws {
    let harness = try SessionHarness()
    harness.send(upload, commits: false)
    harness.endInput()
    harness.commit()
    #expect(try harness.answer()?.status == 200)
    #expect(harness.isFinished)
  }

  @Test(arguments: [TimeLimit.head, .body, .bodyRate])
  func aSlowRequestGets408(limit: TimeLimit) throws {
    let harness = try SessionHarness()
    harness.send(Array(upload[..<(limit == .head ? 20 : upload.count - 5)]))
    harness.timeOut(limit)
    #expect(try harness.answer()?.status == 408)
    #expect(harness.isFinished)
  }

  @Test func anIdleConnectionEndsWithoutAWord() throws {
    let harness = try SessionHarness()
    harness.timeOut(.idle)
    #expect(try harness.answer() == nil)
    #expect(harness.session.wishes.ending == .atOnce)
  }

  /// What is idle is ended by the loop, unless a request was sent already.
  @Test func aDrainAnswersWhatHasBeenSent() throws {
    let late = try SessionHarness()
    late.drain()
    late.send(upload)
    #expect(try late.answer()?.keepsAlive == false)
    #expect(late.isFinished)
    let busy = try SessionHarness()
    busy.send(upload, commits: false)
    busy.drain()
    #expect(!busy.isFinished)
    busy.commit()
    #expect(try busy.answer()?.keepsAlive == false)
    #expect(busy.isFinished)
  }

  @Test func aFullMailboxGets503AndStoresNothing() throws {
    let harness = try SessionHarness()
    harness.setFull(true)
    let answer = try harness.upload(record)
    #expect(answer.status == 503 && answer.field("Retry-After") == "1" && answer.keepsAlive)
    harness.setFull(false)
    #expect(try harness.upload(record).json()["accepted"] == .integer(1))
  }

  @Test(arguments: [
    (StoreOutage.full, 507), (.inputOutput, 503), (.unreachable, 503), (.damaged, 503), (.stopping, 503),
  ])
  func anOutageIsNever2xx(outage: StoreOutage, status: Int) throws {
    let harness = try SessionHarness()
    harness.send(upload, commits: false)
    harness.fail(outage)
    #expect(try harness.answer()?.status == status)
  }

  @Test func aFullOutputStopsTheReadingOfPipelinedRequests() throws {
    let harness = try SessionHarness()
    let one = SessionHarness.bytes("GET", "/healthz")
    var many: [UInt8] = []
    while many.count < 65_536 { many += one }
    var output = SessionOutput(now: harness.output.now, unsentMax: 1_000)
    let taken = harness.session.receive(many.span, &output)
    #expect(output.isFull && output.bytes.count < 2_000 && taken < many.count)
  }
}
