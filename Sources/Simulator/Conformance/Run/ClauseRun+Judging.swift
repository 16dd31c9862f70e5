import BackendStore
import Base
import Contract
import HTTP1
import Scenario
import Upload

/// What every clause asks: was it acknowledged, is it stored, once, as it was sent?
extension ClauseRun {
  static let answerTime = Nanoseconds.seconds(10)

  /// Uploads until the queue is empty.
  @discardableResult
  func deliver(_ phone: ConformancePhone, _ records: [SentRecord] = [], as what: String = "the upload") throws
    -> [ConformancePhone.Upload]
  {
    phone.put(records)
    try keepTime()
    var all = uploadPatiently(phone)
    if phone.queuedCount > 0 { try keepTime() }
    // One failure alone ends no run: the clauses of the first phase are what all others stand on.
    if phone.queuedCount > 0, clause.phase == .first, let last = all.last, last.status == 0 || last.status >= 500 {
      all += uploadPatiently(phone)
      if phone.queuedCount == 0 { note(failure: last) }
    }
    guard let last = all.last else { throw ClauseStop.notJudged("the phone had nothing to send") }
    lastSent = RawRequest(last.request)
    if phone.queuedCount > 0 { throw refusal(last, of: what) }
    return all
  }

  /// No finding, as one may be that of a moment: the report tells it beside the verdict.
  func note(failure upload: ConformancePhone.Upload) {
    note =
      "a good upload was \(upload.outcome.answer(120)), and acknowledged when it was sent again"
  }

  /// No clause can judge the backend.
  func endOfJudging(_ reason: String) -> ClauseStop {
    facts.note(silence: reason)
    return .notJudged(reason)
  }

  func refusal(_ upload: ConformancePhone.Upload, of what: String, harm: ClauseHarm? = nil) -> ClauseStop {
    .broken(
      breach(
        "\(what) was \(upload.outcome.answer(160))", harm: harm ?? self.harm(of: upload.status),
        upload))
  }

  /// A record that is always refused blocks its queue, whatever the status.
  private func harm(of status: Int) -> ClauseHarm {
    status != 0 && clause.harm == .block ? .block : ClauseRun.harm(of: status)
  }

  /// What an answer other than success makes of a queue.
  static func harm(of status: Int) -> ClauseHarm { 400..<500 ~= status || 300..<400 ~= status ? .block : .repeat }

  func breach(_ cause: String, harm: ClauseHarm? = nil, _ upload: ConformancePhone.Upload? = nil, stored: String = "")
    -> Breach
  {
    if let upload { lastSent = RawRequest(upload.request) }
    var breach = Breach(cause: cause, harm: harm ?? clause.harm)
    breach.sent =
      lastSent.map { request in
        "\(request.method) \(request.url), \(request.body.count) bytes: \(String(decoding: request.body.prefix(160), as: UTF8.self))"
      } ?? ""
    breach.answered = upload?.outcome.text ?? lastReply?.wholeText ?? ""
    breach.stored = stored
    if !hasOrdered, !hasNoCommandLine {
      let trust = target.transport.wordsOfCurl
      breach.curl = lastSent?.curl(trust)
      if breach.curl == nil, let lastSent, let body = String(validating: lastSent.body, as: UTF8.self) {
        (breach.curl, breach.body) = (lastSent.curl(trust, bodyIn: clause.bodyFile), body)
      }
      if let preface { breach.curl = breach.curl.map { "\(preface); \($0)" } }
      if isSentTwice { breach.curl = breach.curl.map { "for _ in 1 2; do \($0) & done; wait" } }
      if !clause.needs.contains(.restart) { breach.requests = log.asScenario }
    }
    if let upload { breach.signs.formUnion(BreachSign.of(upload)) }
    breach.status = upload?.status
    if let upload, isRefusedBatch(upload) { breach.remedy = ClauseRun.remedyOfBatches }
    if hasBareRecords { breach.signs.insert(.ofBareRecords) }
    return breach
  }

  /// The finding is about this record, whatever was sent behind it.
  func showRequest(of record: SentRecord) {
    guard let request = log.request(with: record.uuid), request.body != lastSent?.body else { return }
    lastSent = request
  }

  /// What decided is no request that a client would send.
  func fail(_ cause: String, harm: ClauseHarm? = nil, sent bytes: [UInt8]) -> ClauseStop {
    var breach = breach(cause, harm: harm)
    breach.sent = "\(bytes.count) bytes: \(String(decoding: bytes.prefix(160), as: UTF8.self))"
    (breach.curl, breach.body) = (TargetAddress(target.url)?.command(sending: bytes), nil)
    return .broken(breach)
  }

  func fail(
    _ cause: String, harm: ClauseHarm? = nil, _ upload: ConformancePhone.Upload? = nil, stored: String = "",
    sign: BreachSign? = nil
  ) -> ClauseStop {
    var breach = breach(cause, harm: harm, upload, stored: stored)
    if let sign { breach.signs.insert(sign) }
    if sign == .loss { breach.missing = missing }
    if sign == .loss || sign == .storedTwice, log.hasBatches { breach.signs.insert(.ofBatch) }
    return .broken(breach)
  }

