import Base
import Contract
import Scenario

/// Bodies that are missing, incomplete, or as long as a buffer.
extension ConformanceClause {
  static let bodies: [ConformanceClause] = [
    ConformanceClause(
      "body-fills-buffer", .http, .must, .repeat,
      "Bodies of 1, 4, 8, 16 and 64 KiB are answered, and their records stored",
      because: "a loop that reads until its buffer is not full waits for a byte that does not come",
      presumes: ["long-headers", "answer-waits-for-body"]
    ) { run in
      for kibibytes in [1, 4, 8, 16, 64] {
        let (phone, record, request) = try plain(run)
        var padded = request
        // Blanks behind a value belong to no value (RFC 8259 §2).
        padded.body += Array(repeating: UInt8(ascii: " "), count: max(kibibytes << 10 - request.body.count, 0))
        padded.declaredLength = padded.body.count
        let what = "a body of \(padded.body.count) bytes"
        let reply = try run.exchange(padded)
        guard reply.isSuccess else { throw run.fail("\(what): \(reply.text)") }
        try run.expectOnce([record], of: phone.name, among: " in \(what)")
      }
    }
  ]

  static func answerWaits(_ run: ClauseRun) throws {
    try answerWaits(run, records: 1)
    // Servers read what fits into a buffer of 4 to 16 KB together with the header.
    if run.facts.takesBatches { try answerWaits(run, records: 60) }
  }

  private static func answerWaits(_ run: ClauseRun, records: Int) throws {
    let phone = try run.phone()
    let request = try run.request(phone, run.fixes(phone, records))
    let raw = RawRequest(request)
    let connection = try run.connect()
    // A whole request shows nothing.
    run.hasNoCommandLine = true
    connection.send(raw.head + raw.body.prefix(raw.body.count / 2))
    if connection.isAnswered(within: .seconds(1)) {
      let early = connection.reply(within: .milliseconds(500))
      guard case .answer(let answer) = early else {
        throw run.fail("a body in two halves, a second apart: \(early.text)", harm: .repeat)
      }
      if 200..<300 ~= answer.status {
        throw run.fail("status \(answer.status) came before the second half of the body was sent")
      }
      return
    }
    connection.send(Array(raw.body.dropFirst(raw.body.count / 2)))
    let reply = connection.reply(within: ClauseRun.answerTime)
    // The maximum batch size is tested by another clause.
    guard reply.isSuccess || records > 1 else {
      throw run.fail("a body in two halves, a second apart: \(reply.text)", harm: .repeat)
    }
  }

  static func cutRequest(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let records = run.fixes(phone, run.facts.takesBatches ? 10 : 1)
    let request = try run.request(phone, records)
    let raw = RawRequest(request)
    let connection = try run.connect()
    let half = raw.head + raw.body.prefix(raw.body.count / 2)
    connection.send(half)
    connection.endOutput()
    // The end of the output belongs to the request, and curl keeps the connection open.
    run.hasNoCommandLine = true
    if case .answer(let answer) = connection.reply(within: .seconds(3)), 200..<300 ~= answer.status {
      throw run.fail("half of a request was acknowledged with status \(answer.status)", sent: half)
    }
    for _ in 1..<run.leakCount {
      let another = try run.connect()
      another.send(half)
      another.endOutput()
    }
    run.lose(request, of: phone)
    run.hasNoCommandLine = false
    try run.deliver(phone, as: "the repetition of a request that was cut off")
    run.hasNoCommandLine = true
    try run.expectOnce(records, of: phone.name, among: " of a request that was cut off and repeated")
  }

  static func unreadable(_ run: ClauseRun) throws {
    if run.target.dialect.promises.keepsUnreadableBodies {
      throw ClauseStop.notApplicable("the dialect quarantines unreadable bodies")
    }
    let phone = try run.phone()
    let request = try run.request(phone, [run.fix(phone)])
    var raw = RawRequest(request)
    raw.body = Array(raw.body.prefix(raw.body.count * 2 / 5))
    raw.declaredLength = raw.body.count
    for _ in 0..<run.leakCount {
      let begin = run.now
      let reply = try run.exchange(raw)
      if reply.isSuccess {
        throw run.fail("a body that ends in the middle of a record was acknowledged with \(reply.text)")
      }
      // A slow answer suggests that the backend waits for an exhausted resource, such as a connection of its pool.
      if run.now - begin > .seconds(1) { break }
    }
    run.lose(request, of: phone)
    try run.deliver(phone, as: "the whole body after half of it")
    if run.facts.recordsMax >= 10 { try cutBatch(run) }
  }

  /// Ends a batch behind whole records, which a parser that reads one after the other has stored by then.
  private static func cutBatch(_ run: ClauseRun) throws {
    let phone = try run.phone { $0.http.batchSync = true }
    let request = try run.request(phone, run.fixes(phone, 10))
    var raw = RawRequest(request)
    raw.body = Array(raw.body.prefix(raw.body.count * 13 / 20))
    raw.declaredLength = raw.body.count
    let reply = try run.exchange(raw)
    if reply.isSuccess {
      throw run.fail("a batch of ten that ends behind its sixth record was acknowledged with \(reply.text)")
    }
    run.lose(request, of: phone)
  }

  static func emptyBody(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let request = try run.request(phone, [run.fix(phone)])
    var raw = RawRequest(request)
    raw.body = []
    raw.declaredLength = 0
    let reply = try run.exchange(raw)
    if reply.isSuccess { throw run.fail("an empty body was acknowledged with \(reply.text)") }
  }
}
