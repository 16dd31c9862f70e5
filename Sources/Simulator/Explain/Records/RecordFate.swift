import BackendStore
package import Base

/// The fate of a record.
package enum RecordFate: String, CaseIterable, Sendable {
  case stored, waiting, refused
  case deletedByPhone = "deleted-by-phone"
  case quarantined
  case lost = "acknowledged-and-lost"
  /// A fault acknowledged it, or a part of its request, in the backend's place.
  case lostByFault = "lost-by-injected-fault"
  case storedTwice = "stored-twice"
  case storedChanged = "stored-changed"
  case otherDevice = "under-another-device"
  /// It was acknowledged, and no store was read.
  case acknowledged
  /// It was acknowledged, and the store does not show whether it has it.
  case notJudged = "not-judged"
  /// One uuid represents many records.
  case ambiguous
  case unknown

  /// Whether the backend failed to do what it acknowledged.
  package var isBackendsFault: Bool {
    switch self {
    case .lost, .storedTwice, .storedChanged, .otherDevice: true
    case .stored, .waiting, .refused, .deletedByPhone, .quarantined, .lostByFault, .acknowledged, .notJudged,
      .ambiguous,
      .unknown:
      false
    }
  }
}

/// The fate of one record, with evidence.
package struct RecordStory: Sendable {
  package let uuid: UUID128
  /// The device of the record, as far as known.
  package var device: String?
  package var fate: RecordFate
  /// The verdict, as half a sentence.
  package var words: String
  /// The comparison of a stored record.
  package var compared = ComparedContent.none
  /// Whether an injected fault rejected it.
  package var isRefusedByFault = false
  /// Whether a proxy rejected it because the backend did not answer.
  package var isRefusedByProxy = false
  /// Whether the phone did not receive the acknowledgement.
  package var isUndelivered = false
  package var evidence: [Evidence] = []
}

