import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import Scenario
import Upload

/// The checks of every clause: a record is acknowledged, and stored once and as it was sent.
extension ClauseRun {
  static let answerTime = Nanoseconds.seconds(10)

  /// Uploads until the queue is empty.
  @discardableResult
  func deliver(_ phone: ConformancePhone, _ records: [SentRecord] = [], as what: String = "the upload") throws
    -> [ConformancePhone.Upload]
  {
    phone.put(records)
    try keepTime()
    var all = uploadWithRetries(phone)
    if phone.queuedCount > 0 { try keepTime() }
    // A single failure must not end the run: all other clauses depend on those of the first phase.
    if phone.queuedCount > 0, clause.phase == .first, let last = all.last, last.status == 0 || last.status >= 500 {
      all += uploadWithRetries(phone)
      if phone.queuedCount == 0 { note(failure: last) }
    }
    guard let last = all.last else { throw ClauseStop.notJudged("the phone had nothing to send") }
    lastSent = RawRequest(last.request)
    if phone.queuedCount > 0 { throw refusal(last, of: what) }
    return all
  }

  /// Notes a failure that may be transient: the report mentions it beside the verdict, without a finding.
  func note(failure upload: ConformancePhone.Upload) {
    note =
      "a good upload was \(upload.outcome.answer(120)), and acknowledged when it was sent again"
  }

  /// Returns the stop of a run in which no clause can judge the backend.
  func endOfJudging(_ reason: String) -> ClauseStop {
    facts.note(obstacle: reason)
    return .notJudged(reason)
  }

  func refusal(_ upload: ConformancePhone.Upload, of what: String, harm: ClauseHarm? = nil) -> ClauseStop {
    .broken(
      breach(
        "\(what) was \(upload.outcome.answer(160))", harm: harm ?? self.harm(of: upload.status),
        upload))
  }

  /// Returns the effect of a status; a record that is always rejected blocks its queue, whatever the status.
  private func harm(of status: Int) -> ClauseHarm {
    status != 0 && clause.harm == .block ? .block : ClauseRun.harm(of: status)
  }

  /// Returns the effect of an unsuccessful answer on a queue.
  static func harm(of status: Int) -> ClauseHarm { 400..<500 ~= status || 300..<400 ~= status ? .block : .repeat }

  func breach(_ cause: String, harm: ClauseHarm? = nil, _ upload: ConformancePhone.Upload? = nil, stored: String = "")
    -> Breach
  {
    if let upload { lastSent = RawRequest(upload.request) }
    var breach = Breach(cause: cause, harm: harm ?? clause.harm)
    breach.sent =
      lastSent.map { request in
        "\(request.method) \(request.url), \(request.body.count) bytes: \(String(decoding: request.readableBody.prefix(160), as: UTF8.self))"
      } ?? ""
    breach.answered = upload?.outcome.text ?? lastReply?.wholeText ?? ""
    breach.stored = stored
    if !hasNoCommandLine {
      breach.reproduction = reproduction
      breach.requests = logOfFinding.scenario(takingSecretsOf: .uploads(of: target.fieldsOfApp))
    }
    if let upload { breach.signs.formUnion(BreachSign.of(upload)) }
    breach.status = upload?.status
    if let upload, isRefusedBatch(upload) { breach.remedy = ClauseRun.remedyOfBatches }
    if hasBareRecords { breach.signs.insert(.ofBareRecords) }
    return breach
  }

  /// Shows this record's request in the finding, whatever was sent after it.
  func showRequest(of record: SentRecord) {
    guard let request = log.request(with: record.uuid), request.readableBody != lastSent?.readableBody else { return }
    lastSent = request
  }

  /// Fails because of bytes that are not a client's request.
  func fail(_ cause: String, harm: ClauseHarm? = nil, sent bytes: [UInt8]) -> ClauseStop {
    var breach = breach(cause, harm: harm)
    let text = String(decoding: bytes.prefix(160), as: UTF8.self).map { $0 == "\r\n" ? " ⏎ " : String($0) }.joined()
    breach.sent = "\(bytes.count) bytes: \(text)"
    let command = hasNoCommandLine ? nil : TargetAddress(target.url)?.command(sending: bytes)
    breach.reproduction = command.map(Reproduction.init)
    return .broken(breach)
  }

