import BackendStore
import Base
import Contract
import Scenario

/// The fields of the documented payload.
extension ConformanceClause {
  static func standardFields(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let sent = StandardRecords(run, phone)
    try run.deliver(phone, sent.all)
    let look = try run.expectOnce(sent.all, of: phone.name)
    let shown = ShownFields(of: sent, in: look, run.facts)
    let (fields, others) = (shown.fields, shown.others)
    guard !fields.isEmpty else {
      if let reason = shown.reasonOfAbsence { throw ClauseStop.partly(reason) }
      throw ClauseStop.notApplicable("the store shows none of these fields\(run.facts.remedyOfTemplates)")
    }
    let zeros = (fields + others).filter { sent.zeros.value.value(at: $0) != nil }
    let leftOut = try expectZeros(run, zeros, of: sent.zeros, beside: sent.different, in: look)
    for record in sent.different {
      // Values of these records that are 0 or false are left out, too.
      func isLeftOut(_ field: String) -> Bool {
        leftOut && record.value.value(at: field)?.isZero ?? false && look.entry(of: record)?.value(field) == nil
      }
      try run.expectSame(fields.filter { !isLeftOut($0) }, of: record, in: look)
      for field in others where !isLeftOut(field) {
        try run.expectSame(field, of: record, in: look, isOwed: true)
      }
    }
    for record in sent.moving { try run.expectSame(fields, of: record, in: look) }
    for field in shown.present { try run.expectPresent(field, of: sent.different[0], in: look) }
    run.note = (fields + others).joined(separator: ", ")
    if leftOut { throw ClauseStop.partly(ClauseRun.reasonOfZeros) }
    if let reason = shown.reasonOfDoubt { throw ClauseStop.partly(reason) }
  }

  /// Returns whether the list omits every quantity that is 0, as some JSON writers do.
  private static func expectZeros(
    _ run: ClauseRun, _ fields: [String], of zeros: SentRecord, beside others: [SentRecord],
    in look: ClauseRun.FoundRecords
  ) throws -> Bool {
    guard let entry = look.entry(of: zeros) else { return false }
    let leavesOut = run.leavesOutZeros(fields, of: zeros, beside: others, in: look)
    for field in fields {
      let stored = entry.value(field)
      // Null and absence are different values from 0, but a scenario does not compare them.
      if stored?.isNull ?? true { run.log.noteUnscriptable() }
      let isMissing = run.isMissing(field, of: zeros, beside: others, in: look)
      if !leavesOut, let sent = zeros.value.value(at: field), sent.isZero, isMissing {
        run.showRequest(of: zeros)
        throw run.fail(
          "'\(field)' of \(sent.shown) is not stored, or the list leaves it out, and shows that of other records",
          stored: entry.entry.shown.shortened(300), sign: .field(field))
      }
      try run.expectSame(field, of: zeros, in: look)
    }
    return leavesOut
  }
}

/// The records that are sent for their fields.
private struct StandardRecords {
  /// They differ in every field: a constant value is not what was sent.
  let different: [SentRecord]
  /// One of each activity, and one of a fast train in the mountains.
  let moving: [SentRecord]
  /// Standing still, heading north, at sea level.
  let zeros: SentRecord

  var all: [SentRecord] { different + moving + [zeros] }

