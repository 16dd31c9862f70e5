import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Scenario
import Upload

/// Batches, backlogs and their order.
extension ConformanceClause {
  static let batches: [ConformanceClause] = [
    ConformanceClause(
      "batch-all-stored", .batches, .must, .lose, "All ten records of a batch are stored",
      because: "one 2xx is for all of them, and the SDK deletes all (HttpConfig batchSync; SDK §8.2)",
      threads: ["flutter#176", "react-native#124", "cordova#528"]
    ) { run in
      try run.needBatches()
      try batch(run, of: min(10, run.facts.recordsMax))
    },
    ConformanceClause(
      "batch-of-one", .batches, .must, .block, "A batch of one record is understood",
      because: "with batchSync one record is still an array (SDK §8.2)", presumes: ["batch-all-stored", "root-array"]
    ) { try batch($0, of: 1) },
    ConformanceClause(
      "batch-250", .batches, .must, .lose, "All 250 records of a request are stored",
      because: "maxBatchSize is often 250, and unlimited by default (HttpConfig)",
      presumes: ["batch-all-stored", "store-reads-all"]
    ) { try batch($0, of: 250) },
    ConformanceClause(
      "backlog-5000", .batches, .must, .lose,
      "A backlog of 5,000 records in pages of 250, or of the app's maxBatchSize, is stored, each page answered in time",
      because: "after a day without network the queue is sent page after page on one connection (SDK §8.4)",
      threads: ["react-native#931"], presumes: ["batch-all-stored", "store-reads-all", "batch-250"], backlog),
    ConformanceClause(
      "body-over-1-mb", .batches, .must, .lose,
      "A body of 1.5 MB is acknowledged and stored, with its whole texts where the store shows extras",
      because:
        "maxBatchSize is unlimited by default, and proxies stop at 1 MiB unless told otherwise (SDK §8.4, §22, row 15)",
      threads: ["react-native#1178"], phase: .alone,
      presumes: ["batch-all-stored", "store-reads-all", "batch-250", "backlog-5000", "extras-8-kb"]
    ) { try large($0, of: 1_500_000, records: 2_000) },
    ConformanceClause(
      "body-10-mb", .batches, .should, .block,
      "A body of 10 MB is acknowledged and stored, with its whole texts where the store shows extras",
      because: "a week without network makes such bodies (SDK §22, row 15)", threads: ["react-native#1178"],
      phase: .alone,
      presumes: ["batch-all-stored", "store-reads-all", "batch-250", "backlog-5000", "extras-8-kb", "body-over-1-mb"]
    ) { try large($0, of: 10_000_000, records: 9_472) },
    ConformanceClause(
      "newest-first", .batches, .must, .lose, "Records that arrive newest first are all stored",
      because: "locationsOrderDirection may be DESC (SDK §8.4)", threads: ["geopulse#268"],
      presumes: ["batch-all-stored", "late-behind-newer", "week-late"], newestFirst),
    ConformanceClause(
      "late-behind-newer", .batches, .must, .lose,
      "A record that is an hour, a day or six days older than the newest of its device is stored too",
      because: "records that waited arrive behind newer ones (SDK §22, row 3)",
      threads: ["react-native#275", "flutter#726", "cordova#1327"], lateBehindNewer),
    ConformanceClause(
      "week-late", .batches, .must, .lose, "A record of seven days ago is acknowledged and stored",
      because: "the queue keeps records as long as maxDaysToPersist says (SDK §7.4)", presumes: ["late-behind-newer"],
      weekLate),
    ConformanceClause(
      "minute-early", .batches, .must, .lose,
      "A record of a minute in the future is acknowledged and stored with its time",
      because: "the clocks of phones are wrong, and GPS time does not come from them (SDK §5.1)",
      presumes: ["time-to-the-millisecond", "time-is-utc"], minuteEarly),
    ConformanceClause(
      "day-early", .batches, .should, .lose, "A record of a day and a half in the future is acknowledged and stored",
      because:
        "the clock of a phone may be set to another day; what is useful is for the reader to decide, and the phone deletes the record either way (SDK §5.1)",
      presumes: ["minute-early"], dayEarly),
    ConformanceClause(
      "alive-after-bad-record", .batches, .must, .block,
      "After a bad record good ones are acknowledged and stored as before",
      because: "a transaction that is left open, or a worker that has died, blocks every phone (SDK §22, row 1)",
      phase: .risky,
      presumes: ["batch-all-stored"], aliveAfterBad),
    ConformanceClause(
      "bad-record-in-batch", .batches, .must, .block,
      "One or two bad records in a batch of ten cost none of the others",
      because:
        "an answer cannot acknowledge a part of a batch: after a refusal the SDK sends all ten again and again, and a success without storage loses nine (SDK §9.1, §22, row 1)",
      threads: ["react-native#1037", "react-native#360", "capacitor#324", "mauron85#246"],
      phase: .risky, presumes: ["batch-all-stored", "alive-after-bad-record"], badInBatch),
    ConformanceClause(
      "bad-record-alone", .batches, .should, .block, "A bad record by itself is acknowledged",
      because:
        "a record that is refused stays at the head of the queue, with everything behind it (SDK §9.5, §22, row 1)",
      threads: ["react-native#360", "capacitor#324"], needs: [], phase: .risky,
      presumes: ["alive-after-bad-record", "bad-record-in-batch"], badAlone),
    ConformanceClause(
      "kinds-in-one-batch", .batches, .must, .lose,
      "Tracking, motion change, geofence, heartbeat and provider change records of one batch are all stored",
      because: "a queue holds what was recorded, of whatever kind (SDK §5.4)",
      presumes: [
        "batch-all-stored", "event-motionchange", "event-geofence", "event-heartbeat", "event-providerchange",
        "same-second-two-records",
      ], kinds),
    ConformanceClause(
      "batch-order-kept", .batches, .should, .wrong,
      "A batch is listed in its own order, where the listing promises the order of arrival",
      because: "the order alone tells which of several records with one time came first (SDK §8.4)",
      presumes: ["batch-all-stored", "store-reads-all"], order),
    ConformanceClause(
      "many-devices-at-once", .batches, .must, .lose,
      "Thirty devices that upload twenty records each, one by one and at once, are all acknowledged and stored",
      because:
        "a fleet begins to move at the same hour; 'database is locked' is an answer that brings everything back (SDK §9.3)",
      phase: .beforeParallel, presumes: ["right-device", "late-behind-newer", "root-object"], manyDevices),
  ]

