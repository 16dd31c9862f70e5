import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Scenario
import Upload

/// Repeated records, and similar records.
extension ConformanceClause {
  static let repetition: [ConformanceClause] = [
    ConformanceClause(
      "resend-after-cut-answer", .repetition, .must, .repeat,
      "A record whose answer was lost is acknowledged when it comes again, and stored once",
      because:
        "the phone cannot know that the first request has arrived; the uuid is there to tell (LocationEvent; SDK §9.4)",
      threads: ["react-native#1516", "flutter#1401"], needs: [.store], phase: .beforeParallel
    ) { try again($0, records: 1) },
    ConformanceClause(
      "resend-batch-after-cut-answer", .repetition, .must, .repeat,
      "A batch whose answer was lost is acknowledged when it comes again, and stored once",
      because: "all rows of the request go out again (SDK §9.4)", needs: [.store],
      presumes: ["batch-all-stored", "resend-after-cut-answer"]
    ) { try again($0, records: 10) },
    ConformanceClause(
      "resend-grown-batch", .repetition, .must, .lose,
      "A batch of known and new records is acknowledged, and all are stored once",
      because:
        "after a lost answer the phone locks its rows from the head again, with what was recorded meanwhile (SDK §8.4, §9.2)",
      needs: [.store], presumes: ["batch-all-stored", "resend-batch-after-cut-answer"], grownBatch),
    ConformanceClause(
      "resend-acknowledged-again", .repetition, .must, .repeat,
      "A record that was acknowledged is acknowledged when it comes again, and stays stored once, as it was",
      because: "an app that is killed before it has deleted a record sends it again (SDK §9.2, §9.5)",
      phase: .beforeParallel,
      presumes: ["resend-after-cut-answer"], acknowledgedAgain),
    ConformanceClause(
      "resend-after-many", .repetition, .must, .wrong, "A record that comes again after 300 others is still known",
      because: "a comparison with the last fix, or with a few of them, does not know it any more (SDK §9.4)",
      presumes: ["batch-all-stored", "store-reads-all", "resend-after-cut-answer", "resend-acknowledged-again"],
      afterMany),
    ConformanceClause(
      "same-record-at-once", .repetition, .must, .repeat,
      "A record that comes over two connections at once is stored once",
      because: "rows go out again while a request that was given up is still being worked on (SDK §9.2)",
      needs: [.store],
      presumes: ["many-devices-at-once", "resend-after-cut-answer", "resend-acknowledged-again"], atOnce),
    ConformanceClause(
      "two-records-at-once", .repetition, .must, .lose,
      "Two records of one device that come over two connections at once are both stored when both are acknowledged",
      because:
        "the next request comes while one that was given up is still being worked on; a lock must not drop it (SDK §9.2)",
      presumes: ["many-devices-at-once", "same-record-at-once"], twoAtOnce),
    ConformanceClause(
      "same-time-two-records", .repetition, .must, .lose,
      "Two records of one time and different places are both stored",
      because: "a unique key of device and time takes two records for one (SDK §9.4)",
      threads: ["mds#191", "dawarich#1370"], presumes: ["same-second-two-records", "batch-all-stored", "jump-kept"]
    ) { try alike($0, milliseconds: 0, metres: 40) },
    ConformanceClause(
      "same-second-two-records", .repetition, .must, .lose, "Two records within one second are both stored",
      because: "times have milliseconds, and fixes come faster than once a second (SDK §5.1)",
      presumes: ["batch-all-stored"]
    ) { try alike($0, milliseconds: 300, metres: 4) },
    ConformanceClause(
      "same-place-two-records", .repetition, .must, .lose,
      "Two records of one place and different times are both stored",
      because: "a phone that rests records the same place again (SDK §9.4)", presumes: ["batch-all-stored"]
    ) { try alike($0, milliseconds: 60_000, metres: 0) },
    ConformanceClause(
      "same-time-and-place-two-events", .repetition, .must, .lose,
      "A motion change and records of two geofences, of one time and place, are all stored",
      because: "the engine makes them of one fix at a stop, and geofences overlap (SDK §5.4, §12.2)",
      threads: ["react-native#1703"],
      presumes: [
        "same-time-two-records", "same-place-two-records", "same-second-two-records", "event-geofence",
        "event-motionchange", "batch-all-stored",
      ], twoEvents),
    ConformanceClause(
      "twin-in-one-batch", .repetition, .should, .block, "A record that stands twice in one batch is stored once",
      because: "a unique key that refuses the whole batch blocks the queue (SDK §9.4)",
      presumes: ["batch-all-stored", "resend-after-cut-answer", "resend-grown-batch", "resend-acknowledged-again"], twin
    ),
    ConformanceClause(
      "resend-other-params", .repetition, .must, .wrong, "A record that comes again with other params is stored once",
      because: "params are read when the upload is made, and change while records wait (SDK §7.2)",
      threads: ["react-native#1934", "capacitor#324"], needs: [.store],
      presumes: ["resend-after-cut-answer"], otherParams),
    ConformanceClause(
      "resend-other-root", .repetition, .must, .wrong, "A record that comes again under another root is stored once",
      because: "an update of the app changes httpRootProperty while records wait (SDK §7.2)",
      needs: [.store],
      presumes: [
        "resend-after-cut-answer", "root-renamed", "batch-all-stored", "root-changed-with-full-queue", "root-dot-array",
      ], otherRoot),
    ConformanceClause(
      "no-uuid-two-records", .repetition, .must, .lose,
      "Two records without a uuid and of different content are both stored",
      because:
        "a template may leave the uuid out; a unique key with an empty uuid takes all such records for one (SDK §7.5)",
      presumes: ["template-object"], withoutUUID),
  ]

