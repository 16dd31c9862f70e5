import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Scenario
import Upload

/// Storage and acknowledgement.
extension ConformanceClause {
  static let storage: [ConformanceClause] = [
    ConformanceClause(
      "no-redirect", .storage, .must, .block, "The exact upload URL answers no redirect",
      because: "the SDK does not follow a redirect, which would lose the body (SDK §9.1)",
      threads: ["capacitor#170", "cordova#374", "react-native#1375"], needs: [], phase: .first, noRedirect),
    ConformanceClause(
      "second-connection-served", .storage, .must, .repeat,
      "While one connection is kept open without a request, an upload over another is answered within three seconds",
      because: "each phone keeps its connection: a server that serves one at a time serves one phone (RFC 9112 §9.3)",
      needs: [], phase: .first, presumes: ["no-redirect"], secondConnection),
    ConformanceClause(
      "good-record-acknowledged", .storage, .must, .repeat, "A good record is answered with a success",
      because:
        "anything else makes the SDK send it again with the next trigger, without waiting longer (SDK §9.1, §9.3)",
      threads: ["react-native#578", "flutter#1351"], needs: [], phase: .first,
      presumes: ["answer-length-true", "second-connection-served", "no-redirect"], goodRecord),
    ConformanceClause(
      "stored-when-acknowledged", .storage, .must, .lose, "What is acknowledged is stored, once, under its device",
      because: "the SDK deletes a record when it sees any 2xx (HttpConfig; SDK §9.1)",
      threads: ["traccar#5541", "dawarich#768"], phase: .first,
      presumes: [
        "no-page-with-200", "no-redirect", "second-connection-served", "answer-length-true", "good-record-acknowledged",
      ],
      storedWhenAcknowledged),
    ConformanceClause(
      "readable-when-acknowledged", .storage, .should, .lose,
      "What is acknowledged is in the store when the answer comes, or after the readDelay of the dialect",
      because:
        "what is committed after its answer is lost when the process ends in between: the SDK has deleted it (SDK §9.1)",
      phase: .first, presumes: ["good-record-acknowledged", "stored-when-acknowledged", "answer-waits-for-body"],
      readableWhenAcknowledged),
    ConformanceClause(
      "right-device", .storage, .must, .wrong, "A record is stored under the device that sent it",
      because:
        "a default record does not name its device: the path, a header, a param, the extras or the token does, as the dialect says (SDK §22, row 30)",
      phase: .first, presumes: ["good-record-acknowledged", "stored-when-acknowledged"], rightDevice),
    ConformanceClause(
      "status-documented", .storage, .should, .repeat, "Success is 200, 201 or 204",
      because:
        "the documents of version 4 of the SDK list no other success, and only those of version 5 say any 2xx (SDK §9.1)",
      needs: [], phase: .last
    ) { run in
      if let seen = run.watch.seen.unusualSuccess {
        throw run.fail(seen: seen, "uploads are acknowledged with \(seen.words)")
      }
      guard run.watch.seen.successes > 0 else { throw ClauseStop.notJudged("no success was seen") }
    },
    ConformanceClause(
      "answer-in-time", .storage, .must, .repeat, "An upload of one record is answered within ten seconds",
      because:
        "after http.timeout the SDK gives the request up as failed and sends the record again (HttpConfig; SDK §9.5)",
      threads: ["react-native#931", "react-native#1933"], needs: [], answerInTime),
    ConformanceClause(
      "refused-means-kept-out-or-once", .storage, .must, .wrong,
      "A record that was refused or not answered is stored once after it is sent again",
      because: "the SDK keeps the record and repeats it until it is acknowledged (SDK §9.4)",
      needs: [.store],
      presumes: [
        "same-record-at-once", "many-devices-at-once", "batch-all-stored", "resend-after-cut-answer",
        "resend-batch-after-cut-answer",
      ], refusedThenOnce),
    ConformanceClause(
      "cut-request-stores-nothing-half", .storage, .must, .lose,
      "A request that was cut off is not acknowledged, and stored whole when it is repeated",
      because: "a phone that loses its network in the middle of a request sends the whole batch again (SDK §9.1)",
      needs: [.store], phase: .risky,
      presumes: [
        "answer-waits-for-body", "many-devices-at-once", "batch-all-stored", "resend-batch-after-cut-answer",
        "split-request",
      ], cutRequest),
    ConformanceClause(
      "answer-waits-for-body", .storage, .must, .lose, "No answer before the whole body has come",
      because: "what is acknowledged before it was read is lost when the connection ends (SDK §9.5)",
      presumes: ["good-record-acknowledged"], answerWaits),
    ConformanceClause(
      "unreadable-not-acknowledged", .storage, .must, .lose, "A body that is not JSON is not acknowledged",
      because: "a middlebox that cuts a body would make the SDK delete what nothing can read (SDK §9.1)",
      threads: ["dawarich#768"], phase: .risky,
      presumes: ["answer-waits-for-body", "no-page-with-200"],
      unreadable),
    ConformanceClause(
      "empty-body-not-acknowledged", .storage, .should, .lose, "An empty body is not acknowledged",
      because: "a proxy that drops bodies would make the SDK delete its records (SDK §9.1)",
      phase: .risky,
      presumes: ["answer-waits-for-body", "no-page-with-200", "unreadable-not-acknowledged"], emptyBody),
    ConformanceClause(
      "store-reads-all", .storage, .must, .wrong, "The store lists all records of a device, page by page",
      because:
        "what a listing leaves out looks like a loss; it is asked for batches of ten, which are known to be stored, and for three records of each time, which a page may not part, of whatever size up to a thousand it is",
      presumes: ["batch-all-stored", "split-request", "same-time-two-records", "same-second-two-records"], storeReadsAll
    ),
  ]