/// Combines what the phone's log, the journal and the store show of a record.
package struct RecordJoin {
  let logs: [LogStory]
  let requests: RequestBook?
  let store: StoreBook?
  /// The device of the record; nil: as in the requests.
  let device: String?
  /// The device if the requests do not name one.
  private let presumed: String?
  /// The number of devices that were not queried, under which a record may be stored again.
  package var unaskedCount = 0

  package init(
    logs: [LogStory], requests: RequestBook?, store: StoreBook?, device: String?, presumed: String? = nil
  ) {
    (self.logs, self.requests, self.store, self.device) = (logs, requests, store, device)
    self.presumed = presumed
  }

  /// The records in logs or requests.
  package var known: Set<UUID128> {
    var known = Set(requests.map { Array($0.sightings.keys) } ?? [])
    for log in logs { known.formUnion(log.uuids) }
    return known
  }

  /// The acknowledged records, which the store should have.
  package var acknowledged: Set<UUID128> {
    var acknowledged: Set<UUID128> = []
    for log in logs {
      for uuid in log.uuids {
        let isMadeBefore = !logs.contains { $0.isInserted(uuid) }
        if log.isAcknowledged(uuid, madeBefore: isMadeBefore) { acknowledged.insert(uuid) }
      }
    }
    if let requests {
      for uuid in requests.sightings.keys where requests.requests(with: uuid).contains(where: \.isSuccess) {
        acknowledged.insert(uuid)
      }
    }
    return acknowledged
  }

  /// Records of the device that are stored under others only, with these.
  package var misfiled: [UUID128: Set<String>] {
    guard let store, let device else { return [:] }
    var misfiled: [UUID128: Set<String>] = [:]
    for uuid in known where requests?.sightings[uuid] != nil {
      let devices = (store.rows[uuid] ?? []).map(\.device)
      guard !devices.isEmpty, devices.allSatisfy({ $0 != nil && $0 != device }) else { continue }
      misfiled[uuid] = Set(devices.compactMap { $0 })
    }
    return misfiled
  }

  /// Records in the list of the device that it has not sent, as far as the requests and logs show.
  package var unsent: Set<UUID128> {
    guard let store, let device else { return [] }
    return store.listed(under: device).subtracting(known)
  }

  /// Records in the list of the device that only others have sent, with these.
  package var foreign: [UUID128: Set<String>] {
    guard let store, let device else { return [:] }
    var foreign: [UUID128: Set<String>] = [:]
    for uuid in store.listed(under: device) { foreign[uuid] = otherSenders(of: uuid, than: device) }
    return foreign
  }

  /// Returns the devices that have sent a record, if the one in question is none of them; nil where a request names none.
  private func otherSenders(of uuid: UUID128, than device: String) -> Set<String>? {
    guard !logs.contains(where: { $0.uuids.contains(uuid) }) else { return nil }
    let senders = (requests?.requests(with: uuid) ?? []).map(\.device)
    guard !senders.isEmpty, senders.allSatisfy({ $0 != nil && $0 != device }) else { return nil }
    return Set(senders.compactMap(\.self))
  }

  package func story(of uuid: UUID128) -> RecordStory {
    let trails = logs.compactMap { $0.trail(of: uuid) }
    let seen = requests?.requests(with: uuid) ?? []
    let sender = seen.last { $0.device != nil }?.device
    let isForeign = device.map { otherSenders(of: uuid, than: $0) != nil } ?? false
    let owner = (isForeign ? sender : device) ?? sender ?? presumed
    var evidence = trails.flatMap(\.evidence) + seen.map(\.evidence)
    evidence.sort { ($0.time ?? .latest) < ($1.time ?? .latest) }
    let (fate, words, compared) = verdict(uuid, trails, seen, owner)
    var story = RecordStory(uuid: uuid, device: owner, fate: fate, words: words, compared: compared, evidence: evidence)
    story.isUndelivered = fate == .lost && isUndelivered(uuid, trails)
    story.isRefusedByFault = fate == .refused && seen.last?.isOfFault ?? false
    story.isRefusedByProxy = fate == .refused && seen.last { !$0.isUnanswered }?.silenceOfBackend != nil
    if let store { story.evidence += store.evidence(of: uuid) }
    return story
  }

  private func verdict(
    _ uuid: UUID128, _ trails: [RecordTrail], _ seen: [SeenRequest], _ owner: String?
  ) -> (RecordFate, String, ComparedContent) {
    let blanked = trails.reduce(0) { $0 + $1.insertCount }
    if trails.contains(where: { $0.insertCount > 1 }) {
      return (
        .ambiguous,
        "the uuid stands for \(blanked) records of the log: its uuids were blanked, and cannot tell records apart",
        .none
      )
    }
    if let store, let found = stored(uuid, trails, in: store, owner) { return found }
    let (fate, words) = unstored(uuid, trails, seen, owner)
    return (fate, words, .none)
  }

  /// Determines the fate of a record that no store shows.
  private func unstored(
    _ uuid: UUID128, _ trails: [RecordTrail], _ seen: [SeenRequest], _ owner: String?
  ) -> (RecordFate, String) {
    if let reason = store?.quarantined[uuid] { return (.quarantined, "acknowledged and quarantined: \(reason.words)") }
    let successes = seen.filter(\.isSuccess)
    guard !successes.isEmpty || trails.contains(where: { $0.destroyed != nil }) else {
      return unacknowledged(uuid, trails, seen)
    }
    // The backend rejected it, and the phone received another status.
    if successes.isEmpty, let fault = seen.last(where: { $0.fault?.replacesStatus ?? false })?.fault {
      return (.lostByFault, "lost by an injected fault (\(fault.kind)): the phone deleted what the backend had refused")
    }
    if let fault = successes.last?.fault, successes.allSatisfy(\.isOfFault) {
      return (
        .lostByFault, "lost by an injected fault (\(fault.kind)), which acknowledged what the backend did not get"
      )
    }
    guard let store else {
      return (.acknowledged, "acknowledged; no store was asked whether it is there (--dialect, --verify or --journal)")
    }
    if let doubt = store.doubt(of: uuid, under: owner) { return (.notJudged, "acknowledged, and not judged: \(doubt)") }
    if trails.isEmpty, let requests, !requests.hasPosition(uuid) {
      return (.notJudged, "acknowledged, and not judged: what was sent has no position, so that it may be no record")
    }
    let acknowledgement = successes.last?.time ?? trails.compactMap { $0.destroyed?.time }.max()
    // The zone of a log may not be known.
    let latest = successes.last?.time ?? logs.compactMap { $0.latestDestruction(of: uuid) }.max()
    if let doubt = store.reasonToWait(of: acknowledgement, atLatest: latest)
      ?? store.deletion(under: owner, of: acknowledgement)
    {
      return (.notJudged, "acknowledged, and not judged: \(doubt)")
    }
    let removed = requests?.quarantinedAndRemoved(with: uuid) { store.quarantined[$0] != nil } ?? 0
    if removed > 0 {
      let records = StoryText.count(removed, "record")
      return (
        .notJudged,
        "acknowledged, and not judged: \(records) of its request was quarantined, and no quarantine shows which"
      )
    }
    guard let success = successes.last else {
      return (.lost, "acknowledged and lost: the phone deleted it, and it is \(store.extent)")
    }
    let way = isUndelivered(uuid, trails) ? ", which the phone did not get" : ""
    return (.lost, "acknowledged and lost: answered \(success.status)\(way), and \(store.extent)")
  }

  private func isUndelivered(_ uuid: UUID128, _ trails: [RecordTrail]) -> Bool {
    requests?.undelivered.contains(uuid) ?? false && !trails.contains { $0.destroyed != nil }
  }

  private func stored(
    _ uuid: UUID128, _ trails: [RecordTrail], in store: StoreBook, _ owner: String?
  ) -> (RecordFate, String, ComparedContent)? {
    let rows = store.rows[uuid] ?? []
    guard let first = rows.first else { return nil }
    let senders = Set((requests?.requests(with: uuid) ?? []).compactMap(\.device))
    // A Rolling Road server lists what was sent to it under the device. Another one may list all devices for each.
    let known: Set<String>? = device.flatMap { otherSenders(of: uuid, than: $0) == nil ? nil : [$0] }
    if store.accounts == nil, let odd = strange(rows, uuid, among: known ?? senders.union([owner].compactMap { $0 })) {
      return (
        .notJudged,
        "not judged: the list\(StoreBook.of(odd.device)) has it as of '\(odd.stranger ?? "?")', which is another device, or none (verify.fields of a dialect)",
        .none
      )
    }
    // A row without a device may belong to any. A phone may be renamed before it sends a record again.
    let own = rows.filter { row in row.device.map { $0 == owner ?? first.device || senders.contains($0) } ?? true }
    guard let mine = own.first else {
      // Nothing but the question names the device.
      if let owner, store.accounts.map({ $0[owner] == nil }) ?? (senders.isEmpty && !store.devices.contains(owner)) {
        return (.notJudged, "stored\(StoreBook.under(first.device)); the store does not know '\(owner)'", .none)
      }
      return (.otherDevice, "stored\(StoreBook.under(first.device)) instead of '\(owner ?? "?")'", .none)
    }
    if let other = rows.first(where: { $0.device != mine.device }) {
      return (
        .storedTwice, "stored\(StoreBook.under(mine.device)) and\(StoreBook.under(other.device)) too", .none
      )
    }
    if let device, mine.device == nil {
      return (.notJudged, "stored, and not judged: the store does not show whether it is under '\(device)'", .none)
    }
    if own.count > 1 { return (.storedTwice, "stored \(own.count) times\(StoreBook.under(mine.device))", .none) }
    let comparison =
      requests?.sent(uuid).map { ContentComparison(of: mine.record, with: $0) }
      ?? trails.lazy.compactMap(\.fix).first.map { ContentComparison(of: mine.record, with: $0) }
    let differences = comparison?.differences ?? []
    guard differences.isEmpty else {
      let more = differences.count > 3 ? " and \(differences.count - 3) more" : ""
      return (.storedChanged, "stored changed: \(differences.prefix(3).joined(separator: "; "))\(more)", .none)
    }
    let compared = comparison?.compared ?? .none
    return (.stored, "stored once\(StoreBook.under(mine.device))\(compared.words)", compared)
  }

  /// Returns a row whose entry names a device that is none of `known`, and that was not sent in the record.
  private func strange(_ rows: [StoreBook.Row], _ uuid: UUID128, among known: Set<String>) -> StoreBook.Row? {
    guard let odd = rows.first(where: { row in row.stranger.map { !known.contains($0) } ?? false }) else { return nil }
    let sent = requests?.sent(uuid).flatMap { StoredRecord($0, fields: []).device }
    return odd.stranger == sent ? nil : odd
  }

  private func unacknowledged(
    _ uuid: UUID128, _ trails: [RecordTrail], _ seen: [SeenRequest]
  ) -> (RecordFate, String) {
    // An inference from one log is refuted when a later log has the record.
    if trails.contains(where: { $0.deletedByApp != nil }) || trails.last?.presumedGone != nil {
      return (
        .deletedByPhone,
        "deleted by the phone before it was acknowledged: maxRecordsToPersist, maxDaysToPersist or the app"
      )
    }
    if let last = seen.last(where: { !$0.isUnanswered }) {
      let by = last.isOfFault ? last.fault.map { " by an injected fault (\($0.kind))" } ?? "" : ""
      let times = StoryText.count(requests?.answerCount(of: uuid) ?? 0, "time")
      if let fault = last.fault, fault.replacesStatus {
        return (
          .refused,
          "refused: answered \(last.status) \(times); an injected fault (\(fault.kind)) told the phone something else"
        )
      }
      if let silence = last.silenceOfBackend {
        return (.refused, "refused: answered \(last.status) by the proxy, as \(silence); still on the phone")
      }
      return (.refused, "refused: answered \(last.status)\(by) \(times), and still on the phone")
    }
    if !seen.isEmpty { return (.waiting, "waiting on the phone: its requests had no answer") }
    if let answer = trails.last?.answered {
      let words = "answered \(answer.status), and the log ends before the phone deleted it"
      return store == nil ? (.acknowledged, words) : (.notJudged, "not judged: \(words)")
    }
    if let refusals = RecordTrail.refusals(in: trails) {
      guard refusals.last.status > 0 else { return (.waiting, "waiting on the phone: its requests had no answer") }
      let times = StoryText.count(refusals.count, "time")
      return (.refused, "refused: answered \(refusals.last.status) \(times), and still on the phone")
    }
    if !trails.isEmpty {
      let isHeldBack = trails.contains { $0.heldBack != nil }
      return (
        .waiting, "waiting on the phone: \(isHeldBack ? "the phone could not send" : "not sent before the log ends")"
      )
    }
    return (.unknown, unknownWords)
  }

  private var unknownWords: String {
    var looked: [String] = []
    if !logs.isEmpty { looked.append("the log") }
    if let requests { looked.append(requests.place) }
    if let store { looked.append(store.silence.map { "\(store.place), as \($0)" } ?? store.place) }
    let hint = requests.map { $0.cutBodyCount > 0 ? "; \($0.cutBodyWords)" : "" } ?? ""
    return "no source knows it: neither \(looked.joined(separator: " nor "))\(hint)"
  }
}

