import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Scenario
import Upload

/// Trials with the first records of a run, which show how the store lists a record, and under which device.
extension ConformanceClause {
  static func storedWhenAcknowledged(_ run: ClauseRun) throws {
    let singles = try run.phone { $0.http.batchSync = false }
    singles.put([run.fix(singles)])
    // A backend that is busy now and then has rejected no form.
    if run.uploadWithRetries(singles).last?.isSuccess ?? false {
      let batches = try run.phone { $0.http.batchSync = true }
      batches.put([run.fix(batches)])
      run.facts.note(prefersBatches: run.uploadWithRetries(batches).last?.isSuccess ?? false)
    }
    let phone = try run.phone()
    let record = run.fix(phone) { $0.extras = run.object(#"{"k":"v"}"#) }
    try run.deliver(phone, [record])
    var look: ClauseRun.FoundRecords?
    var problem: ClauseStop?
    do { look = try run.firstLook(for: record, of: phone.name) } catch let stop as ClauseStop { problem = stop }
    // The list of a device may be missing because nothing is stored for it.
    if case .unread? = problem, isAnotherListed(run) { problem = nil }
    run.showRequest(of: record)
    if look?.missing.isEmpty != true, let place = run.otherPlace(of: record, sentBy: phone.name) {
      throw run.fail("the record is stored, but not under its device: \(place)", harm: .wrong)
    }
    if problem != nil, let stored = run.cutIdentity(of: record, phone.name) {
      throw run.fail("the uuid of a record is stored as '\(stored)', a part of it", harm: .wrong)
    }
    if let problem { throw problem }
    look = try run.expectOnce([record], of: phone.name)
    if let entry = look?.entry(of: record) { try noteFields(run, of: record, entry, by: phone) }
    // Its tokens are those of its last upload.
    run.facts.note(firstDelivery: FirstDelivery(of: record, by: phone, at: run.now))
    try expectNotListedForAll(record, of: phone.name, run)
  }

  /// Uploads as another device, with a short name, and returns whether it has a list: then one that is missing is an empty one.
  private static func isAnotherListed(_ run: ClauseRun) -> Bool {
    let name = run.target.dialect.devices.names.name(
      for: "c\(run.settings.runID)-\(run.random(below: 1_000_000))")
    do {
      let phone = try run.phone(exactly: name, tokens: run.facts.needsTokens ? try run.signIn(name) : nil)
      let record = run.fix(phone)
      try run.deliver(phone, [record])
      return try run.look(for: [record], of: name).missing.isEmpty
    } catch { return false }
  }

  /// A list that shows a record to all does not ask for the device.
  private static func expectNotListedForAll(_ record: SentRecord, of device: String, _ run: ClauseRun) throws {
    // It begins and ends as no other name: a backend that keeps a part of a name is another clause. How a store refuses to list a
    // device that it does not know is its own affair.
    guard let listed = try run.storedIfListed("unknown-\(device)-unknown") else { return }
    guard listed.allSatisfy({ $0.uuid != record.uuid }) else {
      throw ClauseStop.notJudged(
        "the store lists this record for a device that does not exist: is {device} in the query?")
    }
  }

  /// Notes what the first records show of the store, and of the dialect's description of it.
  private static func noteFields(
    _ run: ClauseRun, of record: SentRecord, _ entry: StoredRecord, by phone: ConformancePhone
  ) throws {
    let isFlat = record.isTemplated && entry.value("extras")?.isNull ?? true
    if isFlat, entry.member(run.nameOfExtra("k"))?.string == "v" { run.facts.noteFlatExtras() }
    // Only a record with an event shows whether the store lists events. Its storage is tested by another clause.
    let change = run.fix(phone) { $0.event = .motionchange }
    try run.deliver(phone, [change])
    let changed = try run.look(for: [change], of: phone.name).entry(of: change)
    let others = try recordsElsewhere(run)
    try run.expectNamedPlaces([(record, entry)] + (changed.map { [(change, $0)] } ?? []) + others)
    let names = RunFacts.fields.filter { !$0.hasPrefix("coords.l") } + ["event"]
    func shown(of record: SentRecord, _ entry: StoredRecord) -> [String] {
      names.filter { run.stored($0, of: record, entry) != nil }
    }
    var fields = Set(shown(of: record, entry))
    let places = ["timestamp", "coords.latitude", "coords.longitude"]
    let values = (names + places).compactMap(record.value.value)
    // Values under other names are present.
    let isBare = places.allSatisfy { entry.value($0) == nil } && values.allSatisfy { entry.entry.place(of: $0) == nil }
    if fields.isEmpty, isBare { run.facts.noteIdentitiesAlone() }
    if changed?.value("event") != nil { fields.insert("event") }
    for (record, entry) in others { fields.formUnion(shown(of: record, entry)) }
    run.facts.note(shown: fields)
    run.facts.noteFirst(entry, of: record)
    for (record, entry) in [(record, entry)] + others { run.noteAltered(entry, of: record) }
    guard let changed else { return }
    run.facts.noteHidden(["event"], in: changed, of: change)
    run.facts.noteOwnWords([("event", .event)], in: changed, of: change)
  }

  /// Returns records that were sent on other connections: one of several nodes behind an address may drop what another stores.
  private static func recordsElsewhere(_ run: ClauseRun) throws -> [(SentRecord, StoredRecord)] {
    var found: [(SentRecord, StoredRecord)] = []
    for _ in 0..<(run.facts.isSlow || run.facts.isStoreSlow ? 0 : 3) {
      _ = run.leaveLine()
      let phone = try run.phone()
      let record = run.fix(phone) { $0.extras = run.object(#"{"k":"v"}"#) }
      phone.put([record])
      guard run.uploadWithRetries(phone).last?.isSuccess ?? false,
        let entry = try run.look(for: [record], of: phone.name).entry(of: record)
      else { continue }
      found.append((record, entry))
    }
    return found
  }

  static func rightDevice(_ run: ClauseRun) throws {
    var phones = try (0..<3).map { _ in try run.phone() }
    var sent: [(phone: ConformancePhone, record: SentRecord)] = []
    for _ in 0..<2 {
      for phone in phones {
        let record = run.fix(phone)
        try run.deliver(phone, [record])
        sent.append((phone, record))
      }
    }
    for phone in try run.phonesWithLongNames() {
      let record = run.fix(phone)
      phone.put([record])
      // How long a name may be is the backend's choice.
      guard run.uploadWithRetries(phone).last?.isSuccess ?? false, try run.storedIfListed(phone.name) != nil else {
        continue
      }
      phones.append(phone)
      sent.append((phone, record))
    }
    for (phone, record) in sent where try !run.look(for: [record], of: phone.name).missing.isEmpty {
      run.showRequest(of: record)
      let other = try phones.first { other in
        try other.name != phone.name && run.stored(other.name).contains { $0.uuid == record.uuid }
      }
      guard let place = other.map({ "under '\($0.name)'" }) ?? run.otherPlace(of: record, sentBy: phone.name) else {
        throw run.fail(
          "a record of '\(phone.name)' was acknowledged and is not stored under that name", harm: .lose, sign: .loss)
      }
      throw run.fail("a record of '\(phone.name)' is stored \(place)")
    }
    for phone in phones {
      let listed = Set(try run.stored(phone.name).compactMap(\.uuid))
      guard let other = sent.first(where: { $0.phone.name != phone.name && listed.contains($0.record.uuid) }) else {
        continue
      }
      try expectNotListedForAll(other.record, of: phone.name, run)
      run.showRequest(of: other.record)
      throw run.fail("a record of '\(other.phone.name)' is listed under '\(phone.name)' as well")
    }
  }
}