  private static func noRedirect(_ run: ClauseRun) throws {
    let phone = try run.phone()
    phone.put([run.fix(phone)])
    guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
    if case .failed(let failure, let message) = upload.outcome {
      if failure == .timeout { run.suspect = "answer-length-true" }
      if [.refused, .unresolvable, .unreachable, .tls].contains(failure) {
        run.facts.note(obstacle: "the target cannot be reached: \(message)")
      }
      throw ClauseStop.notJudged("no answer: \(message)")
    }
    if let problem = upload.outcome.wantedConnection { throw run.endOfJudging(problem) }
    guard 300..<400 ~= upload.status else { return }
    let place = upload.head[HeaderName.location].map { " to \($0)" } ?? ""
    throw run.fail("uploads are answered with status \(upload.status)\(place)", upload)
  }

  private static func secondConnection(_ run: ClauseRun) throws {
    func uploads(within milliseconds: Double? = nil) throws -> ConformancePhone.Upload? {
      let phone = try run.phone(signsIn: false) { if let milliseconds { $0.http.timeoutMilliseconds = milliseconds } }
      phone.put([run.fix(phone)])
      return phone.upload().last
    }
    var second: ConformancePhone.Upload?
    // One of several nodes behind an address may be slow. Three failed attempts rule out coincidence.
    for attempt in 0..<3 {
      // One or two uploads first, alternately, so that a round-robin balancer does not choose the same node each time.
      for _ in 0...attempt % 2 {
        _ = run.leaveLine()
        guard case .answered? = try uploads()?.outcome else { throw ClauseStop.notJudged("an upload was not answered") }
      }
      second = try besideConnection(of: run) { try uploads(within: 3_000) }
      guard case .failed? = second?.outcome else { return }
    }
    guard case .failed(_, let message)? = second?.outcome else { return }
    for _ in 0..<3 {
      _ = run.leaveLine()
      guard case .answered? = try uploads(within: 3_000)?.outcome else {
        throw ClauseStop.notJudged("an upload was not answered: \(message)")
      }
    }
    throw run.fail(
      "an upload was not answered while another, idle connection was open, and was answered after that connection had closed: \(message)",
      second)
  }

  /// Runs `body` while the connections of earlier phones stay open, then closes all.
  private static func besideConnection<Result>(of run: ClauseRun, _ body: () throws -> Result) rethrows -> Result {
    let line = run.leaveLine()
    defer {
      withExtendedLifetime(line) {}
      _ = run.leaveLine()
    }
    return try body()
  }

  private static func goodRecord(_ run: ClauseRun) throws {
    try findOutTokens(run)
    // One of the two forms suffices here; other clauses check that both are understood.
    let phone = try run.phone { $0.http.batchSync = false }
    phone.put([run.fix(phone)])
    guard let single = run.uploadWithRetries(phone).last else { return }
    if phone.queuedCount == 0 { return try oneByOne(run, phone) }
    if run.facts.takesBatches {
      let other = try run.phone { $0.http.batchSync = true }
      other.put([run.fix(other)])
      if run.uploadWithRetries(other).last?.isSuccess ?? false { return try oneByOne(run, other) }
    }
    throw run.refusalOfAll(single, of: "a record")
  }