extension RecordTrail {
  fileprivate var evidence: [Evidence] {
    let ends = [acknowledged?.evidence ?? answered?.evidence, destroyed, gone, isWaiting ? heldBack : nil]
    return ([inserted] + refusals.map(\.evidence) + ends).compactMap { $0 }
  }
}

extension StoreBook {
  fileprivate static func under(_ device: String?) -> String { device.map { " under '\($0)'" } ?? "" }
  fileprivate static func of(_ device: String?) -> String { device.map { " of '\($0)'" } ?? "" }

  fileprivate func evidence(of uuid: UUID128) -> [Evidence] {
    let found = rows[uuid] ?? []
    if found.isEmpty {
      if let reason = quarantined[uuid] { return [reason] }
      if countOfAll != nil { return [Evidence(extent, place: place)] }
      let missing = counts.sorted { $0.key < $1.key }.map { device, count in
        "not among the \(StoryText.count(count, "record")) of '\(device)'"
      }
      let none = absent.map { "no list of '\($0.device)'" }
      return (missing + none).prefix(5).map { Evidence($0, place: place) }
    }
    return found.map { row in
      Evidence(
        "stored\(StoreBook.under(row.device))", place: place, quote: EntryQuote.cut(row.record.entry.shown[...]))
    }
  }
}
