import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Scenario
import Upload

/// Devices beside devices, and records beside records: data of one must not appear in the other.
extension ConformanceClause {
  static let neighbours: [ConformanceClause] = [
    ConformanceClause(
      "device-per-request", .content, .must, .wrong,
      "Requests of two devices over one connection are each stored under their own",
      because: "a proxy sends the requests of many phones over one connection (SDK §22, row 30)",
      needs: [.store], presumes: ["right-device", "keep-alive"], devicePerRequest),
    ConformanceClause(
      "devices-look-alike", .content, .should, .wrong,
      "Devices with names that look alike stay apart, with their records and their commands",
      because: "'007' is not '7', and an id is not a word to be put in lower case (SDK §22, row 30)",
      presumes: ["right-device", "command-right-device", "no-commands-unasked"], lookAlike),
    ConformanceClause(
      "one-record-one-content", .content, .must, .wrong, "No record has fields of another record of its batch",
      because: "a variable that outlives the loop moves an event from one record to the next (SDK §5.4)",
      presumes: [
        "batch-all-stored", "event-geofence", "extras-every-kind", "late-behind-newer", "standard-fields-kept",
        "missing-fields", "jump-kept",
      ], records),
    ConformanceClause(
      "jump-kept", .content, .should, .lose, "Records that lie 100 km and a minute apart are stored",
      because:
        "a phone that finds its place by a mast jumps; what is useful is for the reader to decide, and the phone deletes the record either way (SDK §5.1)",
      presumes: ["batch-all-stored"]
    ) { run in
      let phone = try run.phone()
      let records = (0..<3).map { number in
        let time = run.wallNow.advanced(byMilliseconds: Int64(number - 3) * 60_000)
        return run.fix(phone, at: time, latitude: number == 1 ? 46.5 : 45.6, longitude: -116.2)
      }
      try run.deliver(phone, records)
      try run.expectOnce(records, of: phone.name, among: " that lie 100 km and a minute apart")
    },
  ]

  private static func devicePerRequest(_ run: ClauseRun) throws {
    let phones = [try run.phone(), try run.phone()]
    let connection = try run.connect()
    // One request alone shows nothing.
    run.hasNoCommandLine = true
    var sent: [(ConformancePhone, SentRecord)] = []
    for index in 0..<4 {
      let phone = phones[index % 2]
      let record = run.fix(phone)
      let request = try run.request(phone, [record])
      connection.send(RawRequest(request).bytes)
      let reply = connection.reply(within: ClauseRun.answerTime)
      guard case .answer(let answer) = reply, reply.isSuccess else {
        // An answer of another kind is one to this request.
        if case .answer = reply { throw run.fail("upload \(index + 1) on a connection: \(reply.text)", harm: .block) }
        guard index > 0 else { throw run.fail("an upload: \(reply.text)", harm: .repeat) }
        throw ClauseStop.notApplicable("the backend closes each connection after its answer")
      }
      phone.answer(request, .answered(status: answer.status, reason: "", body: answer.body))
      sent.append((phone, record))
    }
    for (phone, record) in sent {
      let look = try run.look(for: [record], of: phone.name)
      if look.missing.isEmpty { continue }
      run.showRequest(of: record)
      let other = phones.first { $0.name != phone.name }?.name ?? ""
      let isThere = try run.stored(other).contains { $0.uuid == record.uuid }
      throw run.fail(
        "a record of '\(phone.name)' is \(isThere ? "stored under '\(other)', which used the same connection" : "not stored")",
        harm: isThere ? .wrong : .lose, sign: isThere ? .elsewhere : .loss)
    }
  }