  /// The store of the backend, as it is now.
  func stored(_ device: String) throws -> [StoredRecord] { try list(device).get() }

  /// How many entries it has of records without a uuid.
  func countOfNameless(_ device: String) throws -> Int { try list(device, mayBeNameless: true).get().count }

  /// Nil when the store refuses the question.
  func storedIfListed(_ device: String) throws -> [StoredRecord]? {
    do { return try stored(device) } catch ClauseStop.unread { return nil }
  }

  /// A store that fails now and then is asked again, unless it takes its time to fail. `.failure` is the end of a clause that
  /// needs the list: there is none of the device, and none of another has come yet.
  private func list(_ device: String, mayBeNameless: Bool = false) throws -> Result<[StoredRecord], ClauseStop> {
    guard let store = target.store else { throw ClauseStop.notJudged("the dialect has no 'verify'") }
    try keepTime()
    let deadline = now + .seconds(2)
    while true {
      do throws(StoreViewError) {
        let begin = now
        let records = try store.records(of: device, mayBeNameless: mayBeNameless || facts.listsUUIDs)
        facts.noteStoreRead(of: records.count, in: now - begin)
        if records.contains(where: { $0.uuid != nil }) { facts.noteUUIDs() }
        return .success(records)
      } catch {
        let stop = ClauseStop.unread("the store could not be read: \(error.text)")
        if error.isAbsence { return .failure(stop) }
        // Another look shows the same.
        if error.isNameless { throw stop }
        if target.client.end.isOver { throw ClauseStop.outOfTime }
        guard now < deadline else { throw stop }
        pause(300)
      }
    }
  }

  /// What a store has of some records.
  struct FoundRecords {
    let entries: [UUID128: [StoredRecord]]
    let listed: Int
    var missing: [SentRecord] = []
    var repeated: [SentRecord] = []
    /// There is no list of the device, and none of another has come yet.
    var absence: ClauseStop?
    /// The list of the device may go on behind what was read of it.
    var unreadPages: String?

    func entry(of record: SentRecord) -> StoredRecord? { entries[record.uuid]?.first }

    /// At the end of waiting a list that is missing, or that lacks records and goes on, is a store that cannot be read.
    func present() throws -> FoundRecords {
      if let absence { throw absence }
      if !missing.isEmpty, let unreadPages {
        throw ClauseStop.unread(
          "the store could not be read: \(unreadPages): say where the next one is with verify.next")
      }
      return self
    }

    /// Where the missing ones stood among those that were sent, for people: what they have in common is the cause.
    func placesOfMissing(among sent: [SentRecord]) -> String {
      let gone = Set(missing.map(\.uuid))
      let places = sent.indices.filter { gone.contains(sent[$0].uuid) }
      guard let first = places.first, let last = places.last else { return "none" }
      if places.count == sent.count { return "all" }
      if places.count == sent.count - 1, first == 1 || last == sent.count - 2 {
        return first == 1 ? "all but the first" : "all but the last"
      }
      if places.count == 1 { return last == sent.count - 1 ? "the last" : "number \(first + 1)" }
      if last - first == places.count - 1 {
        return last == sent.count - 1 ? "the last \(places.count)" : "numbers \(first + 1) to \(last + 1)"
      }
      let shown = places.prefix(6).map { "\($0 + 1)" }.joined(separator: ", ")
      return "numbers \(shown)\(places.count > 6 ? " and others" : "")"
    }
  }

  /// Looks until all of the records are there, or as long as the dialect allows them to be on their way.
  func look(for records: [SentRecord], of device: String) throws -> FoundRecords {
    let deadline = now + max(target.dialect.verification.readDelay, facts.lag + facts.lag) + .seconds(1)
    while true {
      var look = try look(of: records, device)
      if look.missing.isEmpty || now >= deadline {
        // What is written twice may be seen once, for a moment.
        let unsettled = unsettledTime
        if look.missing.isEmpty, unsettled > .zero {
          pause(Int(unsettled.wholeMilliseconds) + 1)
          try keepTime()
          look = try self.look(of: records, device)
        }
        noteMissing(look.missing, of: device)
        return try look.present()
      }
      try keepTime()
      pause(100)
    }
  }

  /// `remark` is about a store that is behind.
  private func timeSinceAnswer(_ remark: String) -> String {
    guard let last = log.lastAnswer else { return "" }
    let seconds = ((now - last).seconds * 10).rounded() / 10
    return ", \(seconds) s after the answer (\(remark) with verify.readDelay)"
  }

  /// Until the store shows all that has been answered, as the dialect promises.
  var unsettledTime: Nanoseconds {
    let delay = target.dialect.verification.readDelay
    // A clause that has sent nothing looks for what others have sent before it began.
    guard let last = log.isEmpty ? begin : log.lastAnswer else { return delay }
    return max(last + delay - now, .zero)
  }

  /// So long a backend may take that stores behind its answers.
  static let timeToAppear = Nanoseconds.seconds(10)

