import AnswerCheck
import Base
import Contract
import Scenario
import Upload

/// Connections that carry much.
extension ConformanceClause {
  static let longConnections: [ConformanceClause] = [
    ConformanceClause(
      "close-announced", .http, .should, .repeat,
      "A connection stays open for sixty uploads, and after an upload of 1.2 MB, or its end is announced",
      because:
        "an upload on a connection that ends without Connection: close has no answer, and comes again (SDK §9.1; RFC 9112 §9.6)",
      needs: [], phase: .alone, presumes: ["keep-alive", "answer-length-true", "upload-after-refusal"], closeAnnounced)
  ]

  private static let uploadsMax = 60

  private static func closeAnnounced(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let connection = try run.connect()
    let count = run.facts.isSlow ? 20 : uploadsMax
    // On a new connection one of them shows nothing.
    run.hasNoCommandLine = true
    for number in 1...count {
      let reply = try exchange(over: connection, try run.request(phone, [run.fix(phone)]), of: phone, run)
      if number > 1 { try expectAnswered(reply, "upload \(number) over one connection", run) }
      guard case .answer(let answer) = reply else { throw ClauseStop.notJudged("an upload: \(reply.text)") }
      if !answer.keepsAlive { return run.note = "closed after upload \(number), as announced" }
    }
    try behindLargeBody(run)
    if count < uploadsMax { run.note = "\(count) uploads, as answers take long" }
  }

  /// Whether a body of that size is taken is tested by another clause.
  private static func behindLargeBody(_ run: ClauseRun) throws {
    let count = 1_500
    guard !run.facts.isSlow, run.facts.recordsMax >= count else { return }
    let phone = try run.phone {
      $0.http.batchSync = true
      $0.persistence.maxRecordsToPersist = -1
    }
    let note = run.object("{\"note\":\"\(String(repeating: "n", count: 400))\"}")
    let records = (0..<count).map { number in run.fix(phone, at: run.instant(number - count)) { $0.extras = note } }
    let request = try run.request(phone, records)
    let connection = try run.connect()
    guard case .answer(let answer) = try exchange(over: connection, request, of: phone, run), answer.keepsAlive,
      phone.queuedCount == 0
    else { return }
    let reply = try exchange(over: connection, try run.request(phone, [run.fix(phone)]), of: phone, run)
    let size = Double(request.body.count / 100_000) / 10
    try expectAnswered(reply, "the upload after one of \(size) MB on the same connection", run)
  }

  private static func exchange(
    over connection: RawConnection, _ request: OutgoingRequest, of phone: ConformancePhone, _ run: ClauseRun
  ) throws -> RawConnection.RawOutcome {
    connection.send(RawRequest(request).bytes)
    let reply = connection.reply(within: ClauseRun.answerTime)
    try run.expectTokenAlive(reply.status)
    if case .answer(let answer) = reply {
      phone.answer(request, .answered(status: answer.status, reason: "", body: answer.body))
    }
    return reply
  }

  private static func expectAnswered(_ reply: RawConnection.RawOutcome, _ what: String, _ run: ClauseRun) throws {
    guard reply == .closed || reply == .reset else { return }
    throw run.fail(
      "\(what) has no answer (\(reply.text)), and the answer before it did not say that the connection ends")
  }
}