  init(_ run: ClauseRun, _ phone: ConformancePhone) {
    different = [
      run.fix(phone) { ($0.coords.ellipsoidalAltitude, $0.coords.floor, $0.odometerError) = (859.5, 3, 10.25) },
      run.fix(phone) { record in
        (record.coords.speed, record.coords.heading) = (0.25, 88.5)
        (record.coords.altitude, record.coords.accuracy) = (-3.5, 17.25)
        (record.coords.speedAccuracy, record.coords.headingAccuracy) = (1.75, 12.5)
        (record.coords.altitudeAccuracy, record.coords.ellipsoidalAltitude, record.coords.floor) = (6.25, 44.75, -2)
        // More digits than a 32-bit float has.
        (record.odometer, record.odometerError, record.isMoving) = (1_204_871.43, 3.75, false)
        record.activity = Activity(.still, confidence: 61)
        record.battery = Battery(level: 0.97, isCharging: true)
      },
    ]
    let kinds = [ActivityType.walking, .onFoot, .running, .onBicycle].map { kind in
      run.fix(phone) { $0.activity = Activity(kind, confidence: 92) }
    }
    let fast = run.fix(phone) { record in
      // 1 is all of it, and not one per cent.
      record.battery = Battery(level: 1, isCharging: true)
      (record.coords.speed, record.coords.heading, record.coords.altitude) = (83.25, 359.25, 2_253.5)
    }
    moving = kinds + [fast]
    zeros = run.fix(phone) { record in
      (record.coords.speed, record.coords.heading, record.coords.altitude) = (0, 0, 0)
      (record.odometer, record.isMoving) = (0, false)
      record.activity = Activity(.still, confidence: 0)
      record.battery = Battery(level: 0, isCharging: false)
    }
  }
}

/// The fields that the store shows of these records.
private struct ShownFields {
  /// Those that can be compared in every record.
  let fields: [String]
  /// Those that are compared only where the store shows or promises them: columns may keep the level and the type only.
  let others: [String]
  /// Those that must be there, whatever they say: a row may have a time of recording, or an age, of its own.
  let present: [String]
  private let facts: RunFacts
  private let sent: [String]

  init(of records: StandardRecords, in look: ClauseRun.FoundRecords, _ facts: RunFacts) {
    self.facts = facts
    sent = [
      "coords.speed", "coords.heading", "coords.altitude", "coords.accuracy", "odometer", "battery.level", "is_moving",
      "activity.type",
    ].filter { records.zeros.value.value(at: $0) != nil }
    fields = sent.filter { facts.shows($0) && ShownFields.obstacle(to: $0, facts) == nil }
    func showsOfAll(_ field: String) -> Bool {
      records.different.allSatisfy {
        look.entry(of: $0)?.value(field)?.isNull == false && $0.value.value(at: field) != nil
      }
    }
    func isPromised(_ group: KeptField) -> Bool {
      facts.promises(group)
        && records.different.allSatisfy { record in
          if case .object? = look.entry(of: record)?.value(group.rawValue) { true } else { false }
        }
    }
    let pairs: [(field: String, beside: String, of: KeptField)] = [
      ("battery.is_charging", "battery.level", .battery), ("activity.confidence", "activity.type", .activity),
    ]
    // A backend that keeps what no document names keeps what one does.
    let keepsAll = facts.promises(.unknown) && facts.takesDefaultSchema
    let rare =
      ["speed_accuracy", "heading_accuracy", "altitude_accuracy", "ellipsoidal_altitude", "floor"].map {
        "coords.\($0)"
      }
      + ["odometer_error"]
    others =
      pairs.filter { facts.shows($0.beside) && (isPromised($0.of) || showsOfAll($0.field)) }.map(\.field)
      + rare.filter { keepsAll || showsOfAll($0) }
    present = keepsAll ? ["recorded_at", "age"] : []
  }

  /// Why one of the sent fields cannot be compared; nil where each can, or is not there.
  var reasonOfAbsence: String? { sent.lazy.compactMap { ShownFields.obstacle(to: $0, facts) }.first }

  /// Why one of the fields that the store shows cannot be compared; nil where each can.
  var reasonOfDoubt: String? {
    sent.lazy.filter(facts.shows).compactMap { ShownFields.obstacle(to: $0, facts) }.first
  }

  /// The store may show a field under a name, or in words, of its own.
  private static func obstacle(to field: String, _ facts: RunFacts) -> String? {
    facts.hidden(field) ?? facts.strange(field)
  }
}