  /// Looks at once, and for as long as a backend may take that stores behind its answers; notes how late it was.
  func firstLook(for record: SentRecord, of device: String) throws -> FoundRecords {
    let start = now
    let deadline = start + target.dialect.verification.readDelay + ClauseRun.timeToAppear
    var missed: Nanoseconds?
    while true {
      let begin = now - start
      let look = try look(of: [record], device)
      if look.missing.isEmpty {
        if let missed { facts.note(missingUntil: missed, lag: begin) }
        return look
      }
      missed = begin
      try keepTime()
      if now >= deadline {
        noteMissing([record], of: device)
        return try look.present()
      }
      pause(50)
    }
  }

  private func look(of records: [SentRecord], _ device: String) throws -> FoundRecords {
    let all: [StoredRecord]
    switch try list(device) {
    case .success(let listed): all = listed
    case .failure(let absence): return FoundRecords(entries: [:], listed: 0, missing: records, absence: absence)
    }
    var entries: [UUID128: [StoredRecord]] = [:]
    for entry in all { if let uuid = entry.uuid { entries[uuid, default: []].append(entry) } }
    var look = FoundRecords(entries: entries, listed: all.count)
    for record in records {
      let count = entries[record.uuid]?.count ?? 0
      if count == 0 { look.missing.append(record) }
      if count > 1 { look.repeated.append(record) }
    }
    if !look.missing.isEmpty { look.unreadPages = target.store?.unreadPages(of: device) }
    guard look.missing.count == records.count, let first = look.missing.first else {
      facts.noteKnownUUIDs()
      return look
    }
    if let path = all.lazy.compactMap({ $0.entry.place(of: first.uuid) }).first {
      let named = all.first?.namedPlace(of: "uuid")
      throw ClauseStop.unread(
        "the store could not be read: \(StoreViewError.misnamed(target.storePlace ?? "", path: path, named: named).text)"
      )
    }
    if !facts.knowsUUIDs, let other = all.first(where: { isUnderAnotherName(first, $0) })?.uuid {
      throw ClauseStop.unread(
        "the store could not be read: what has the time and the place of the record \(first.uuid.upperCaseText) is listed as \(other.upperCaseText): let the list show the uuid of the record too, and name its place as 'uuid' in verify.fields"
      )
    }
    return look
  }

  /// What the store has of a record in the place of its uuid, where that is a part of the uuid.
  func cutIdentity(of record: SentRecord, _ device: String) -> String? {
    let whole = record.uuid.upperCaseText
    do throws(StoreViewError) {
      for entry in try target.store?.records(of: device, mayBeNameless: true) ?? [] {
        guard let text = entry.value("uuid")?.string, text.utf8.count >= 8, whole.hasPrefix(text.uppercased()) else {
          continue
        }
        return text
      }
    } catch { return nil }
    return nil
  }

  /// Rows have identities of their own in many stores, and show no other.
  private func isUnderAnotherName(_ record: SentRecord, _ entry: StoredRecord) -> Bool {
    ["timestamp", "coords.latitude", "coords.longitude"].allSatisfy { field in
      guard let sent = record.value.value(at: field), let stored = entry.value(field) else { return false }
      return StoredField.difference(stored, sent, field) == nil
    }
  }

  /// Each of them is stored once under its device. `among` tells which records these are, as "of the batch of 10".
  @discardableResult
  func expectOnce(
    _ records: [SentRecord], of device: String, among: String = "", harm: ClauseHarm? = nil
  ) throws -> FoundRecords {
    let look = try look(for: records, of: device)
    let all = records.count
    if !look.missing.isEmpty {
      if try isCutOff(look, of: device) { throw ClauseStop.partly(endOfList(look)) }
      let which = look.missing.prefix(2).map(\.uuid.upperCaseText).joined(separator: ", ")
      let count = look.missing.count
      if let first = look.missing.first { showRequest(of: first) }
      try expectNotElsewhere(look, among: records, of: device, among)
      let places = look.placesOfMissing(among: records)
      let several = "\(count) of \(all) records\(among) were acknowledged and are not"
      let late = timeSinceAnswer("what a store shows later it promises")
      let loss = fail(
        all == 1
          ? "the record\(among) was acknowledged and is not stored"
          : "\(several) stored: \(places)",
        harm: harm ?? .lose,
        stored: "of '\(device)': \(look.listed) entries, without \(which)\(late)", sign: .loss)
      throw doubted(loss, of: look.missing)
    }
    if let twice = look.repeated.first {
      let rows = look.entries[twice.uuid]?.count ?? 0
      showRequest(of: twice)
      throw fail(
        all == 1
          ? "the record\(among) is stored \(rows) times"
          : "\(look.repeated.count) of \(all) records\(among) are stored more than once", harm: .wrong,
        stored:
          "\(twice.uuid.upperCaseText) stands there \(rows) times\(timeSinceAnswer("a store that merges them later says so"))",
        sign: .storedTwice)
    }
    facts.noteStored(records, of: device, by: clause, look)
    return look
  }
}