  private static func lookAlike(_ run: ClauseRun) throws {
    guard run.target.dialect.devices.names == .text else {
      throw ClauseStop.notApplicable("the dialect's devices.names are no texts")
    }
    let base = try run.phone(named: "x").name
    // Unlike any other run's, also where the clause runs again.
    let digits = run.settings.start.millisecondsSince1970 * 10_000 + Int64(run.turn * 1_000 + run.attempt) % 10_000
    var pairs = [
      ("\(base)-A", "\(base)-a"), ("00\(base)", "0\(base)"), ("\(base) 1", "\(base)-1"), ("00\(digits)", "\(digits)"),
      // The one is a pattern of the other in SQL, its beginning, or its end; and they differ by a mark.
      ("\(base)_2", "\(base)-2"), ("\(base)-3", "\(base)-30"), ("4-\(base)", "5-\(base)"), ("\(base)-6", "\(base)6"),
      ("\(base).7", "\(base).8"), ("\(base)--9", "\(base)-9"),
    ]
    if run.facts.isSlow { pairs.removeLast(6) }
    // Non-ASCII letters in a header field are interpreted by the recipient (RFC 9110 §5.5).
    if !run.target.namesDevicesInHeaders { pairs.append(("\(base)-ü", "\(base)-u")) }
    for (left, right) in pairs {
      var sent: [(phone: ConformancePhone, record: SentRecord)] = []
      for name in [left, right] {
        let tokens = run.facts.needsTokens ? try run.signIn(name) : nil
        let phone = try run.phone(exactly: name, tokens: tokens)
        let record = run.fix(phone)
        try run.deliver(phone, [record], as: "an upload of device '\(name)'")
        sent.append((phone, record))
      }
      for (phone, record) in sent {
        let name = phone.name
        try run.expectOnce(
          [record], of: name, among: ", of '\(name)' beside '\(name == left ? right : left)',", harm: .wrong)
        let entries = try run.stored(name)
        run.showRequest(of: record)
        if entries.count > 1 {
          // A scenario asks for its records alone.
          run.log.noteUnscriptable()
          throw run.fail("'\(left)' and '\(right)' are one device to the store")
        }
      }
      try keepCommandsApart(run, sent[0].phone, sent[1].phone)
    }
  }

  private static func keepCommandsApart(_ run: ClauseRun, _ phone: ConformancePhone, _ other: ConformancePhone) throws {
    guard run.target.commands != nil else { return }
    try run.queueAny(preferring: .setOdometer(metres: 79), for: phone)
    for _ in 0..<2 { try run.deliver(other, [run.fix(other)]) }
    if let command = other.executed.first {
      throw run.fail("\(command.name.rawValue) was queued for '\(phone.name)' and came to '\(other.name)'")
    }
  }

