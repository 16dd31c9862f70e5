import BackendStore
package import Base

/// What became of a record.
package enum RecordFate: String, CaseIterable, Sendable {
  case stored, waiting, refused
  case deletedByPhone = "deleted-by-phone"
  case quarantined
  case lost = "acknowledged-and-lost"
  case storedTwice = "stored-twice"
  case storedChanged = "stored-changed"
  case otherDevice = "under-another-device"
  /// It was acknowledged, and no store was asked.
  case acknowledged
  /// One uuid stands for many records.
  case ambiguous
  case unknown

  /// The backend has not done what it acknowledged.
  package var isBackendsFault: Bool {
    switch self {
    case .lost, .storedTwice, .storedChanged, .otherDevice: true
    case .stored, .waiting, .refused, .deletedByPhone, .quarantined, .acknowledged, .ambiguous, .unknown: false
    }
  }
}

/// The fate of one record with what shows it.
package struct RecordStory: Sendable {
  package let uuid: UUID128
  /// Under which it belongs, as far as it is known.
  package var device: String?
  package var fate: RecordFate
  /// The verdict as half a sentence.
  package var words: String
  package var evidence: [Evidence] = []
}

/// Joins what the phone, the way and the store tell of a record.
package struct RecordJoin {
  let logs: [LogStory]
  let requests: RequestBook?
  let store: StoreBook?
  /// Where the record belongs; nil: as the requests say.
  let device: String?

  package init(logs: [LogStory], requests: RequestBook?, store: StoreBook?, device: String?) {
    (self.logs, self.requests, self.store, self.device) = (logs, requests, store, device)
  }

  /// What was acknowledged, and is not under its device.
  package var missing: Set<UUID128> {
    guard let store else { return [] }
    var missing: Set<UUID128> = []
    for log in logs {
      for uuid in log.uuids where store.rows[uuid] == nil && log.isDestroyed(uuid) { missing.insert(uuid) }
    }
    if let requests {
      for uuid in requests.sightings.keys where store.rows[uuid] == nil {
        if requests.requests(with: uuid).contains(where: \.isSuccess) { missing.insert(uuid) }
      }
    }
    return missing
  }

  /// The store has it under none of the devices that were looked under.
  package func isNowhere(_ uuid: UUID128?) -> Bool { uuid.map { store?.rows[$0] == nil } ?? false }

  package func story(of uuid: UUID128) -> RecordStory {
    let trails = logs.compactMap { $0.trail(of: uuid) }
    let seen = requests?.requests(with: uuid) ?? []
    let owner = device ?? seen.last { $0.device != nil }?.device
    var evidence = trails.flatMap(\.evidence) + seen.map(\.evidence)
    evidence.sort { ($0.time ?? .latest) < ($1.time ?? .latest) }
    let (fate, words) = verdict(uuid, trails, seen, owner)
    var story = RecordStory(uuid: uuid, device: owner, fate: fate, words: words, evidence: evidence)
    if let store { story.evidence += store.evidence(of: uuid, owner) }
    return story
  }

  private func verdict(
    _ uuid: UUID128, _ trails: [RecordTrail], _ seen: [SeenRequest], _ owner: String?
  ) -> (RecordFate, String) {
    let blanked = trails.reduce(0) { $0 + $1.insertCount }
    if trails.contains(where: { $0.insertCount > 1 }) {
      return (
        .ambiguous,
        "the uuid stands for \(blanked) records of the log: its uuids were blanked, and cannot tell records apart"
      )
    }
    if let store, let found = stored(uuid, trails, in: store, owner) { return found }
    let isAcknowledged = seen.contains(where: \.isSuccess) || trails.contains { $0.destroyed != nil }
    if let store {
      if let aside = store.putAside[uuid] { return (.quarantined, "acknowledged and put aside: \(aside.words)") }
      if isAcknowledged { return (.lost, lossWords(trails, seen, store, owner)) }
    } else if isAcknowledged {
      return (.acknowledged, "acknowledged; no store was asked whether it is there (--dialect, --verify or --journal)")
    }
    return unacknowledged(trails, seen)
  }

  private func lossWords(
    _ trails: [RecordTrail], _ seen: [SeenRequest], _ store: StoreBook, _ owner: String?
  ) -> String {
    let places = store.counts.count
    let looked =
      "not among \(StoryText.count(store.counts.values.reduce(0, +), "record")) of \(StoryText.count(places, "device")) in \(store.place)"
    guard let success = seen.last(where: \.isSuccess) else {
      return "acknowledged and lost: the phone deleted it, and it is \(looked)"
    }
    if let fault = success.fault {
      return "acknowledged and lost by an injected fault (\(fault)): \(looked)"
    }
    return "acknowledged and lost: answered \(success.status), and \(looked)"
  }

  private func stored(
    _ uuid: UUID128, _ trails: [RecordTrail], in store: StoreBook, _ owner: String?
  ) -> (RecordFate, String)? {
    let rows = store.rows[uuid] ?? []
    guard let first = rows.first else { return nil }
    let own = owner.map { owner in rows.filter { $0.device == owner } } ?? rows
    guard let mine = own.first else {
      return (.otherDevice, "stored under '\(first.device)' instead of '\(owner ?? "?")'")
    }
    if own.count > 1 { return (.storedTwice, "stored \(own.count) times under '\(mine.device)'") }
    if rows.count > 1, let other = rows.first(where: { $0.device != mine.device }) {
      return (.storedTwice, "stored under '\(mine.device)' and under '\(other.device)' too")
    }
    var differences: [String] = []
    if let sent = requests?.sent(uuid) {
      differences = ContentComparison.differences(of: mine.record, from: sent)
    } else if let place = trails.lazy.compactMap(\.place).first {
      differences = ContentComparison.differences(of: mine.record, from: place)
    }
    guard differences.isEmpty else {
      let more = differences.count > 3 ? " and \(differences.count - 3) more" : ""
      return (.storedChanged, "stored changed: \(differences.prefix(3).joined(separator: "; "))\(more)")
    }
    return (.stored, "stored once under '\(mine.device)'")
  }

  private func unacknowledged(_ trails: [RecordTrail], _ seen: [SeenRequest]) -> (RecordFate, String) {
    if trails.contains(where: { $0.droppedByPhone != nil }) {
      return (
        .deletedByPhone,
        "deleted by the phone before it was acknowledged: maxRecordsToPersist, maxDaysToPersist or the app"
      )
    }
    if let last = seen.last {
      let by = last.fault.map { " by an injected fault (\($0))" } ?? ""
      return (
        .refused, "refused: answered \(last.status)\(by) \(StoryText.count(seen.count, "time")), and still on the phone"
      )
    }
    if let trail = trails.first {
      if let last = trail.refusals.last, last.status > 0 {
        return (
          .refused,
          "refused: answered \(last.status) \(StoryText.count(trail.refusalCount, "time")), and still on the phone"
        )
      }
      if trail.refusalCount > 0 { return (.waiting, "waiting on the phone: its requests had no answer") }
      let why = trail.heldBack == nil ? "not sent before the log ends" : "the phone could not send"
      return (.waiting, "waiting on the phone: \(why)")
    }
    return (.unknown, unknownWords)
  }

  private var unknownWords: String {
    var looked: [String] = []
    if !logs.isEmpty { looked.append("the log") }
    if let requests {
      looked.append(requests.begin.map { "the journal since \($0.iso8601Text)" } ?? "the journal, which is empty")
    }
    if let store { looked.append(store.place) }
    let cut = requests?.cutBodyCount ?? 0
    let hint = cut > 0 ? "; \(StoryText.count(cut, "body")) of the journal is kept only in part" : ""
    return "no source knows it: neither \(looked.joined(separator: " nor "))\(hint)"
  }
}

extension RecordTrail {
  fileprivate var evidence: [Evidence] {
    [inserted] + refusals.map(\.evidence)
      + [acknowledged?.evidence, destroyed, droppedByPhone, isWaiting ? heldBack : nil]
      .compactMap { $0 }
  }
}

extension StoreBook {
  fileprivate func evidence(of uuid: UUID128, _ owner: String?) -> [Evidence] {
    let found = rows[uuid] ?? []
    if found.isEmpty {
      if let aside = putAside[uuid] { return [aside] }
      return counts.sorted { $0.key < $1.key }.prefix(5).map { device, count in
        Evidence("not among the \(StoryText.count(count, "record")) of '\(device)'", place: place)
      }
    }
    return found.map { row in
      Evidence(
        "stored under '\(row.device)'", place: place,
        quote: EntryQuote.cut(row.record.entry.shown[...]))
    }
  }
}
