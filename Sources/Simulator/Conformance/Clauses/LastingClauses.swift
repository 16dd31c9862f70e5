import BackendStore
import Base
import Contract
import Scenario
import Upload

/// The first records of a run, at its end: tests for a store that forgets, and for one that recognizes
/// repetitions only for a while.
extension ConformanceClause {
  static let lasting: [ConformanceClause] = [
    ConformanceClause(
      "stays-stored", .storage, .must, .lose,
      "What was stored at the beginning of the run is stored at its end, as it was",
      because: "the phone has deleted it: a store that drops it, for its age or for its room, loses it (SDK §9.1)",
      phase: .late,
      presumes: [
        "stored-when-acknowledged", "ack-survives-stop", "ack-survives-kill",
        "same-before-and-after-restart",
      ], staysStored),
    ConformanceClause(
      "resend-much-later", .repetition, .must, .wrong,
      "The first record of the run is acknowledged when it comes again at the end, and stays stored once",
      because:
        "a phone without network, or whose app was killed, sends again what was stored long ago: a memory of a few seconds does not know it (SDK §9.4, §9.5)",
      phase: .late,
      presumes: [
        "resend-acknowledged-again", "resend-after-cut-answer", "resend-after-many", "resend-after-restart",
        "stays-stored", "readable-when-acknowledged",
      ], resendMuchLater),
  ]

  private static func staysStored(_ run: ClauseRun) throws {
    if run.target.dialect.promises.oldest < .seconds(86_400) {
      throw ClauseStop.notApplicable("the dialect keeps records for less than a day")
    }
    if let first = run.facts.firstDelivery { try waitAfter(first, run) }
    let seen = run.facts.stored
    guard !seen.isEmpty else { throw ClauseStop.notJudged("no clause has seen a record in the store") }
    let end = run.now + run.settings.timeForDevices
    let complete = try run.complete(seen.map { ($0.device, $0.records.map(\.uuid)) }, until: end)
    var gone: [(delivery: StoredDelivery, look: ClauseRun.FoundRecords)] = []
    var looked = complete.count
    for index in seen.indices where complete[index] == nil && run.now < end {
      let look = try run.look(for: seen[index].records, of: seen[index].device)
      looked += 1
      if !look.missing.isEmpty { gone.append((seen[index], look)) }
    }
    run.note = "of \(looked) clauses"
    run.log.noteUnscriptable()
    guard let first = gone.first else {
      let compared = try expectUnchanged(seen, until: end, run)
      if looked == seen.count, compared == seen.count { return }
      let words =
        looked < seen.count
        ? "it was asked for records of \(looked) of \(seen.count) clauses"
        : "the contents of \(compared) of \(seen.count) clauses were compared"
      throw ClauseStop.partly("the store takes so long that \(words)")
    }
    let words = gone.prefix(4).map {
      "\($0.look.missing.count) of \($0.delivery.records.count) of \($0.delivery.clause)"
    }
    let more = gone.count > 4 ? " and of \(gone.count - 4) more" : ""
    throw run.fail(
      "records that were seen in the store are not there any more: \(words.joined(separator: ", "))\(more)",
      stored:
        "of '\(first.delivery.device)': \(first.look.listed) entries, without \(first.look.missing[0].uuid.upperCaseText)"
    ).seen(in: first.delivery.clause)
  }

  /// Checks as many as time permits, and returns how many. Params belong to an upload and may be repeated with other values.
  private static func expectUnchanged(
    _ seen: [StoredDelivery], until end: MonotonicInstant, _ run: ClauseRun
  ) throws -> Int {
    var compared = 0
    for delivery in seen where run.now < end {
      compared += 1
      let look = try run.look(for: delivery.records, of: delivery.device)
      for (record, before) in zip(delivery.records, delivery.entries) {
        guard let before, let after = look.entry(of: record),
          let change = ListingChange.difference(from: before, to: after, besides: "params")
        else { continue }
        throw run.fail(
          "a record that \(delivery.clause) has seen in the store is another one now: \(change)", harm: .wrong,
          stored: after.entry.shown.shortened(300), sign: .changedLater
        ).seen(in: delivery.clause)
      }
    }
    return compared
  }

  /// Waits until the first record is old enough, because in a run of few clauses little time has passed.
  private static func waitAfter(_ first: FirstDelivery, _ run: ClauseRun) throws {
    while true {
      let left = run.settings.timeAway - (run.now - first.acknowledged)
      if left <= .zero { return }
      try run.keepTime()
      run.pause(Int(min(left, .seconds(1)).wholeMilliseconds) + 1)
    }
  }

  private static func resendMuchLater(_ run: ClauseRun) throws {
    guard let first = run.facts.firstDelivery else { throw ClauseStop.notJudged("no record was acknowledged") }
    try waitAfter(first, run)
    let age = "\((run.now - first.acknowledged).wholeMilliseconds / 1_000) s"
    let phone = try run.phone(exactly: first.device, tokens: first.tokens)
    run.log.noteUnscriptable()
    try deliverAgain(first, by: phone, as: "a record that was acknowledged \(age) before", run)
    try run.expectOnce([first.record], of: phone.name, among: " that was sent again \(age) after it was acknowledged")
    run.note = "after \(age)"
  }

  /// How long tokens last, and whether they can be refreshed, other clauses judge: the device logs in again for new ones.
  private static func deliverAgain(
    _ first: FirstDelivery, by phone: ConformancePhone, as what: String, _ run: ClauseRun
  ) throws {
    func lacksToken(_ upload: ConformancePhone.Upload) -> Bool {
      first.tokens != nil && (upload.request.purpose == .refresh || [401, 403].contains(upload.status))
    }
    phone.put([first.record])
    var last = run.uploadWithRetries(phone).last
    if phone.queuedCount > 0, last.map(lacksToken) ?? false {
      let tokens = try run.signIn(first.device)
      phone.configure { $0.take(tokens) }
      last = run.uploadWithRetries(phone).last
    }
    guard phone.queuedCount > 0, let last else { return }
    if run.isOutOfTime { throw ClauseStop.outOfTime }
    if lacksToken(last) { throw ClauseStop.notJudged("no token was taken: \(last.outcome.answer(100))") }
    throw run.refusal(last, of: what)
  }
}

/// A record that was acknowledged at the start.
struct FirstDelivery: Sendable {
  let record: SentRecord
  let device: String
  let tokens: DeviceTokens?
  let acknowledged: MonotonicInstant

  init(of record: SentRecord, by phone: ConformancePhone, at instant: MonotonicInstant) {
    let authorization = phone.configuration.authorization
    (self.record, device, acknowledged) = (record, phone.name, instant)
    tokens = authorization.accessToken.map {
      DeviceTokens(access: $0, refresh: authorization.refreshToken, expires: authorization.expires, unreadExpiry: nil)
    }
  }
}

/// Records that a clause has seen in the store.
struct StoredDelivery: Sendable {
  let clause: String
  let device: String
  let records: [SentRecord]
  /// The entry of each.
  let entries: [StoredRecord?]
}