  private static func batch(_ run: ClauseRun, of count: Int) throws {
    try run.needBatches(of: count)
    let phone = try run.phone { $0.http.batchSync = true }
    let records = run.fixes(phone, count)
    try run.deliver(phone, records, as: "a batch of \(count)")
    try run.expectOnce(records, of: phone.name, among: " of a batch of \(count)")
  }

  /// The number of pages that fit into the time.
  private static let pagesMax = 300

  private static func backlog(_ run: ClauseRun) throws {
    try run.needBatches(of: 1)
    let phone = try run.phone {
      $0.http.batchSync = true
      $0.http.maxBatchSize = 250
      $0.persistence.maxRecordsToPersist = -1
    }
    let (size, limit) = (min(250, run.facts.recordsMax), pagesMax)
    let records = run.fixes(phone, min(5_000, size * limit))
    let uploads = try run.deliver(phone, records, as: "a page of a backlog")
    if let slow = uploads.first(where: { $0.duration > ClauseRun.answerTime }) {
      throw run.fail("a page of \(size) took \(slow.duration.wholeMilliseconds) ms", harm: .repeat, slow)
    }
    try run.expectOnce(records, of: phone.name, among: " of a backlog")
    let count = records.count < 5_000 ? "\(records.count) records in " : ""
    run.note =
      "\(count)\(uploads.count) pages, the slowest in \(uploads.map(\.duration.wholeMilliseconds).max() ?? 0) ms"
  }