  private static func records(_ run: ClauseRun) throws {
    try run.needBatches()
    try ownExtras(run)
    let phone = try run.phone()
    let full = run.fix(phone) {
      $0.event = .geofence
      $0.geofence = GeofenceTrigger(identifier: "neighbour", action: .enter, timestamp: $0.timestamp)
      $0.extras = run.object(#"{"neighbour":"yes"}"#)
      ($0.coords.floor, $0.isMock) = (17, true)
      ($0.battery, $0.activity) = (Battery(level: 0.13, isCharging: true), Activity(.running, confidence: 57))
    }
    let records = [run.fix(phone), full, run.fix(phone), run.fix(phone)]
    run.log.noteUnscriptable()
    try run.deliver(phone, records)
    let look = try run.expectOnce(records, of: phone.name)
    let extra = "extras.\(run.nameOfExtra("neighbour"))"
    for (index, record) in records.enumerated() where index != 1 {
      guard let entry = look.entry(of: record) else { continue }
      for field in ["event", "geofence.identifier", extra] {
        let flat = field == extra && run.facts.hasFlatExtras ? entry.member(run.nameOfExtra("neighbour")) : nil
        guard let value = entry.value(field) ?? flat, let text = value.string,
          let theirs = full.value.value(at: field)?.string,
          text.lowercased() == theirs.lowercased()
        else { continue }
        throw mixed(run, "record \(index + 1) of the batch has \(field) \(value.shown) of record 2", entry)
      }
      if entry.value("coords.floor")?.double == 17 || entry.value("mock")?.flag == true {
        throw mixed(run, "record \(index + 1) of the batch has the floor, or the mock, of record 2", entry)
      }
      for field in ["battery.level", "activity.type"] where run.facts.shows(field) && run.facts.strange(field) == nil {
        if let value = entry.value(field), let theirs = full.value.value(at: field), value.equals(theirs) {
          throw mixed(run, "record \(index + 1) of the batch has \(field) \(value.shown) of record 2", entry)
        }
        try run.expectSame(field, of: record, in: look)
      }
    }
    if run.facts.takesDefaultSchema { try bareRecords(run) }
    let fields = ["event", "extras", "battery.level", "activity.type"]
    // A value under another name may be that of a neighbour.
    let hidden = fields.compactMap { run.facts.hidden($0) ?? run.facts.strange($0) }
    if let reason = hidden.first { throw ClauseStop.partly(reason) }
    if !fields.contains(where: run.facts.shows) {
      throw ClauseStop.notApplicable(
        "the store shows none of the fields \(fields.joined(separator: ", "))\(run.facts.remedyOfTemplates)")
    }
  }

  /// Checks that each record of a batch is stored with its own extras.
  private static func ownExtras(_ run: ClauseRun) throws {
    guard run.facts.shows("extras"), run.facts.hidden("extras") == nil else { return }
    let phone = try run.phone()
    let records = (1...3).map { number in
      run.fix(phone) { $0.extras = run.object("{\"own\":\"\(number)\",\"only\(number)\":\"yes\"}") }
    }
    try run.deliver(phone, records)
    let look = try run.expectOnce(records, of: phone.name)
    for (index, record) in records.enumerated() {
      guard let entry = look.entry(of: record) else { continue }
      let stored = run.stored("extras", of: record, entry)
      for (other, neighbour) in records.enumerated() where other != index {
        guard let stored, let theirs = neighbour.value.value(at: "extras") else { continue }
        let (mine, only) = ("record \(index + 1) of the batch has", run.nameOfExtra("only\(other + 1)"))
        // A table with a column per extra has null in those of others.
        let strange = (stored[only] ?? (run.facts.hasFlatExtras ? entry.member(only) : nil)).flatMap {
          $0.isNull ? nil : $0
        }
        if stored.equals(theirs) || strange != nil { run.showRequest(of: record) }
        if stored.equals(theirs) {
          throw mixed(run, "\(mine) the extras of record \(other + 1): \(stored.shown)", entry)
        }
        if let value = strange {
          throw mixed(run, "\(mine) extras.\(only) \(value.shown) of record \(other + 1)", entry)
        }
      }
      try run.expectSame(["extras"], of: record, in: look)
    }
  }

  /// Checks that a record without battery and activity does not get those of its neighbours.
  private static func bareRecords(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let full = run.fix(phone) {
      ($0.battery, $0.activity) = (Battery(level: 0.13, isCharging: true), Activity(.running, confidence: 57))
    }
    let bare = try run.raw(
      phone, #"{"uuid":"%U","timestamp":"%T","coords":{"latitude":45.53,"longitude":-116.31,"accuracy":5}}"#)
    // A scenario does not compare fields that were not sent.
    run.log.noteUnscriptable()
    try run.deliver(phone, [full, bare, run.fix(phone)])
    let look = try run.expectOnce([full, bare], of: phone.name)
    guard let entry = look.entry(of: bare), let neighbour = look.entry(of: full) else { return }
    for field in ["battery.level", "activity.type", "coords.speed", "coords.heading", "coords.altitude", "odometer"] {
      guard let value = entry.value(field), let theirs = neighbour.value(field), value.equals(theirs) else { continue }
      throw mixed(run, "a record without \(field) has \(value.shown) of the one before it in its batch", entry)
    }
  }

  private static func mixed(_ run: ClauseRun, _ cause: String, _ entry: StoredRecord) -> ClauseStop {
    run.fail(cause, stored: entry.entry.shown.shortened(240), sign: .ofNeighbour)
  }
}
