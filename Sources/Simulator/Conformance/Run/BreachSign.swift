import Upload

/// A symptom of a breach, independent of the clause: one defect of a backend shows in many clauses, of which one
/// concerns it alone.
enum BreachSign: Hashable, Sendable {
  /// Acknowledged, and not stored.
  case loss
  case storedTwice
  /// Stored under another device.
  case elsewhere
  /// Among records some of which were sent in batches.
  case ofBatch
  /// Of a few among many records of one list.
  case ofPartOfList
  /// No answer arrived in time.
  case unanswered
  /// An upload of this form was rejected with an error.
  case refused(isBatch: Bool)
  /// Among records with few fields.
  case ofBareRecords
  /// The clause was kept when it was repeated, and good records fail now and then.
  case byChance(of: String)
  /// A field is stored with a different value.
  case field(String)
  /// With the value of another record.
  case ofNeighbour
  /// Not any more as the store has shown it.
  case changedLater

  /// The clauses that concern this sign alone, simplest first: a broken one explains the sign in those after it,
  /// and in all others.
  var clauses: [String] {
    switch self {
    // Records that are acknowledged before they are read are lost in many ways; late ones may look lost to a clause that
    // does not wait as long.
    case .loss: ["stored-when-acknowledged", "answer-waits-for-body", "readable-when-acknowledged", "stays-stored"]
    case .storedTwice:
      [
        "resend-after-cut-answer", "resend-acknowledged-again", "resend-after-many", "resend-much-later",
        "same-record-at-once",
      ]
    case .elsewhere: ["right-device", "many-devices-at-once", "device-per-request"]
    case .ofBatch: ["batch-all-stored"]
    case .ofPartOfList: ["store-reads-all"]
    case .ofBareRecords: ["missing-fields"]
    case .refused(let isBatch):
      ["good-record-acknowledged"] + (isBatch ? ["batch-all-stored", "batch-250"] : ["root-object"])
    case .unanswered:
      [
        "good-record-acknowledged", "second-connection-served", "slow-client-beside-others",
        "idle-connections-beside-others", "keep-alive",
      ]
    case .byChance(let cause): [cause]
    case .field(let name): BreachSign.clauses(aboutField: name)
    case .ofNeighbour: ["one-record-one-content"]
    case .changedLater: ["stays-stored"]
    }
  }

  /// The clauses that find any field wrong by the way in which its record came or is kept: a form of upload that is read wrongly,
  /// uploads that meet and take values from each other, a store that changes what is older.
  static let waysOfRecords = [
    "stays-stored", "root-object", "batch-all-stored", "batch-250", "two-records-at-once", "many-devices-at-once",
  ]

  struct Traits: OptionSet {
    let rawValue: UInt8
    /// An unsuccessful answer, or none.
    static let failure = Traits(rawValue: 1)
    /// Good records may show it too, if they fail now and then.
    static let ofGoodRecords = Traits(rawValue: 2)
    /// The record was acknowledged, so that no limit of a busy backend can be the cause.
    static let ofAcknowledged = Traits(rawValue: 4)
  }

  var traits: Traits {
    switch self {
    case .loss: [.ofGoodRecords, .ofAcknowledged]
    case .storedTwice, .elsewhere, .field, .ofNeighbour, .changedLater: .ofAcknowledged
    case .unanswered, .refused: [.failure, .ofGoodRecords]
    case .ofBatch, .ofPartOfList, .ofBareRecords: .ofGoodRecords
    case .byChance: []
    }
  }

  /// Returns the clause about a difference of a field, by its size.
  static func clause(about field: String, isSlight: Bool) -> String {
    let clauses = clauses(aboutField: field)
    return (isSlight ? clauses.last : clauses.first) ?? "standard-fields-kept"
  }

  /// Returns the signs of an upload that a clause counts as a breach.
  static func of(_ upload: ConformancePhone.Upload) -> Set<BreachSign> {
    if upload.status == 0 { return [.unanswered] }
    guard upload.status >= 400, let payload = upload.request.payload else { return [] }
    return [.refused(isBatch: payload.isBatch)]
  }

  private static func clauses(aboutField name: String) -> [String] {
    switch name.prefix(while: { $0 != "." }) {
    case "coords" where name == "coords.latitude" || name == "coords.longitude":
      ["coordinates-not-swapped", "coordinates-exact"]
    case "timestamp": ["time-is-utc", "time-to-the-millisecond"]
    case "event": ["event-motionchange"]
    case "geofence": ["event-geofence"]
    case "extras": ["extras-every-kind"]
    case "coords", "odometer", "is_moving", "battery", "activity": ["standard-fields-kept"]
    case "mock": ["inaccurate-kept"]
    case "provider": ["event-providerchange"]
    // A field that no document names.
    default: ["unknown-fields"]
    }
  }
}

extension Breach {
  /// Whether good records may show all signs, if they fail now and then.
  var isOfGoodRecords: Bool { !signs.isEmpty && signs.allSatisfy { $0.traits.contains(.ofGoodRecords) } }
}

extension ConformanceClause {
  /// The clauses that it presumes, directly or indirectly.
  var ground: Set<String> {
    var ground: Set<String> = []
    var waiting = presumes
    while let next = waiting.popLast() {
      guard ground.insert(next).inserted, let clause = ConformanceClause.all.first(where: { $0.id == next }) else {
        continue
      }
      waiting += clause.presumes
    }
    return ground
  }
}