  /// Tests single uploads. A server that fails now and then, whatever it is sent, is a finding of its own: the SDK takes 5xx
  /// for a failure, even if the record was stored, and sends it again. One failure may be that of a start; 429, and 503 with
  /// Retry-After, are a limit and not a failure.
  private static func oneByOne(_ run: ClauseRun, _ phone: ConformancePhone) throws {
    let deadline = run.now + .seconds(2)
    var (sent, failed, limited) = (0, [ConformancePhone.Upload](), 0)
    while sent < 9, run.now < deadline {
      phone.put([run.fix(phone)])
      guard let upload = phone.upload().last else { return }
      sent += 1
      // Those before it were answered over the same connection.
      if case .failed(.timeout, _) = upload.outcome { run.suspect = "keep-alive" }
      let isLimit = ClauseRun.isLimit(upload)
      guard upload.status >= 500 || isLimit else { continue }
      if isLimit { limited += 1 } else { failed.append(upload) }
      _ = run.uploadWithRetries(phone)
    }
    if sent < 9 { run.facts.noteSlowness() }
    if limited > 0 { run.note = "the backend throttles: \(limited) of \(sent) good records had to be sent again" }
    guard let last = failed.last else { return }
    if failed.count == 1 { return run.note(failure: last) }
    throw run.fail(
      "\(failed.count) of \(sent) good records, sent one by one, were \(last.outcome.answer(120))",
      last)
  }

  /// Finds out whether uploads need tokens, where the dialect does not define it: without a token, and with an invalid one.
  private static func findOutTokens(_ run: ClauseRun) throws {
    guard run.facts.areTokensUnknown else { return }
    run.facts.note(TokenPromise.none)
    let bare = try run.phone { $0.authorization.refreshUrl = nil }
    bare.put([run.fix(bare)])
    guard var first = bare.upload().last else { return }
    if case .failed = first.outcome, let second = bare.upload().last { first = second }
    // A backend without answers costs a timeout per request.
    if case .failed = first.outcome { throw run.refusal(first, of: "a record") }
    let isRefused = [401, 403].contains(first.status)
    guard run.target.login != nil else {
      guard isRefused else { return }
      let reason =
        "uploads need credentials that the dialect does not give: they are \(first.outcome.answer(100)); a key or token belongs into app.http.headers, and 'login' says how a device gets its own"
      throw run.endOfJudging(reason)
    }
    if isRefused { return run.facts.note(.required) }
    let stranger = try run.phone {
      $0.authorization.accessToken = "none-of-yours"
      $0.authorization.refreshUrl = nil
    }
    stranger.put([run.fix(stranger)])
    if stranger.upload().last.map({ [401, 403].contains($0.status) }) ?? false { run.facts.note(.optional) }
  }

  private static func readableWhenAcknowledged(_ run: ClauseRun) throws {
    for _ in 0..<(run.facts.isStoreSlow ? 2 : 5) {
      let phone = try run.phone()
      let record = run.fix(phone)
      try run.deliver(phone, [record])
      guard try run.firstLook(for: record, of: phone.name).missing.isEmpty else {
        run.showRequest(of: record)
        throw run.fail("a record was acknowledged and is not stored", sign: .loss)
      }
    }
    if run.facts.recordsMax > 1 {
      let phone = try run.phone { $0.http.batchSync = true }
      let records = run.fixes(phone, 20)
      try run.deliver(phone, records)
      // The storage of the whole batch is tested by another clause.
      if let last = records.last { _ = try run.firstLook(for: last, of: phone.name) }
    }
    let promised = run.target.dialect.verification.readDelay
    guard let missing = run.facts.missingUntil, missing >= promised else { return }
    throw run.fail(
      "a record was not in the store \(missing.wholeMilliseconds) ms after its acknowledgement, and came within \(run.facts.lag.wholeMilliseconds) ms: it is committed after the answer, or the list lags behind (say so with verify.readDelay)"
    )
  }

  private static func answerInTime(_ run: ClauseRun) throws {
    let phone = try run.phone { $0.http.batchSync = false }
    let uploads = try run.deliver(phone, [run.fix(phone)])
    if let slow = uploads.first(where: { $0.duration > ClauseRun.answerTime }) {
      throw run.fail("an answer took \(slow.duration.wholeMilliseconds) ms", slow)
    }
    run.note = "\(uploads.last?.duration.wholeMilliseconds ?? 0) ms"
  }

  private static func refusedThenOnce(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let records = run.fixes(phone, 4)
    let request = try run.request(phone, records)
    for _ in 0..<3 {
      let connection = try run.connect()
      connection.send(RawRequest(request).bytes)
      connection.resetAtTheEnd()
    }
    run.lose(request, of: phone)
    try run.deliver(phone, as: "records that were sent before")
    try run.expectOnce(records, of: phone.name, among: " after three attempts without an answer")
  }
}