  private static func again(_ run: ClauseRun, records count: Int) throws {
    if count > 1 { try run.needBatches() }
    let phone = try run.phone { $0.http.batchSync = count > 1 || run.facts.prefersBatches }
    let records = run.fixes(phone, count)
    let request = try run.request(phone, records)
    let connection = try run.connect()
    connection.send(RawRequest(request).bytes)
    // The answer has been sent, and the phone does not receive it.
    _ = connection.isAnswered(within: ClauseRun.answerTime)
    run.lose(request, of: phone)
    try run.deliver(phone, as: "what was sent before and had no answer")
    try run.expectOnce(records, of: phone.name, among: " after it was sent twice")
  }

  private static func grownBatch(_ run: ClauseRun) throws {
    try run.needBatches()
    // The newest first, what is known comes last (SDK §8.4).
    for direction in [LocationsOrder.ascending, .descending] { try grownBatch(run, direction) }
  }

  private static func grownBatch(_ run: ClauseRun, _ direction: LocationsOrder) throws {
    let phone = try run.phone { $0.persistence.locationsOrderDirection = direction }
    let first = run.fixes(phone, 5)
    let request = try run.request(phone, first)
    let connection = try run.connect()
    connection.send(RawRequest(request).bytes)
    _ = connection.isAnswered(within: ClauseRun.answerTime)
    run.lose(request, of: phone)
    let later = run.fixes(phone, 3)
    try run.deliver(phone, later, as: "a batch of five records that were sent before and three new ones")
    try run.expectOnce(first + later, of: phone.name, among: " of five that were sent before and three new ones")
  }

  /// Sends a record of two days ago twice: a backend may know the records of the last day only.
  private static func oldAgain(_ run: ClauseRun) throws {
    guard run.target.dialect.promises.oldest > .seconds(60 * 3_600) else { return }
    let phone = try run.phone { $0.persistence.maxDaysToPersist = 30 }
    let record = run.fix(phone, at: run.instant(0).advanced(byMilliseconds: -50 * 3_600_000))
    phone.put([record])
    // Whether it is taken at all is tested by another clause.
    guard run.uploadWithRetries(phone).last?.isSuccess ?? false,
      try run.look(for: [record], of: phone.name).missing.isEmpty
    else { return }
    try run.deliver(phone, [record], as: "a record of two days ago that was acknowledged before")
    try run.expectOnce([record], of: phone.name, among: " of two days ago after it was acknowledged twice")
  }

