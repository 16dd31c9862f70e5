import BackendStore
import Base
import Contract
import Scenario

/// The fields of the documented payload.
extension ConformanceClause {
  static func standardFields(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let records = two(run, phone)
    let kinds = [ActivityType.walking, .running, .onBicycle].map { kind in
      run.fix(phone) { $0.activity = Activity(kind, confidence: 92) }
    }
    // A fast train in the mountains.
    let fast = run.fix(phone) { record in
      (record.coords.speed, record.coords.heading, record.coords.altitude) = (83.25, 359.25, 2_253.5)
    }
    // Standing still, heading north, at sea level.
    let zeros = run.fix(phone) { record in
      (record.coords.speed, record.coords.heading, record.coords.altitude) = (0, 0, 0)
      (record.odometer, record.isMoving) = (0, false)
      record.activity = Activity(.still, confidence: 0)
      record.battery = Battery(level: 0, isCharging: false)
    }
    try run.deliver(phone, records + kinds + [fast, zeros])
    let look = try run.expectOnce(records + kinds + [fast, zeros], of: phone.name)
    let sent = [
      "coords.speed", "coords.heading", "coords.altitude", "coords.accuracy", "odometer", "battery.level", "is_moving",
      "activity.type",
    ].filter { zeros.value.value(at: $0) != nil }
    let shown = sent.filter(run.facts.shows)
    // The store may show them under names, or in words, of its own.
    func unseen(_ field: String) -> String? { run.facts.hidden(field) ?? run.facts.strange(field) }
    let fields = shown.filter { unseen($0) == nil }
    // Columns may keep the level and the type only.
    let pairs: [(field: String, beside: String, of: KeptField)] = [
      ("battery.is_charging", "battery.level", .battery), ("activity.confidence", "activity.type", .activity),
    ]
    func showsOfAll(_ field: String) -> Bool {
      records.allSatisfy {
        look.entry(of: $0)?.value(field)?.isNull == false && $0.value.value(at: field) != nil
      }
    }
    let accuracies = ["coords.speed_accuracy", "coords.heading_accuracy", "coords.altitude_accuracy"]
    let others =
      pairs.filter { pair in
        let isPromised =
          run.facts.promises(pair.of)
          && records.allSatisfy { record in
            if case .object? = look.entry(of: record)?.value(pair.of.rawValue) { true } else { false }
          }
        return run.facts.shows(pair.beside) && (isPromised || showsOfAll(pair.field))
      }.map(\.field) + accuracies.filter(showsOfAll)
    guard !fields.isEmpty else {
      if let reason = sent.lazy.compactMap(unseen).first { throw ClauseStop.partly(reason) }
      throw ClauseStop.notApplicable("the store shows none of these fields\(run.facts.remedyOfTemplates)")
    }
    let leftOut = try expectZeros(run, fields + others, of: zeros, beside: records, in: look)
    for record in records {
      // Values of these records that are 0 or false are left out, too.
      func isLeftOut(_ field: String) -> Bool {
        leftOut && record.value.value(at: field)?.isZero ?? false && look.entry(of: record)?.value(field) == nil
      }
      try run.expectSame(fields.filter { !isLeftOut($0) }, of: record, in: look)
      for field in others where !isLeftOut(field) {
        try run.expectSame(field, of: record, in: look, isOwed: true)
      }
    }
    for record in kinds + [fast] { try run.expectSame(fields, of: record, in: look) }
    run.note = (fields + others).joined(separator: ", ")
    if leftOut { throw ClauseStop.partly(ClauseRun.reasonOfZeros) }
    if let reason = shown.lazy.compactMap(unseen).first { throw ClauseStop.partly(reason) }
  }

  /// They differ in every field: a constant value is not what was sent.
  private static func two(_ run: ClauseRun, _ phone: ConformancePhone) -> [SentRecord] {
    [
      run.fix(phone),
      run.fix(phone) { record in
        (record.coords.speed, record.coords.heading) = (0.25, 88.5)
        (record.coords.altitude, record.coords.accuracy) = (-3.5, 17.25)
        (record.coords.speedAccuracy, record.coords.headingAccuracy) = (1.75, 12.5)
        record.coords.altitudeAccuracy = 6.25
        // More digits than a 32-bit float has.
        (record.odometer, record.isMoving) = (1_204_871.43, false)
        record.activity = Activity(.still, confidence: 61)
        record.battery = Battery(level: 0.97, isCharging: true)
      },
    ]
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