  /// Sends a body of the given size in bytes, of as many records as there are in whole parts of a hundred, or of 64 and 256:
  /// a loop over parts may lose the last one if it is full. It is padded with text in the extras of its records.
  private static func large(_ run: ClauseRun, of bytes: Int, records wanted: Int) throws {
    let count = min(wanted, run.facts.recordsMax)
    // A record has at most a kilobyte (SDK §8.4), so fewer of them do not make such a body.
    try run.needBatches(of: min(wanted, bytes / 1_000))
    let phone = try run.phone {
      $0.http.batchSync = true
      $0.http.timeoutMilliseconds = 30_000
      $0.persistence.maxRecordsToPersist = -1
    }
    let missing = bytes / count - run.fix(phone) { $0.extras = run.object(#"{"note":""}"#) }.bytes.count
    let note = run.object("{\"note\":\"\(String(repeating: "n", count: max(missing, 0)))\"}")
    // They end two hours ago, like all records, and never in the future.
    let records = (0..<count).map { number in
      run.fix(phone, at: run.instant(number - count)) { $0.extras = note }
    }
    phone.put(records)
    guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
    let size = "a body of \(Double(upload.request.body.count / 100_000) / 10) MB"
    run.lastSent = RawRequest(upload.request)
    guard upload.isSuccess else {
      throw run.fail("\(size) was \(upload.outcome.answer(120))", harm: .block)
    }
    try run.expectWholeNotes(of: records, in: try run.expectOnce(records, of: phone.name, among: " of \(size)"))
  }

  private static func newestFirst(_ run: ClauseRun) throws {
    let phone = try run.phone { $0.persistence.locationsOrderDirection = .descending }
    let records = run.fixes(phone, 12)
    try run.deliver(phone, records)
    try run.expectOnce(records, of: phone.name, among: " that came newest first")
  }

  private static func lateBehindNewer(_ run: ClauseRun) throws {
    let phone = try run.phone { $0.persistence.maxDaysToPersist = 30 }
    let newer = run.fix(phone)
    try run.deliver(phone, [newer])
    // The newest is two hours old.
    let hours = run.target.dialect.promises.oldest.wholeMilliseconds / 3_600_000 - 3
    for (age, words) in [(1, "an hour"), (25, "a day"), (145, "six days")] where age < hours {
      let time = newer.timestamp.advanced(byMilliseconds: Int64(age) * -3_600_000)
      // The maximum age of a record without a newer one is tested by another clause.
      if age > 1, !(try isTaken(at: time, run)) {
        run.note = "without one that is \(words) older, which is not stored by itself either (week-late)"
        break
      }
      let older = run.fix(phone, at: time)
      try run.deliver(phone, [older], as: "a record \(words) older than the newest of its device")
      try run.expectOnce([older], of: phone.name, among: ", \(words) older than the newest of its device,")
    }
    try run.expectOnce([newer], of: phone.name)
  }

  /// Reports whether a record of that time is stored if it is the only one of its device.
  private static func isTaken(at time: WallInstant, _ run: ClauseRun) throws -> Bool {
    let phone = try run.phone { $0.persistence.maxDaysToPersist = 30 }
    let record = run.fix(phone, at: time)
    phone.put([record])
    guard run.uploadWithRetries(phone).last?.isSuccess ?? false else { return false }
    return try run.look(for: [record], of: phone.name).missing.isEmpty
  }

  private static func weekLate(_ run: ClauseRun) throws {
    let week = Nanoseconds.seconds(7 * 86_400)
    // During the upload a record of a week ages by a moment.
    if run.target.dialect.promises.oldest < week + .seconds(60) {
      throw ClauseStop.notApplicable("the dialect promises to keep records of a week at most")
    }
    let phone = try run.phone { $0.persistence.maxDaysToPersist = 30 }
    let record = run.fix(phone, at: run.wallNow.advanced(byMilliseconds: -week.wholeMilliseconds))
    try run.deliver(phone, [record], as: "a record of a week ago")
    try run.expectOnce([record], of: phone.name, among: ", a week old,")
  }

  private static func minuteEarly(_ run: ClauseRun) throws {
    if let newest = run.target.dialect.promises.newest, newest <= .seconds(60) {
      throw ClauseStop.notApplicable("promises.newest is not longer than a minute")
    }
    let phone = try run.phone()
    let record = run.fix(phone, at: run.wallNow.advanced(byMilliseconds: 60_000))
    // When it is repeated, that minute has passed.
    run.log.noteUnscriptable()
    try run.deliver(phone, [record], as: "a record of the next minute")
    let look = try run.expectOnce([record], of: phone.name, among: ", a minute ahead of the clock,")
    try run.expectSame(["timestamp"], of: record, in: look)
  }

  /// With which time is left open: a backend may correct it.
  private static func dayEarly(_ run: ClauseRun) throws {
    let span = Nanoseconds.seconds(36 * 3_600)
    if let newest = run.target.dialect.promises.newest, newest <= span {
      throw ClauseStop.notApplicable("promises.newest is not longer than 36 hours")
    }
    let phone = try run.phone()
    let record = run.fix(phone, at: run.wallNow.advanced(byMilliseconds: span.wholeMilliseconds))
    run.log.noteUnscriptable()
    try run.deliver(phone, [record], as: "a record of a day and a half in the future")
    let look = try run.look(for: [record], of: phone.name)
    if look.missing.isEmpty { return }
    do {
      try run.expectOnce([record], of: phone.name, among: " of a day and a half in the future")
    } catch ClauseStop.broken(var breach) {
      breach.cause += ": a backend that drops such records on purpose states the limit with promises.newest"
      throw ClauseStop.broken(breach)
    }
  }

  private static func kinds(_ run: ClauseRun) throws {
    try run.needBatches()
    let phone = try run.phone()
    let records = [
      run.fix(phone), run.fix(phone) { $0.event = .motionchange },
      run.fix(phone) {
        $0.event = .geofence
        $0.geofence = GeofenceTrigger(identifier: "depot", action: .exit, timestamp: $0.timestamp)
      },
      run.fix(phone) { $0.event = .heartbeat },
      run.fix(phone) {
        $0.event = .providerchange
        $0.provider = .allowed
      },
    ]
    try run.deliver(phone, records)
    let look = try run.expectOnce(records, of: phone.name, among: " of five kinds")
    guard run.facts.shows("event"), run.facts.strange("event") == nil else { return }
    for record in records { try run.expectSame(["event"], of: record, in: look) }
  }

  private static func order(_ run: ClauseRun) throws {
    guard run.target.dialect.verification.isInArrivalOrder else {
      throw ClauseStop.notApplicable("the listing promises no order of arrival: verify.inArrivalOrder")
    }
    let phone = try run.phone()
    // Neither time nor place increases with their order.
    let records = (0..<12).map { run.fix(phone, at: run.instant(60 + $0 * 5 % 12)) }
    let sent = try run.deliver(phone, records).flatMap { $0.request.payload?.uuids ?? [] }
    try run.expectOnce(records, of: phone.name)
    let listed = try run.stored(phone.name).compactMap(\.uuid)
    guard listed == sent else {
      let first = zip(listed, sent).enumerated().first { $0.element.0 != $0.element.1 }
      throw run.fail("the batch is listed in another order, from number \((first?.offset ?? 0) + 1) on")
    }
  }

  private static func manyDevices(_ run: ClauseRun) throws {
    let phones = try (0..<30).map { _ in try run.phone { ($0.http.batchSync, $0.http.maxBatchSize) = (false, 1) } }
    let each = run.facts.isSlow ? 3 : 20
    if run.facts.isSlow { run.note = "\(each) records each, as answers take long" }
    let sent: [[SentRecord]] = phones.map { run.fixes($0, each) }
    for (phone, records) in zip(phones, sent) { phone.put(records) }
    var (busy, count, refused) = (Int?.none, 0, [ConformancePhone.Upload]())
    let begin = run.now
    for _ in 0..<60 {
      let requests = phones.compactMap { phone in phone.takeRequest().map { (phone, $0) } }
      if requests.isEmpty { break }
      let uploads = try run.line().exchangeAll(requests.map { ($0.1, $0.0.number) })
      busy = nil
      for (phone, request) in requests {
        guard let upload = uploads.first(where: { $0.request === request }) else { continue }
        phone.answer(request, upload.outcome)
        count += 1
        if RateLimit.isThrottling(upload.status) {
          if ClauseRun.isLimit(upload) { busy = upload.status } else { refused.append(upload) }
          continue
        }
        try run.expectTokenAlive(upload.status)
        if upload.isSuccess { continue }
        // A single one is accepted; its rejection is another clause.
        run.hasNoCommandLine = true
        throw run.refusal(upload, of: "one of thirty uploads at once", harm: .repeat)
      }
      if let busy, run.now - begin > busyTime { throw try crowded(run, phones, sent, busy) }
      if uploads.contains(where: { RateLimit.isThrottling($0.status) }) { run.pause(100) }
    }
    if let phone = phones.first(where: { $0.queuedCount > 0 }) {
      throw run.refusedToTheEnd(
        refused, of: count, "'\(phone.name)' still has \(phone.queuedCount) records after 60 attempts")
    }
    try run.expectOnce(ofEach: zip(phones, sent).map { ($0, $1) }, among: " of one of thirty phones at once")
  }

  private static let busyTime = Nanoseconds.seconds(4)

  /// Judges simultaneous uploads that were partly rejected: a backend that accepts a limited number at once and rejects the others for a
  /// while keeps its promise.
  private static func crowded(
    _ run: ClauseRun, _ phones: [ConformancePhone], _ sent: [[SentRecord]], _ status: Int
  ) throws -> ClauseStop {
    run.facts.noteRefusedParallelUploads()
    let through = zip(phones, sent).filter { $0.0.queuedCount == 0 }
    try run.expectOnce(ofEach: through.map { ($0, $1) }, among: " of one of thirty phones at once")
    return .partly(
      "the backend was busy (status \(status)) for \(phones.count - through.count) of thirty phones at once")
  }
}

extension ProviderState {
  static let allowed = ProviderState(
    isEnabled: true, authorizationStatus: 3, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)
}
