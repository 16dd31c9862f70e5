import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Scenario
import Upload

/// Whether content is stored as sent.
extension ConformanceClause {
  static let content: [ConformanceClause] = [
    ConformanceClause(
      "coordinates-exact", .content, .must, .wrong, "Coordinates are stored to seven decimals at least",
      because:
        "the SDK sends all the digits it has; five decimals are a metre, a 32-bit float is up to eight (SDK §5.1)",
      presumes: ["coordinates-not-swapped", "coordinates-at-edges"]
    ) { run in
      let places =
        [(45.51909123456789, -116.29721487654321), (-33.86881971234567, 151.20929551234567)] + quadrants + margins
      let phone = try run.phone()
      let records = places.map { run.fix(phone, latitude: $0.0, longitude: $0.1) }
      try run.deliver(phone, records)
      let look = try run.expectOnce(records, of: phone.name, among: " of all quarters of the Earth")
      for record in records { try run.expectSame(["coords.latitude", "coords.longitude"], of: record, in: look) }
    },
    ConformanceClause(
      "coordinates-not-swapped", .content, .must, .wrong, "Latitude is stored as latitude, and longitude as longitude",
      because: "GeoJSON and PostGIS have the longitude first (LocationEvent coords)", presumes: ["jump-kept"]
    ) { run in
      let places = [(45.5, -116.3), (-33.9, 151.2)] + quadrants
      let phone = try run.phone()
      let records = places.map { run.fix(phone, latitude: $0.0, longitude: $0.1) }
      try run.deliver(phone, records)
      let look = try run.expectOnce(records, of: phone.name, among: " of all quarters of the Earth")
      let name = "coords.latitude"
      if let reason = run.facts.strange(name) ?? run.facts.hidden(name) { throw ClauseRun.unseen(name, reason) }
      var isCompared = false
      for (record, (latitude, longitude)) in zip(records, places) {
        guard let entry = look.entry(of: record), let stored = entry.value(name)?.double else { continue }
        isCompared = true
        if abs(stored - longitude) < 0.01, abs(stored - latitude) >= 0.01 {
          throw run.swapped(latitude, as: stored, entry)
        }
      }
      if !isCompared { throw ClauseRun.unseen(name, "the store shows no '\(name)'") }
    },
    ConformanceClause(
      "coordinates-at-edges", .content, .must, .block,
      "Places at 0°, at the poles and at 180° are acknowledged and stored",
      because: "0 is a coordinate and not a missing one (SDK §5.1)", presumes: ["coordinates-not-swapped"]
    ) { run in
      try places(run, [(0, 0), (90, 180), (-90, -180), (12, -180), (45, 0), (0, -116), (1e-7, -1e-7)])
    },
    ConformanceClause(
      "minus-one-kept", .content, .must, .block,
      "A speed, heading, accuracy or battery level of -1 is acknowledged, and stored as -1 or as unknown",
      because: "-1 says that the device does not know, and 0 that it stands still or is empty (SDK §5.1)", minusOne),
    ConformanceClause(
      "time-to-the-millisecond", .content, .must, .wrong, "The time of a record is stored to the millisecond",
      because: "records of one second are told apart by it (LocationEvent timestamp; SDK §5.1)",
      presumes: ["time-is-utc"]
    ) { run in
      // Their milliseconds end in 0, 4, 1 and 9: rounding to hundredths or to 1/300 s, as in databases, changes some. Two
      // fractions begin with 0, which is lost if they are written as a number.
      let second = run.instant(9)
      let start = second.advanced(byMilliseconds: -second.millisecondsSince1970 % 1_000)
      let others = [70, 1_007].map { start.advanced(byMilliseconds: $0) }
      try times(run, [1, 3, 4, 8].map(run.instant) + others, isExact: true)
    },
    ConformanceClause(
      "time-is-utc", .content, .must, .wrong, "The time of a record is stored as the instant that was sent",
      because: "the SDK sends UTC, and a local zone of the server moves tracks by hours (LocationEvent timestamp)",
      threads: ["cordova#1327"],
      presumes: ["batch-all-stored", "late-behind-newer", "week-late", "batch-over-midnight"]
    ) { run in
      try times(run, hours(run) + [run.instant(2)], isExact: false)
    },
    ConformanceClause(
      "time-epoch", .content, .must, .block, "A time in epoch milliseconds is understood",
      because: "persistence.timestampFormat may be epoch (SDK §2.6, §5.1)", presumes: ["time-is-utc"], epoch),
    ConformanceClause(
      "time-zone-and-fractions", .content, .should, .wrong,
      "Times with an offset, without a fraction and with six digits are understood",
      because: "apps insert records of their own (SDK §3, DataStore)",
      presumes: ["time-is-utc", "time-to-the-millisecond"], zones),
    ConformanceClause(
      "recorded-at-and-age-harmless", .content, .must, .block,
      "recorded_at, age, timestampMeta and activities are acknowledged, and timestamp is the time",
      because: "versions and platforms differ in what they add (SDK §5.1, §5.2)",
      presumes: ["time-is-utc", "time-to-the-millisecond"], recordedAt),
    ConformanceClause(
      "uuid-in-lower-case", .content, .must, .lose, "A record whose uuid is in lower case is acknowledged and stored",
      because: "iOS writes uuids in capitals, and Android does not (SDK §5.1)"
    ) { run in
      let phone = try run.phone()
      let record = try run.raw(
        phone, #"{"uuid":"%L","timestamp":"%T","coords":{"latitude":45.521,"longitude":-116.309,"accuracy":4.5}}"#)
      try run.deliver(phone, [record], as: "a record whose uuid is in lower case")
      try run.expectOnce([record], of: phone.name, among: " whose uuid is in lower case")
    },
    ConformanceClause(
      "inaccurate-kept", .content, .should, .lose,
      "Records of an accuracy of 1,500 and 4,800 m, mocked, of an unknown activity or in an aircraft, are stored",
      because: "what is useful is for the reader to decide; the phone deletes the record either way (SDK §5.1)",
      inaccurate),
    ConformanceClause(
      "standard-fields-kept", .content, .must, .wrong,
      "Speed, heading, altitude, accuracy, odometer, is_moving, battery and activity are stored as they were sent",
      because: "they are the documented payload, and 0 is a value (LocationEvent, HTTP POST schema)", standardFields),
    ConformanceClause(
      "params-kept", .content, .should, .wrong, "Params of every JSON type beside the records are stored",
      because: "apps say there whose trip this is (HttpConfig params)", params),
    ConformanceClause(
      "params-named-like-fields", .content, .should, .wrong,
      "Params that are named like fields of a record do not replace these",
      because: "they stand beside the records, and one object made of both has the values of one (HttpConfig params)",
      presumes: ["standard-fields-kept", "extras-every-kind"], paramsNamedLikeFields),
  ]

  /// One place in each quarter of the Earth, whose coordinates remain valid when they are swapped.
  private static let quadrants = [
    (48.85661411234567, 2.35222191234567), (38.72225221234567, -9.13933661234567),
    (-1.29206591234567, 36.82194621234567), (-12.04637381234567, -77.04279341234567),
  ]

  /// Near 0°, 180° and the poles.
  private static let margins = [
    (0.00014321234567, -0.00027651234567), (-16.79876541234567, 179.99987651234567),
    (65.12345671234567, -179.99976541234567), (89.99876541234567, 12.34567891234567),
    (-89.99765431234567, -45.67891231234567),
  ]

  private static func deliverPlace(_ run: ClauseRun, _ latitude: Double, _ longitude: Double) throws
    -> (SentRecord, ClauseRun.FoundRecords)
  {
    let phone = try run.phone()
    let record = run.fix(phone, latitude: latitude, longitude: longitude)
    try run.deliver(phone, [record], as: "a record at \(latitude), \(longitude)")
    return (record, try run.expectOnce([record], of: phone.name, among: " at \(latitude), \(longitude)"))
  }

  private static func places(_ run: ClauseRun, _ list: [(Double, Double)]) throws {
    for (latitude, longitude) in list {
      let (record, look) = try deliverPlace(run, latitude, longitude)
      try run.expectSame(["coords.latitude"], of: record, in: look)
      // A pole has every longitude, and 180° east is 180° west.
      if abs(latitude) == 90 { continue }
      let stored = look.entry(of: record)?.value("coords.longitude")?.double
      if abs(longitude) == 180, let stored, abs(stored) == 180 { continue }
      try run.expectSame(["coords.longitude"], of: record, in: look)
    }
  }

  private static func minusOne(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = run.fix(phone) { record in
      record.coords.speed = nil
      record.coords.heading = nil
      record.coords.speedAccuracy = nil
      record.coords.headingAccuracy = nil
      record.coords.altitudeAccuracy = nil
      record.coords.altitude = 0
      record.battery.level = nil
    }
    try run.deliver(phone, [record], as: "a record with a speed of -1")
    let look = try run.expectOnce([record], of: phone.name, among: " with a speed of -1")
    try run.expectUnknown(["coords.speed", "coords.heading", "battery.level"], of: record, in: look)
    // By itself, as it may be refused where the others are not.
    let vague = run.fix(phone) { $0.coords.accuracy = nil }
    try run.deliver(phone, [vague], as: "a record with an accuracy of -1")
    let second = try run.expectOnce([vague], of: phone.name, among: " with an accuracy of -1")
    try run.expectUnknown(["coords.accuracy"], of: vague, in: second)
  }

  /// Returns times of yesterday, just after midnight, in the morning and in the afternoon, which a 12-hour clock shows
  /// differently; of today where the backend rejects older ones.
  private static func hours(_ run: ClauseRun) -> [WallInstant] {
    guard run.target.dialect.promises.oldest > .seconds(50 * 3_600) else { return [run.instant(3)] }
    let day: Int64 = 86_400_000
    let midnight = run.settings.start.millisecondsSince1970 / day * day - day
    return [(0, 17), (9, 26), (15, 48)].map { hour, minute in
      WallInstant(millisecondsSince1970: midnight + (hour * 60 + minute) * 60_000 + 21_563)
    }
  }

  private static func times(_ run: ClauseRun, _ list: [WallInstant], isExact: Bool) throws {
    let phone = try run.phone()
    let records = list.map { run.fix(phone, at: $0) }
    try run.deliver(phone, records)
    let look = try run.expectOnce(records, of: phone.name)
    for record in records {
      if !record.sends("timestamp") { throw ClauseStop.notApplicable(run.notSent(["timestamp"])) }
      let name = "timestamp"
      if let reason = run.facts.strange(name) { throw ClauseRun.unseen(name, reason) }
      guard let stored = look.entry(of: record)?.value(name) else { throw run.noTimeShown }
      guard let instant = stored.instant else {
        throw ClauseRun.unseen(
          name,
          "the store's time cannot be read: \(stored.shown.shortened(60)); let the list, its query or its command write it in ISO 8601 or as a number since 1970"
        )
      }
      let error = instant.milliseconds(since: record.timestamp)
      if error != 0, isExact || abs(error) >= 1_000 {
        let other = record.value.value(at: "recorded_at")?.instant == instant ? ", which is its recorded_at" : ""
        throw run.fail(
          "the time \(record.timestamp.iso8601Text) is stored as \(stored.shown), \(Double(error) / 1_000) s off\(other)"
        )
      }
    }
  }

  private static func epoch(_ run: ClauseRun) throws {
    guard run.target.dialect.promises.takesEpoch || run.target.templates.countsTimes else {
      throw ClauseStop.notApplicable("the dialect takes ISO times only")
    }
    let phone = try run.phone { $0.persistence.timestampFormat = .epoch }
    let record = run.fix(phone)
    try run.deliver(phone, [record], as: "a record with an epoch time")
    let look = try run.expectOnce([record], of: phone.name, among: " with an epoch time")
    try run.expectSame(["timestamp"], of: record, in: look)
  }

  private static func zones(_ run: ClauseRun) throws {
    let start = run.instant(40)
    let whole = start.advanced(byMilliseconds: -start.millisecondsSince1970 % 1_000)
    let local = String(start.advanced(byMilliseconds: -4 * 3_600_000).iso8601Text.dropLast()) + "-04:00"
    let spellings = [
      (local, start), (String(whole.iso8601Text.dropLast(5)) + "Z", whole),
      (String(start.iso8601Text.dropLast()) + "000Z", start),
    ]
    for (spelling, instant) in spellings {
      let phone = try run.phone()
      let record = try run.raw(
        phone,
        "{\"uuid\":\"%U\",\"timestamp\":\"\(spelling)\",\"coords\":{\"latitude\":45.5,\"longitude\":-116.3,\"accuracy\":5}}",
        at: instant)
      try run.deliver(phone, [record], as: "a record of \(spelling)")
      let look = try run.expectOnce([record], of: phone.name, among: " of \(spelling)")
      guard let stored = look.entry(of: record)?.value("timestamp") else { continue }
      // A store that keeps the text keeps the instant, too.
      if let reason = run.facts.strange("timestamp") { throw ClauseRun.unseen("timestamp", reason) }
      guard let found = stored.instant, found != instant, !run.isSpelledLike(stored, spelling) else { continue }
      throw run.fail("the time \(spelling) is stored as \(stored.shown)")
    }
  }

  private static func recordedAt(_ run: ClauseRun) throws {
    let time = run.instant(50)
    let later = time.advanced(byMilliseconds: 3_600_000).iso8601Text
    for members in [
      "\"recorded_at\":\"\(later)\",\"age\":3600000", "\"age\":-5", "\"age\":2592000000",
      "\"timestampMeta\":{\"time\":\(time.millisecondsSince1970 + 7),\"systemTime\":1,\"systemClockElaspsedRealtime\":2},\"activities\":[{\"type\":\"still\",\"confidence\":80}]",
    ] {
      let phone = try run.phone()
      let record = try run.raw(phone, with: members, at: time)
      try run.deliver(phone, [record], as: "a record with \(members.prefix(30))…")
      let look = try run.expectOnce([record], of: phone.name)
      try run.expectSame(["timestamp"], of: record, in: look)
    }
  }

  private static func inaccurate(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = run.fix(phone) { record in
      record.coords.accuracy = 1_500
      record.isMock = true
      record.activity = Activity(.unknown, confidence: 0)
    }
    // As of a cell of a network in the country.
    let vague = run.fix(phone) { $0.coords.accuracy = 4_800 }
    try run.deliver(phone, [record, vague], as: "an inaccurate record")
    let flying = run.fix(phone) { ($0.coords.speed, $0.coords.altitude) = (251.75, 11_277.5) }
    try run.deliver(phone, [flying], as: "a record of an aircraft")
    let look = try run.expectOnce(
      [record, vague, flying], of: phone.name, among: " of an accuracy of 1,500 and 4,800 m, and of an aircraft")
    for (record, fields) in [(vague, ["coords.accuracy"]), (flying, ["coords.speed", "coords.altitude"])] {
      let shown = fields.filter { run.facts.shows($0) && run.facts.strange($0) == nil && record.sends($0) }
      try run.expectSame(shown, of: record, in: look)
    }
    // A store that says false, or keeps all and not this, presents a simulated position as a real one.
    let keepsAll = run.facts.promises(.unknown) && run.facts.takesDefaultSchema
    guard let entry = look.entry(of: record), record.value["mock"] != nil else { return }
    let stored = entry.value("mock")
    guard stored.map({ $0.flag == false }) ?? keepsAll else { return }
    run.showRequest(of: record)
    throw run.fail(
      "mock: \(stored?.shown ?? "not stored") instead of true", harm: .wrong, stored: entry.entry.shown.shortened(300),
      sign: .field("mock"))
  }

  private static func paramsNamedLikeFields(_ run: ClauseRun) throws {
    try run.needFreeParams()
    let phone = try run.phone { draft in
      draft.addParam("event", .string("geofence"))
      draft.addParam("odometer", .integer(7))
      draft.addParam("is_moving", .string("no"))
      draft.addParam("speed", .double(1.5))
      draft.addParam("heading", .string("north"))
    }
    if phone.configuration.http.rootProperty == "." {
      throw ClauseStop.notApplicable("without a root the params stand among the keys of a record")
    }
    let record = run.fix(phone)
    try run.deliver(phone, [record], as: "a record beside params that are named like its fields")
    let what = " beside params that are named like its fields"
    let look = try run.expectOnce([record], of: phone.name, among: what)
    try run.expectAsSent([record], in: look, among: what)
  }

  /// Of each kind of JSON.
  private static let sentParams: [(name: String, value: JSONValue)] = [
    ("trip", .string("T 1")), ("user_id", .integer(1234)), ("trip_rate", .double(0.25)), ("trip_is_trial", .bool(true)),
    ("trip_details", .object(["axles": .integer(3), "loads": .array([.double(7.5), .integer(2)])])),
  ]

  private static func params(_ run: ClauseRun) throws {
    try run.needFreeParams()
    let phone = try run.phone { draft in
      for param in sentParams { draft.addParam(param.name, param.value) }
    }
    let records = run.fixes(phone, min(2, run.facts.recordsMax))
    let record = records[0]
    try run.deliver(phone, records)
    let look = try run.expectOnce(records, of: phone.name)
    guard let first = look.entry(of: record) else { return }
    if first.value("params") == nil, let place = first.namedPlace(of: "params") {
      throw run.misplaced("params", place, first)
    }
    for record in records { if let entry = look.entry(of: record) { try expectParams(run, of: entry) } }
    let name = "user_id"
    guard let found = run.param(name, of: first) else { return }
    phone.configure { draft in draft.addParam(name, .integer(5678)) }
    let next = run.fix(phone)
    try run.deliver(phone, [next])
    let entry = try run.expectOnce([record, next], of: phone.name).entry(of: record)
    guard let entry, let kept = run.param(name, of: entry), !kept.equals(found) else { return }
    throw run.fail(
      "user_id \(found.shown) of a record is \(kept.shown) after the next upload of its device, which has other params",
      stored: entry.entry.shown.shortened(200))
  }

  /// A list that is not promised to have them is judged by what it shows as params; one that shows a text has the others.
  private static func expectParams(_ run: ClauseRun, of entry: StoredRecord) throws {
    let isOwed = run.facts.promises(.params) || entry.value("params")?["trip"] != nil
    if !isOwed, sentParams.allSatisfy({ run.param($0.name, of: entry) == nil }) {
      throw ClauseStop.notApplicable("the dialect does not promise to keep params")
    }
    for (name, value) in sentParams {
      guard let sent = StoredValue(value.serialized) else { continue }
      guard let stored = run.param(name, of: entry) else {
        if !isOwed { continue }
        if let place = entry.entry.place(of: sent) {
          throw ClauseRun.unseen(
            "params", "the store shows the param \(name) at \(place): say in verify.fields where 'params' stands")
        }
        throw run.fail("the param \(name) is not stored", stored: entry.entry.shown.shortened(200))
      }
      if !stored.equals(sent) {
        throw run.fail(
          "the param \(name) \(sent.shown) is stored as \(stored.shown.shortened(80))",
          stored: entry.entry.shown.shortened(200))
      }
    }
  }
}

extension ClauseRun {
  /// Returns a param beside the records. Without a promise a column of its name may be of something else, as `user_id`.
  fileprivate func param(_ name: String, of entry: StoredRecord) -> StoredValue? {
    entry.value("params")?[name] ?? (facts.promises(.params) ? entry.value(name) : nil)
  }

  /// Reports whether the text of a time was kept with its offset, or without the letter of its zone.
  func isSpelledLike(_ stored: StoredValue, _ spelling: String) -> Bool { stored.string == spelling }
}