  private static func acknowledgedAgain(_ run: ClauseRun) throws {
    try oldAgain(run)
    let phone = try run.phone()
    let record = run.fix(phone) { $0.extras = run.object(#"{"trip":"T 1"}"#) }
    try run.deliver(phone, [record])
    let before = try run.look(for: [record], of: phone.name).entry(of: record)
    // Without a pause, a store that takes the arrival time for the record's time might show the same millisecond twice.
    run.pause(20)
    try run.deliver(phone, [record], as: "a record that was acknowledged before")
    let look = try run.expectOnce([record], of: phone.name, among: " after it was acknowledged twice")
    guard let before, let after = look.entry(of: record),
      let change = ListingChange.difference(from: before, to: after)
    else { return }
    throw run.fail(
      "a record that was sent again has changed: \(change)", harm: .wrong, stored: after.entry.shown.shortened(300))
  }

  private static func afterMany(_ run: ClauseRun) throws {
    let phone = try run.phone { $0.http.maxBatchSize = 100 }
    let first = run.fix(phone)
    try run.deliver(phone, [first])
    let others = run.fixes(phone, run.facts.takesBatches ? 300 : 40)
    try run.deliver(phone, others)
    try run.deliver(phone, [first], as: "a record that comes again after \(others.count) others")
    try run.expectOnce([first], of: phone.name, among: " after \(others.count) others came in between")
  }

  private static func atOnce(_ run: ClauseRun) throws {
    let phone = try run.phone()
    var records: [SentRecord] = []
    for _ in 0..<20 {
      let record = run.fix(phone)
      records.append(record)
      let request = try run.request(phone, [record])
      let bytes = RawRequest(request).bytes
      let pair = [try run.connect(), try run.connect()]
      // All but the last byte first, then the last bytes together.
      for connection in pair { connection.send(Array(bytes.dropLast())) }
      for connection in pair { connection.send([bytes[bytes.count - 1]]) }
      let replies = pair.map { $0.reply(within: ClauseRun.answerTime) }
      run.lose(request, of: phone)
      if replies.contains(where: { !$0.isSuccess }) {
        try run.deliver(phone, as: "a record that was refused when it came twice at once")
      } else {
        try run.deliver(phone, as: "a record that came twice at once")
      }
    }
    run.isSentTwice = true
    try run.expectOnce(records, of: phone.name, among: " that came over two connections at once")
  }

  private static func twoAtOnce(_ run: ClauseRun) throws {
    let name = try run.phone(signsIn: false).name
    let tokens = run.facts.needsTokens ? try run.signIn(name) : nil
    let phones = try (0..<2).map { _ in try run.phone(exactly: name, tokens: tokens) }
    var acknowledged: [SentRecord] = []
    for _ in 0..<(run.facts.isSlow ? 4 : 20) {
      let sent = try phones.map { phone in
        let record = run.fix(phone)
        return (record: record, request: try run.request(phone, [record]))
      }
      let uploads = try run.line().exchangeAll(zip(sent, phones).map { ($0.request, $1.number) })
      for (phone, (record, request)) in zip(phones, sent) {
        guard let upload = uploads.first(where: { $0.request === request }) else { continue }
        // Rejected records are dropped, so that the next request has one record again.
        phone.answer(request, .answered(status: 200, reason: "", body: []))
        if upload.isSuccess { acknowledged.append(record) }
      }
      // Uploads that block each other are tested by another clause.
      if uploads.contains(where: { $0.status == 0 }) { break }
    }
    guard !acknowledged.isEmpty else { throw ClauseStop.notJudged("no upload was acknowledged") }
    run.hasNoCommandLine = true
    try run.expectOnce(acknowledged, of: name, among: " of two uploads of one device at once")
    run.note = "\(acknowledged.count) records"
  }

  private static func alike(_ run: ClauseRun, milliseconds: Int64, metres: Double) throws {
    for isBatch in [true, false] where run.facts.recordsMax > 1 || !isBatch {
      let phone = try run.phone { $0.http.batchSync = isBatch && run.facts.prefersBatches }
      let start = run.instant(run.random(below: 300) + (isBatch ? 0 : 400))
      let time = start.advanced(byMilliseconds: 100 - start.millisecondsSince1970 % 1_000)
      // A phone at one place rests.
      func rest(_ record: inout LocationRecord) { record.isMoving = metres > 0 }
      let first = run.fix(phone, at: time, latitude: 45.61, longitude: -116.21, rest)
      let second = run.fix(
        phone, at: time.advanced(byMilliseconds: milliseconds), latitude: 45.61 + metres / 111_000, longitude: -116.21,
        rest)
      // An app that always sends arrays has the second one in a separate array.
      if !isBatch { try run.deliver(phone, [first]) }
      try run.deliver(phone, isBatch ? [first, second] : [second])
      try run.expectOnce([first, second], of: phone.name, among: isBatch ? " of one batch" : " of two requests")
    }
  }

  private static func twoEvents(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let time = run.instant(7)
    let stop = run.fix(phone, at: time, latitude: 45.7, longitude: -116.4) {
      $0.event = .motionchange
      $0.isMoving = false
    }
    let fences = ["home", "street"].map { name in
      run.fix(phone, at: time, latitude: 45.7, longitude: -116.4) {
        $0.event = .geofence
        $0.geofence = GeofenceTrigger(identifier: name, action: .enter, timestamp: time)
      }
    }
    let records = [stop] + fences
    try run.deliver(phone, records)
    try run.expectOnce(
      records, of: phone.name, among: ", a motion change and records of two geofences of one instant,")
  }

  private static func twin(_ run: ClauseRun) throws {
    try run.needBatches(of: 3)
    let phone = try run.phone()
    let record = run.fix(phone)
    let request = try run.request(phone, [record, run.fix(phone)])
    var raw = RawRequest(request)
    let text = String(decoding: raw.body, as: UTF8.self)
    let one = String(decoding: record.bytes, as: UTF8.self)
    guard let place = text.firstRange(of: one) else {
      throw ClauseStop.notJudged("the record is not in the body as it is")
    }
    raw.body = Array((text[..<place.upperBound] + "," + one + text[place.upperBound...]).utf8)
    // A phone that sends single records has no list to insert it into.
    guard request.payload?.isBatch ?? false, StoredValue(raw.body) != nil else {
      throw ClauseStop.notJudged("no batch could be formed: the backend has refused the first one")
    }
    raw.declaredLength = raw.body.count
    let reply = try run.exchange(raw)
    guard reply.isSuccess else { throw run.fail("a batch with one record twice: \(reply.text)", harm: .block) }
    try run.expectOnce([record], of: phone.name, among: " after it stood twice in one batch")
  }

  private static func otherParams(_ run: ClauseRun) throws {
    try run.needFreeParams()
    let phone = try run.phone()
    let record = run.fix(phone)
    let request = try run.request(phone, [record])
    let connection = try run.connect()
    connection.send(RawRequest(request).bytes)
    _ = connection.isAnswered(within: ClauseRun.answerTime)
    run.lose(request, of: phone)
    phone.configure { draft in
      draft.addParam("trip", .string("another"))
    }
    try run.deliver(phone, as: "a record that comes again with other params")
    try run.expectOnce([record], of: phone.name, among: " after it was sent again with other params")
  }

  private static func otherRoot(_ run: ClauseRun) throws {
    guard let root = run.target.dialect.promises.roots.first(where: { $0 != "." }) else {
      throw ClauseStop.notApplicable("the dialect has one root")
    }
    let phone = try run.phone()
    let record = run.fix(phone)
    try run.deliver(phone, [record])
    phone.configure { $0.http.rootProperty = root }
    try run.deliver(phone, [record], as: "a record that comes again under the root '\(root)'")
    try run.expectOnce([record], of: phone.name, among: " after it was sent again under the root '\(root)'")
  }

  private static func withoutUUID(_ run: ClauseRun) throws {
    guard run.target.dialect.promises.takesTemplates else {
      throw ClauseStop.notApplicable("the dialect promises to take no templates but the app's own")
    }
    let phone = try run.phone {
      $0.persistence.locationTemplate =
        #"{"timestamp":"<%= timestamp %>","latitude":<%= latitude %>,"longitude":<%= longitude %>}"#
    }
    let records = run.fixes(phone, 2)
    try run.deliver(phone, records)
    let count = try run.countOfNameless(phone.name, atLeast: 2)
    if count < 2 {
      throw run.fail(
        "of two different records without a uuid \(count) is stored", stored: "\(count) entries", sign: .loss)
    }
  }
}