/// The causes of broken clauses: a finding names one cause, and the clauses that it broke are reported under it.
struct ConformanceCauses {
  private let broken: [String: (clause: ConformanceClause, breach: Breach)]

  init(_ results: [ClauseResult]) {
    var broken: [String: (ConformanceClause, Breach)] = [:]
    for result in results {
      if case .broken(let breach) = result.verdict { broken[result.clause.id] = (result.clause, breach) }
    }
    self.broken = broken
  }

  /// Returns the root cause; nil for a root cause itself.
  func cause(of id: String) -> String? {
    var path = [id]
    while let next = path.last.flatMap(nextCause) {
      // Of clauses that explain each other one must be the finding.
      if let start = path.firstIndex(of: next) {
        let root = path[start...].min() ?? next
        return root == id ? nil : root
      }
      path.append(next)
    }
    return path.count == 1 ? nil : path.last
  }

  /// A late record may be lost meanwhile, or its list may lag; a record that is gone after a restart was lost.
  private static let lateness = "readable-when-acknowledged"
  private static let proofsOfLoss = ["ack-survives-stop", "ack-survives-kill"]

  private func isLoss(_ id: String) -> Bool { broken[id]?.breach.signs.contains(.loss) ?? false }

  private func nextCause(of id: String) -> String? {
    guard let (clause, breach) = broken[id] else { return nil }
    if id == ConformanceCauses.lateness, let proof = ConformanceCauses.proofsOfLoss.first(where: isLoss) {
      return proof
    }
    let presumed = clause.presumes.first { presumed in
      broken[presumed].map { $0.breach.mayExplain(breach) } ?? false
    }
    if let presumed { return presumed }
    let isOfNeighbour = breach.signs.contains(.ofNeighbour)
    for sign in breach.signs.sorted(by: { $0.weight < $1.weight }) where !isOfNeighbour || sign == .ofNeighbour {
      for candidate in sign.clauses {
        // A clause that presumes this one does not explain it.
        guard candidate != id else { break }
        if case .byChance = sign, broken[candidate] != nil { return candidate }
        if candidate == ConformanceCauses.lateness, ConformanceCauses.proofsOfLoss.contains(id) { continue }
        guard let other = broken[candidate], !other.clause.ground.contains(id), other.breach.mayExplain(breach) else {
          continue
        }
        // A list that was not looked at, because uploads to it failed, is not known to leave out rows.
        if sign == .ofPartOfList, !other.breach.signs.contains(.loss) { continue }
        return candidate
      }
    }
    return recordFormClause(thatSpoils: breach, of: id)
  }

  private func recordFormClause(thatSpoils breach: Breach, of id: String) -> String? {
    guard breach.isOfFields else { return nil }
    return BreachSign.waysOfRecords.prefix { $0 != id }.first { candidate in
      guard let other = broken[candidate], other.breach.isOfContent else { return false }
      return !other.clause.ground.contains(id) && other.breach.mayExplain(breach)
    }
  }
}

extension Breach {
  fileprivate var isOfFields: Bool { signs.contains { $0.fieldName != nil } }

  /// Whether records are stored, and not as they were sent.
  fileprivate var isOfContent: Bool { isOfFields || signs.contains(.changedLater) }

  /// Reports whether a presumed clause explains a breach. It does not if the breach has another cause: a field that is stored
  /// wrongly loses no record and spoils no other field.
  fileprivate func mayExplain(_ other: Breach) -> Bool {
    if other.signs.contains(.ofNeighbour) { return signs.contains(.ofNeighbour) }
    // Another rejection, as by a limit in front of the backend, has its own cause, and so has a duplicate row.
    if let theirs = other.status, 400..<500 ~= theirs, status != theirs { return false }
    if other.signs.contains(.storedTwice), let status, status >= 400 { return false }
    let fields = signs.compactMap(\.fieldName)
    guard !fields.isEmpty, fields.count == signs.count else { return true }
    let isOfDelivery = other.signs.contains { sign in
      switch sign {
      case .loss, .storedTwice, .elsewhere, .unanswered, .refused: true
      case .ofBatch, .ofPartOfList, .ofBareRecords, .byChance, .field, .ofNeighbour, .changedLater: false
      }
    }
    if isOfDelivery { return false }
    let others = other.signs.compactMap(\.fieldName)
    return others.isEmpty || others.contains { theirs in fields.contains { BreachSign.areRelated($0, theirs) } }
  }
}

extension BreachSign {
  fileprivate var fieldName: String? { if case .field(let name) = self { name } else { nil } }

  /// Reports whether one clause concerns both, or they have a path component in common: `extras` and `geofence.extras`.
  fileprivate static func areRelated(_ one: String, _ other: String) -> Bool {
    !Set(clauses(aboutField: one)).isDisjoint(with: clauses(aboutField: other))
      || !Set(one.split(separator: ".")).isDisjoint(with: other.split(separator: "."))
  }

  /// The order of signs; those that explain more come first.
  fileprivate var weight: Int {
    switch self {
    case .byChance: -1
    case .ofBatch: 0
    case .loss, .elsewhere, .ofNeighbour: 1
    case .storedTwice: 2
    case .unanswered, .ofPartOfList: 3
    case .refused: 4
    case .field, .changedLater: 5
    case .ofBareRecords: 6
    }
  }
}