  func fail(
    _ cause: String, harm: ClauseHarm? = nil, _ upload: ConformancePhone.Upload? = nil, stored: String = "",
    sign: BreachSign? = nil, isOfFew: Bool = false
  ) -> ClauseStop {
    var breach = breach(cause, harm: harm, upload, stored: stored)
    if isOfFew { breach.signs.insert(.ofPartOfList) }
    if let sign { breach.signs.insert(sign) }
    if sign == .loss { breach.missing = missing }
    if sign == .storedTwice { breach.repeated = repeated }
    if sign == .loss || sign == .storedTwice, log.hasBatches { breach.signs.insert(.ofBatch) }
    return .broken(breach)
  }

  /// Whether a list that leaves out a row of each page, or shows it twice, may be the reason.
  static func areFew(_ count: Int, of all: Int) -> Bool { count * 10 <= all }

  /// Fails because of an answer that any clause has met with; the finding shows what that one has sent.
  func fail(seen example: AnswerWatch.Example, _ cause: String? = nil) -> ClauseStop {
    logOfOther = example.log
    return fail(cause ?? example.words, example.upload).seen(in: example.clause)
  }

  /// Returns the current records of the backend's store.
  func stored(_ device: String) throws -> [StoredRecord] { try list(device).get().records }

  /// Returns the number of entries, which may have no uuid, once there are so many, or as many as there are when all must be visible.
  func countOfNameless(_ device: String, atLeast wanted: Int) throws -> Int {
    let deadline = timeToSee
    while true {
      let count = try list(device, mayBeNameless: true).get().records.count
      if count >= wanted || now >= deadline { return count }
      try keepTime()
      pause(100)
    }
  }

  /// Returns nil when the store rejects the query.
  func storedIfListed(_ device: String) throws -> [StoredRecord]? {
    do { return try stored(device) } catch ClauseStop.unread { return nil }
  }

  /// Lists a device's records. A store that fails is queried again for a short time. `.failure` means that the device has no
  /// list and no other one has been read yet; it stops a clause that needs the list.
  private func list(_ device: String, mayBeNameless: Bool = false) throws -> Result<StoredList, ClauseStop> {
    guard let store = target.store else { throw ClauseStop.notJudged("the dialect has no 'verify'") }
    lastListed = device
    try keepTime()
    let deadline = now + .seconds(2)
    while true {
      do throws(StoreViewError) {
        let begin = now
        let list = try store.list(of: device, mayBeNameless: mayBeNameless || facts.listsUUIDs)
        // The time of a query that waited for a rate limit says nothing about the store.
        facts.noteStoreRead(of: list.records.count, in: target.client.limit.words == nil ? now - begin : .zero)
        if list.records.contains(where: { $0.uuid != nil }) { facts.noteUUIDs() }
        return .success(list)
      } catch {
        let stop = ClauseStop.unread("the store could not be read: \(error.text)")
        if error.isAbsence { return .failure(stop) }
        // Another look would show the same.
        if error.isNameless { throw stop }
        if target.client.end.isOver { throw ClauseStop.outOfTime }
        guard now < deadline else { throw stop }
        pause(300)
      }
    }
  }

  /// The entries of a store for some records.
  struct FoundRecords {
    let entries: [UUID128: [StoredRecord]]
    let listed: Int
    var missing: [SentRecord] = []
    var repeated: [SentRecord] = []
    /// Set if the device has no list, and no other one has been read yet.
    var absence: ClauseStop?
    /// How the reading of the device's list ended.
    var end = ListEnd()

    func entry(of record: SentRecord) -> StoredRecord? { entries[record.uuid]?.first }

    /// Throws, at the end of waiting, if the list is missing, or lacks records and may have more pages: the store
    /// could not be read.
    func present() throws -> FoundRecords {
      if let absence { throw absence }
      if !missing.isEmpty, let unread = end.unread {
        throw ClauseStop.unread(
          "the store could not be read: \(unread): say where the next one is with verify.next")
      }
      return self
    }

    /// Returns the positions of the missing records among the sent ones, as text: their common property is the cause.
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

