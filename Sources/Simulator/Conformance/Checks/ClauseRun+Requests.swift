import Base
import Contract
import Scenario
import Upload

extension ClauseRun {
  /// Requires a valid token after a clause that takes seconds; 401 is correct where tokens expire sooner.
  func expectTokenAlive(_ status: Int) throws {
    guard status == 401, facts.needsTokens, let life = target.dialect.promises.accessLifetime, life <= .seconds(10)
    else {
      return
    }
    throw ClauseStop.notApplicable("access tokens live for \(life.seconds) s, which is not longer than the clause")
  }
}

/// Requests that no SDK would send by itself.
extension ClauseRun {
  /// How often a request that must be rejected is sent: enough to exhaust a pool that leaks a connection, a
  /// worker or a lock each time.
  var leakCount: Int { facts.isSlow ? 3 : 25 }

  /// Returns the request that the SDK would send for these records.
  func request(_ phone: ConformancePhone, _ records: [SentRecord]) throws -> OutgoingRequest {
    try keepTime()
    phone.put(records)
    var next = phone.takeRequest()
    // An expired token is refreshed before the upload, as in the SDK (SDK §11.5).
    if let refresh = next, refresh.purpose == .refresh {
      phone.answer(refresh, try line().exchange(refresh, of: phone.number).outcome)
      next = phone.takeRequest()
    }
    guard let request = next, request.purpose == .records else {
      throw ClauseStop.notJudged(
        facts.needsTokens ? "the phone did not upload: its access token may have ended" : "the phone did not upload")
    }
    lastSent = RawRequest(request)
    log.note(request, of: phone.number, .prepared)
    return request
  }

  /// Ends a request whose answer the phone did not receive.
  func lose(_ request: OutgoingRequest, of phone: ConformancePhone) {
    phone.answer(request, .failed(.reset, message: "the connection was cut"))
  }

  /// Sends a request on a new connection and waits for the answer.
  func exchange(_ request: RawRequest) throws -> RawConnection.RawOutcome {
    try keepTime()
    lastSent = request
    let connection = try newConnection()
    log.note(request)
    connection.send(request.bytes)
    let reply = connection.reply(within: ClauseRun.answerTime)
    lastReply = reply
    log.noteAnswer(reply.status)
    return reply
  }

  /// Requires that the backend still accepts a good record on the phone's own connection.
  func expectAlive(after what: String) throws {
    let phone = try phone()
    let record = fix(phone)
    try deliver(phone, [record], as: "an upload after \(what)")
    if target.store != nil { try expectOnce([record], of: phone.name, among: " after \(what)") }
  }
}
