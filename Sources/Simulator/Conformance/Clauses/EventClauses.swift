import BackendStore
import Base
import Contract
import Scenario

/// Records with an event.
extension ConformanceClause {
  static let events: [ConformanceClause] = [
    ConformanceClause(
      "event-motionchange", .content, .must, .lose, "A motion change is stored with its event and its extras",
      because: "it says when the phone began to move and when it stopped (LocationEvent event; SDK §12.2)"
    ) { run in
      try event(run, ["event", "is_moving", "extras"]) {
        $0.event = .motionchange
        $0.isMoving = false
        $0.extras = run.object(#"{"own":"x"}"#)
      }
      try allStored(run, .motionchange)
      try expectSeen(run)
    },
    ConformanceClause(
      "event-geofence", .content, .must, .lose,
      "A geofence record is stored with geofence, action and the extras of both",
      because: "it is what geofences are for (LocationEvent geofence; SDK §5.3)",
      threads: ["react-native#360", "cordova#652"], presumes: ["extras-every-kind", "event-motionchange"]
    ) { run in
      for action in actions {
        try event(run, ["event", "geofence.identifier", "geofence.action", "extras"]) {
          $0.event = .geofence
          $0.geofence = GeofenceTrigger(
            identifier: "yard \(action.rawValue), the one behind the long hall of the old railway station",
            action: action,
            // The crossing precedes its position (SDK §15.3.2).
            timestamp: $0.timestamp.advanced(byMilliseconds: -17_250),
            extras: run.object(#"{"zone":3,"site":{"name":"Süd","gates":[1,2]}}"#))
          $0.extras = run.object(#"{"own":"x"}"#)
        }
      }
      try crossings(run)
      try expectSeen(run, words)
    },
    ConformanceClause(
      "event-heartbeat", .content, .must, .lose, "A heartbeat record is acknowledged and stored",
      because: "the documents list it on the wire (LocationEvent event; SDK §5.4)", threads: ["capacitor#257"],
      presumes: ["event-motionchange"]
    ) { run in
      try event(run, ["event", "extras"]) {
        $0.event = .heartbeat
        $0.extras = run.object(#"{"own":"x"}"#)
      }
      try allStored(run, .heartbeat)
      try expectSeen(run)
    },
    ConformanceClause(
      "event-providerchange", .content, .must, .lose,
      "A provider change is acknowledged and stored, with the last position it has",
      because: "it says that the user has switched the location off (LocationEvent event; SDK §5.4)",
      threads: ["react-native#575"], presumes: ["event-motionchange"]
    ) { run in
      try event(run, ["event", "extras"]) {
        $0.event = .providerchange
        $0.provider = .allowed
        $0.extras = run.object(#"{"own":"x"}"#)
      }
      // False is what it is sent for.
      try event(run, ["event"]) {
        $0.event = .providerchange
        $0.provider = ProviderState(
          isEnabled: false, authorizationStatus: 2, hasGPS: false, hasNetwork: false, accuracyAuthorization: 1)
      }
      try allStored(run, .providerchange)
      try expectSeen(run)
    },
  ]

  private static func event(_ run: ClauseRun, _ fields: [String], _ change: (inout LocationRecord) -> Void) throws {
    let phone = try run.phone()
    let record = run.fix(phone, change)
    let kind = record.value.value(at: "event")?.string ?? ""
    try run.deliver(phone, [record], as: "a \(kind) record")
    let look = try run.expectOnce([record], of: phone.name, among: ", a \(kind),")
    try run.expectAsSent([record], in: look, among: ", a \(kind)")
    if let entry = look.entry(of: record), isOfFirstAction(record) {
      run.facts.noteOwnWords([("geofence.action", .geofence)], in: entry, of: record)
    }
    // Fields that the store shows elsewhere, or in its own words, are named at the end.
    func isCompared(_ field: String) -> Bool {
      run.facts.shows(field) && !(words.contains(field) && run.facts.strange(field) != nil)
    }
    try run.expectSame(fields.filter(isCompared), of: record, in: look)
    // No earlier record has shown whether the store lists geofences, so only what it shows of this one is checked.
    for field in fields where field.hasPrefix("geofence.") { try run.expectSame(field, of: record, in: look) }
    try crossingTime(run, of: record, in: look)
    try geofenceExtras(run, of: record, in: look)
    try expectPart(run, .geofence, of: record, in: look)
    try expectPart(run, .provider, of: record, in: look)
    try expectProvider(run, of: record, in: look)
  }

  /// Checks that later ones of its kind leave the first as it is, also of the same state: the last state of a device is not its
  /// track.
  private static func allStored(_ run: ClauseRun, _ event: RecordEvent) throws {
    let phone = try run.phone()
    let records = [true, false, false].map { isMoving in
      run.fix(phone) {
        ($0.event, $0.isMoving) = (event, isMoving)
        if event == .providerchange { $0.provider = .allowed }
      }
    }
    for record in records { try run.deliver(phone, [record], as: "a \(event.name) record") }
    try run.expectOnce(records, of: phone.name, among: " of the event \(event.name)")
  }

  private static let actions = [GeofenceTrigger.Action.enter, .exit, .dwell]

  /// A store that has the first one in the SDK's words has none of its own for the others.
  private static func isOfFirstAction(_ record: SentRecord) -> Bool {
    record.value.value(at: "geofence.action")?.string == actions[0].rawValue
  }

  private static let words = ["event", "geofence.action"]

  /// A value that a store shows under an unknown name, or in its own words, could not be compared with the one sent.
  private static func expectSeen(_ run: ClauseRun, _ words: [String] = ["event"]) throws {
    for word in words {
      if let reason = run.facts.hidden(word) ?? run.facts.strange(word) { throw ClauseStop.partly(reason) }
    }
    if !run.facts.shows("event") { run.judgeWithout("event") }
  }

  private static func expectProvider(_ run: ClauseRun, of record: SentRecord, in look: ClauseRun.FoundRecords) throws {
    let name = "provider"
    guard let entry = look.entry(of: record), case .object(let members)? = record.value.value(at: name) else { return }
    guard let stored = entry.value(name), case .object = stored else {
      for member in members { try run.expectSame("\(name).\(member.key)", of: record, in: look) }
      return
    }
    if let sent = record.value.value(at: name), StoredField.difference(stored, sent, name) != nil,
      StoredField.difference(stored, sent.withoutZeros, name) == nil, try run.listLeavesOutZeros()
    {
      throw ClauseStop.partly(ClauseRun.reasonOfZeros)
    }
    try run.expectSame(name, of: record, in: look)
  }

  /// Checks the fields of one kind of event. A list of columns may omit them; one of whole records shows what is kept of each.
  private static func expectPart(
    _ run: ClauseRun, _ part: KeptField, of record: SentRecord, in look: ClauseRun.FoundRecords
  ) throws {
    let name = part.rawValue
    guard case .object(let members)? = record.value.value(at: name), let entry = look.entry(of: record) else { return }
    // A store may have a column for each of its members.
    let isInColumns = members.contains { entry.value("\(name).\($0.key)") != nil }
    if isInColumns || entry.value(name) != nil { return try expectName(run, of: record, entry) }
    if let place = entry.namedPlace(of: name) { throw run.misplaced(name, place, entry) }
    guard run.target.dialect.promises.kept?.contains(part) ?? entry.isWholeRecord else {
      return run.judgeWithout(name)
    }
    if let reason = run.facts.hidden(name) { throw ClauseStop.notJudged(reason) }
    throw run.fail(
      "the record is stored without its \(name)", harm: .wrong, stored: entry.entry.shown.shortened(240),
      sign: .field(name))
  }

  /// Requires that a geofence that is stored as an object, or promised in columns, has its identifier and action.
  private static func expectName(_ run: ClauseRun, of record: SentRecord, _ entry: StoredRecord) throws {
    guard record.value.value(at: "geofence") != nil else { return }
    switch entry.value("geofence") {
    case .object where entry.isWholeRecord: break
    case nil where run.target.dialect.promises.kept?.contains(.geofence) ?? false: break
    default: return
    }
    for name in ["geofence.identifier", "geofence.action"] where entry.value(name) == nil {
      run.showRequest(of: record)
      throw run.fail(
        "'\(name)' is not stored", harm: .wrong, stored: entry.entry.shown.shortened(300), sign: .field(name))
    }
  }

  /// Checks that entering and leaving a geofence are separate, twice at its border: no crossing must change another.
  private static func crossings(_ run: ClauseRun) throws {
    for isBatch in run.facts.refusesBatchesAlone ? [false] : run.facts.forms { try crossings(run, isBatch: isBatch) }
  }

  private static func crossings(_ run: ClauseRun, isBatch: Bool) throws {
    let phone = try run.phone { $0.http.batchSync = isBatch }
    let records = [(GeofenceTrigger.Action.enter, 1), (.exit, 2), (.exit, 3)].map { action, zone in
      run.fix(phone) {
        $0.event = .geofence
        $0.geofence = GeofenceTrigger(
          identifier: "gate", action: action, timestamp: $0.timestamp, extras: run.object(#"{"zone":\#(zone)}"#))
      }
    }
    if isBatch, run.facts.recordsMax >= records.count {
      try run.deliver(phone, records, as: "a batch of geofence records")
    } else {
      for record in records { try run.deliver(phone, [record], as: "a geofence record") }
    }
    let look = try run.expectOnce(records, of: phone.name, among: " of one geofence, entered and left,")
    for record in records {
      for field in ["geofence.identifier", "geofence.action"] { try run.expectSame(field, of: record, in: look) }
      try geofenceExtras(run, of: record, in: look)
    }
  }

  /// Checks the time of a crossing where the store shows it readably; to the second, because the record's own time shows the
  /// store's precision.
  private static func crossingTime(_ run: ClauseRun, of record: SentRecord, in look: ClauseRun.FoundRecords) throws {
    let name = "geofence.timestamp"
    guard let sent = record.value.value(at: name)?.instant, let entry = look.entry(of: record),
      let stored = entry.value(name), !stored.isTimeWithoutZone, let instant = stored.instant,
      run.facts.strange("timestamp") == nil, abs(instant.milliseconds(since: sent)) >= 1_000
    else { return }
    run.showRequest(of: record)
    throw run.fail(
      "\(name): \(stored.shown) instead of \(sent.iso8601Text)", harm: .wrong,
      stored: entry.entry.shown.shortened(300), sign: .field(name))
  }

  /// Requires that a geofence that is stored as an object is complete, if extras are kept at all.
  private static func geofenceExtras(_ run: ClauseRun, of record: SentRecord, in look: ClauseRun.FoundRecords) throws {
    let name = "geofence.extras"
    guard let sent = record.value.value(at: name), let entry = look.entry(of: record) else { return }
    let shown = entry.entry.shown.shortened(300)
    if let stored = entry.value(name), !stored.isNull {
      guard let difference = StoredField.difference(stored, sent, name) else { return }
      throw run.fail(difference, harm: .wrong, stored: shown, sign: .field(name))
    }
    guard case .object? = entry.value("geofence"), run.facts.shows("geofence") || run.facts.shows("extras") else {
      return
    }
    throw run.fail("the geofence is stored without its extras", harm: .wrong, stored: shown, sign: .field(name))
  }
}