  /// Looks until all records are there, for as long as the dialect allows them to be invisible.
  func look(for records: [SentRecord], of device: String) throws -> FoundRecords {
    let deadline = timeToSee
    while true {
      var look = try look(of: records, device)
      if look.missing.isEmpty || now >= deadline {
        // A record that is written twice may be visible once at first.
        let unsettled = unsettledTime
        if look.missing.isEmpty, unsettled > .zero {
          pause(Int(unsettled.wholeMilliseconds) + 1)
          try keepTime()
          look = try self.look(of: records, device)
        }
        note(missing: look.missing, repeated: look.repeated, of: device)
        return try look.present()
      }
      try keepTime()
      pause(100)
    }
  }

  /// The time until which what was acknowledged may be invisible, from now on.
  private var timeToSee: MonotonicInstant {
    now + max(target.dialect.verification.readDelay, facts.lag + facts.lag) + .seconds(1)
  }

  /// `remark` is about a store that is behind.
  private func timeSinceAnswer(_ remark: String) -> String {
    guard let last = log.lastAnswer else { return "" }
    let seconds = ((now - last).seconds * 10).rounded() / 10
    return ", \(seconds) s after the answer (\(remark) with verify.readDelay)"
  }

  /// The remaining time until the store must show everything that has been answered, according to the dialect.
  var unsettledTime: Nanoseconds {
    let delay = target.dialect.verification.readDelay
    // A clause that has sent nothing looks for what others have sent before it began.
    guard let last = log.isEmpty ? begin : log.lastAnswer else { return delay }
    return max(last + delay - now, .zero)
  }

  /// The time limit for a backend that stores records after its answers.
  static let timeToAppear = Nanoseconds.seconds(10)

  /// Looks at once, and repeatedly for as long as a backend may take that stores records after its answers; notes the delay.
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
        note(missing: [record], of: device)
        return try look.present()
      }
      pause(50)
    }
  }

  private func look(of records: [SentRecord], _ device: String) throws -> FoundRecords {
    let (all, end): ([StoredRecord], ListEnd)
    switch try list(device) {
    case .success(let list): (all, end) = (list.records, list.end)
    case .failure(let absence): return FoundRecords(entries: [:], listed: 0, missing: records, absence: absence)
    }
    var look = FoundRecords(listing: all, end)
    for record in records {
      let count = look.entries[record.uuid]?.count ?? 0
      if count == 0 { look.missing.append(record) }
      if count > 1 { look.repeated.append(record) }
    }
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
        "the store could not be read: what has the time and the place of the record \(first.uuid.upperCaseText) is listed as \(other.upperCaseText): add the uuid of the record to the list, and name its place as 'uuid' in verify.fields"
      )
    }
    return look
  }

  /// Reports whether a record is quarantined, at a Rolling Road server.
  func isQuarantined(_ record: SentRecord, _ device: String) throws -> Bool {
    guard let list = target.quarantine else { return false }
    try keepTime()
    let (outcome, _) = target.client.ask(
      list.url.filling("device", device.percentEncoded), by: list.method, headers: list.headers, body: [])
    return String(decoding: outcome.body, as: UTF8.self).uppercased().contains(record.uuid.upperCaseText)
  }

  /// Returns what the store has in place of a record's uuid, if that is a part of it.
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

  /// Reports whether the entry is this record under another identity: in many stores rows have identities of their own,
  /// and show no other.
  private func isUnderAnotherName(_ record: SentRecord, _ entry: StoredRecord) -> Bool {
    ["timestamp", "coords.latitude", "coords.longitude"].allSatisfy { field in
      guard let sent = record.value.value(at: field), let stored = entry.value(field) else { return false }
      return StoredField.difference(stored, sent, field) == nil
    }
  }

  /// Requires that each record is stored once under its device. `among` describes these records, as in "of the batch of 10".
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
        stored: "of '\(device)': \(look.listed) entries, without \(which)\(late)", sign: .loss,
        isOfFew: ClauseRun.areFew(count, of: all))
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
          "\(twice.uuid.upperCaseText) is listed \(rows) times\(timeSinceAnswer("a store that merges them later says so"))",
        sign: .storedTwice, isOfFew: ClauseRun.areFew(look.repeated.count, of: all))
    }
    facts.noteStored(records, of: device, by: clause, look)
    // The clauses about content look at the fields that they are about.
    if clause.group != .content { try expectAsSent(records, in: look, among: among) }
    return look
  }
}
