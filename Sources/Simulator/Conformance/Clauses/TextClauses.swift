import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Scenario
import Upload

/// Extras: every kind of JSON, numbers and letters.
extension ConformanceClause {
  static let texts: [ConformanceClause] = [
    ConformanceClause(
      "extras-every-kind", .content, .must, .wrong, "Extras of every kind of JSON are stored with their types",
      because: "extras are part of the payload, whatever the app puts there (LocationEvent extras; SDK §7.5)",
      threads: ["cordova#652"], presumes: ["null-fields"]
    ) { run in
      try extras(
        run,
        #"{"s":"x","i":7,"t":true,"f0":false,"n":null,"a":[1,"2",[3],null,5,6,7,8],"o":{"k":{"d":1}},"e":"","z":0,"l":[],"m":{},"k.d":1,"$k":2,"tripId":4,"trip_id":5,"Trip-Id":6,"deep":{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":[1]}}}}}}}},"lines":"a\r\nb","day":"2026-02-03","when":"2026-02-03T04:05:06+02:00","0":"a","rooms":{"0":"a","1":"b"},"Schlüssel 鍵":8,"stops":[{"at":1},{"at":2}],"yes":"true","none":"null","code":"007","a key that is longer than a column of sixty-four letters has room for":9}"#
      )
      try namedLikeFields(run)
    },
    ConformanceClause(
      "extras-odd-keys", .content, .should, .wrong,
      "Extras are stored whatever their keys are named, such as id, type, _x or __proto__",
      because:
        "a key that a table, a document or an object of JavaScript has for itself is lost without an error (LocationEvent extras)",
      presumes: ["extras-every-kind"]
    ) {
      try extras(
        $0,
        #"{"id":11,"type":"van","created_at":"c","_x":12,"__proto__":13,"constructor":"d","length":14,"toString":"e"," pad ":15,"":16,"at":"2026-02-03T04:05:06.000Z","json":"{\"a\":1}","same":[1,1,2],"dozen":[1,2,3,4,5,6,7,8,9,10,11,12]}"#
      )
    },
    ConformanceClause(
      "extras-numbers-not-integers", .content, .must, .wrong, "Fractions in extras stay fractions",
      because: "1.5 is not 1 (LocationEvent extras)", presumes: ["extras-every-kind"]
    ) { try extras($0, #"{"d1":1.5,"d2":2.0,"d3":0.1,"d4":-0.25,"list":[1.5,0.1,2]}"#) },
    ConformanceClause(
      "integers-exact", .content, .must, .wrong, "Whole numbers between -(2^53 - 1) and 2^53 - 1 are stored exactly",
      because: "ids and times in milliseconds are such numbers, and every double holds them (RFC 8259 §6)",
      presumes: ["extras-every-kind"]
    ) {
      try extras(
        $0,
        #"{"i1":9007199254740991,"i2":-9007199254740991,"i3":2147483648,"i4":16777217,"i5":1785263662563,"list":[9007199254740991,16777217]}"#
      )
    },
    ConformanceClause(
      "integers-64-bit", .content, .should, .wrong, "Whole numbers of 64 bits with a sign are stored exactly",
      because:
        "ids of databases may be such numbers, and a double makes …992 of one that ends with …993: RFC 8259 §6 promises no more than 53 bits, so an app does better to send them as texts",
      presumes: ["extras-every-kind", "integers-exact"]
    ) { try extras($0, #"{"i6":9007199254740993,"i7":9223372036854775807,"i8":-9223372036854775808}"#) },
    ConformanceClause(
      "long-decimals", .content, .should, .wrong,
      "Long, large and small decimals are stored as the nearest double at least",
      because: "sensors of apps have such numbers", presumes: ["extras-every-kind", "extras-numbers-not-integers"]
    ) { try extras($0, #"{"d5":0.1234567890123456789,"d6":1e300,"d7":1E-7}"#) },
    ConformanceClause(
      "extras-8-kb", .content, .must, .lose,
      "A record with 8 KB of extras, and one with 70 KB, is acknowledged and stored, with its whole text where the store shows extras",
      because:
        "extras have no limit: columns of 255 letters, of 4,000 bytes or of 64 KB cut or refuse them (LocationEvent extras)",
      presumes: ["extras-every-kind"]
    ) { run in
      let phone = try run.phone()
      for kilobytes in [8, 70] {
        let note = "begin \(String(repeating: "0123456789", count: kilobytes * 100)) end"
        let record = run.record(phone, extras: "{\"note\":\"\(note)\"}")
        try run.deliver(phone, [record], as: "a record with \(kilobytes) KB of extras")
        let look = try run.expectOnce([record], of: phone.name, among: " with \(kilobytes) KB of extras")
        try run.expectWholeNotes(of: [record], in: look)
      }
      guard run.facts.recordsMax > 1 else { return }
      let batch =
        run.fixes(phone, 1) + [run.record(phone, extras: "{\"note\":\"\(String(repeating: "9", count: 8_000))\"}")]
      try run.deliver(phone, batch, as: "a batch with 8 KB of extras")
      let look = try run.expectOnce(batch, of: phone.name, among: " of a batch with 8 KB of extras")
      try run.expectWholeNotes(of: [batch[1]], in: look)
    },
    ConformanceClause(
      "text-all-scripts", .content, .must, .wrong, "Text in all scripts, emoji among them, is stored as it was sent",
      because: "names of places and drivers are such text; utf8mb3 and Latin-1 columns refuse or spoil it",
      presumes: ["extras-every-kind", "event-geofence"], allScripts),
    ConformanceClause(
      "text-escaped", .content, .must, .wrong, "Text that is written with JSON's escapes is the same text",
      because: "Android and iOS escape differently (RFC 8259 §7)", presumes: ["extras-every-kind", "text-all-scripts"]
    ) {
      try extras(
        $0,
        #"{"s1":"Z\u00fcrich \uD83D\uDE97","s2":"a\/b \"c\" \\d","s3":"x\ny\tz","s4":"\u2028","s5":" <a href='x'>A&B</a> ","s6":"100%25 a+b","s7":"\u0007\u001f\u00a0."}"#
      )
    },
    ConformanceClause(
      "text-nul", .content, .must, .block, "A text with U+0000 is acknowledged, and its record stored",
      because: "PostgreSQL's text and jsonb refuse it: an error 500 that comes back again and again (SDK §22, row 1)",
      presumes: ["batch-all-stored"]
    ) { try hostile($0, #"{"s":"a\u0000b"}"#, "U+0000") },
    ConformanceClause(
      "text-half-surrogate", .content, .should, .block,
      "A text with half a surrogate pair is acknowledged, and its record stored",
      because:
        "an app that cuts a text in the middle of an emoji may write one, and many libraries refuse to read or to write it (RFC 8259 §8.2; SDK §22, row 1)",
      presumes: ["batch-all-stored"]
    ) { try hostile($0, #"{"s":"x\ud83d"}"#, "half a surrogate pair") },
  ]

  private static func extras(_ run: ClauseRun, _ text: String) throws {
    let phone = try run.phone()
    let record = try run.record(phone, verbatimExtras: text)
    try run.deliver(phone, [record], as: "a record with extras \(text.shortened(60))")
    let look = try run.expectOnce([record], of: phone.name, among: " with extras")
    try run.expectSame(["extras"], of: record, in: look)
  }

  /// A store that writes extras beside the fields of a record may write them over these.
  private static func namedLikeFields(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = run.record(
      phone, extras: #"{"speed":1.5,"heading":"north","odometer":7,"is_moving":"no","event":"geofence"}"#)
    try run.deliver(phone, [record], as: "a record with extras that are named like fields")
    let look = try run.expectOnce([record], of: phone.name, among: " with extras that are named like fields")
    try run.expectSame(["extras"], of: record, in: look)
    try run.expectAsSent([record], in: look, among: " with extras that are named like fields")
  }

  private static func allScripts(_ run: ClauseRun) throws {
    // The last letter has a combining accent, which a store must keep.
    let text = "Zürich 東京 🚗👩‍👩‍👧 عربى e\u{301}"
    try extras(run, "{\"place\":\"\(text)\"}")
    guard run.facts.shows("geofence") else { return }
    let phone = try run.phone()
    let record = run.fix(phone) {
      $0.event = .geofence
      $0.geofence = GeofenceTrigger(identifier: text, action: .enter, timestamp: $0.timestamp)
    }
    try run.deliver(phone, [record], as: "a geofence called '\(text)'")
    let look = try run.expectOnce([record], of: phone.name, among: ", of a geofence called '\(text)',")
    let stored = look.entry(of: record)?.value("geofence.identifier")?.string
    guard let stored, !stored.utf8.elementsEqual(text.utf8) else { return }
    throw run.fail("geofence.identifier: \(stored) instead of \(text)")
  }

  private static func hostile(_ run: ClauseRun, _ extras: String, _ what: String) throws {
    let phone = try run.phone()
    if phone.configuration.http.rootProperty == "." {
      throw ClauseStop.notApplicable("without a root the SDK would have to read the record")
    }
    let record = try run.record(phone, verbatimExtras: extras)
    let next = run.fix(phone)
    try run.deliver(phone, [record, next], as: "a record with \(what)")
    // An invalid record may be quarantined, but not the one after it.
    let look = try run.expectOnce([next], of: phone.name, among: " behind one with \(what)")
    if look.entry(of: record) == nil, try run.look(for: [record], of: phone.name).entry(of: record) == nil,
      try !run.isQuarantined(record, phone.name)
    {
      throw ClauseStop.partly("the record with \(what) is not listed: it was quarantined, or lost")
    }
  }
}

extension ClauseRun {
  /// Requires that the text `note` in the extras is stored completely.
  func expectWholeNotes(of records: [SentRecord], in look: FoundRecords) throws {
    guard facts.shows("extras") else {
      note = "texts were not compared, as the store shows no extras"
      return
    }
    let name = nameOfExtra("note")
    for record in records {
      guard let entry = look.entry(of: record), let sent = record.value.value(at: "extras.\(name)")?.string else {
        continue
      }
      let stored = stored("extras", of: record, entry)?[name]?.string
      if stored == sent { continue }
      let size = stored.map { "\($0.unicodeScalars.count) of the \(sent.unicodeScalars.count) letters" } ?? "nothing"
      throw fail(
        "\(size) of a text in the extras \(stored == nil ? "is" : "are") stored", harm: .wrong,
        stored: entry.entry.shown.shortened(300), sign: .field("extras"))
    }
  }
}

/// Missing, null or new fields, and fields that only some records have.
extension ConformanceClause {
  static let fields: [ConformanceClause] = [
    ConformanceClause(
      "null-fields", .content, .must, .block, "Fields that are null are acknowledged, and stay null",
      because: "every field but the coordinates may be missing or null (SDK §5.1)", threads: ["cordova#1264"], nulls),
    ConformanceClause(
      "missing-fields", .content, .must, .block,
      "A record of uuid, timestamp and coordinates alone is acknowledged and stored",
      because: "every other field may be missing (SDK §5.1)"
    ) { run in
      let phone = try run.phone()
      let record = try run.raw(
        phone, #"{"uuid":"%U","timestamp":"%T","coords":{"latitude":45.523,"longitude":-116.311}}"#)
      try run.deliver(phone, [record], as: "a record without activity, battery and the rest")
      try run.expectOnce([record], of: phone.name, among: " without activity, battery and the rest")
    },
    ConformanceClause(
      "unknown-fields", .content, .must, .block,
      "Records with fields that no document names are acknowledged and stored",
      because: "each version of the SDK adds some (SDK §5.1)"
    ) { run in
      let phone = try run.phone { draft in draft.addParam("new_root_key", .object(["a": .integer(1)])) }
      let record = try run.raw(
        phone,
        #"{"uuid":"%U","timestamp":"%T","new_key":{"a":[1]},"coords":{"latitude":45.524,"longitude":-116.312,"new_coord":3.5}}"#
      )
      try run.deliver(phone, [record], as: "a record with new fields")
      let look = try run.expectOnce([record], of: phone.name, among: " with new fields")
      guard run.facts.promises(.unknown), let entry = look.entry(of: record) else { return }
      for field in ["new_key", "coords.new_coord"] where entry.value(field) == nil {
        throw run.fail(
          "the dialect promises to keep unknown fields, and '\(field)' is not stored", harm: .wrong,
          stored: entry.entry.shown.shortened(240), sign: .field(field))
      }
      for field in ["new_key", "coords.new_coord"] { try run.expectSame(field, of: record, in: look) }
    },
    ConformanceClause(
      "numbers-as-text", .content, .should, .block,
      "Coordinates that are texts are acknowledged, and stored with their value",
      because: "a template with quotes around its tags makes them (SDK §5.1)", threads: ["react-native#1037"],
      numbersAsText),
  ]

  private static func nulls(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = try run.raw(
      phone,
      #"{"uuid":"%U","timestamp":"%T","is_moving":null,"event":null,"activity":null,"extras":null,"coords":{"latitude":45.525,"longitude":-116.313,"speed":null,"heading":null,"altitude":null}}"#
    )
    try run.deliver(phone, [record], as: "a record with null fields")
    let look = try run.expectOnce([record], of: phone.name, among: " with null fields")
    guard let entry = look.entry(of: record) else { return }
    // A scenario does not compare what is null.
    run.log.noteUnscriptable()
    for field in ["event", "extras", "coords.speed", "activity"] {
      guard let text = entry.value(field)?.string, ["null", "None", "nil", "undefined", "NULL"].contains(text) else {
        continue
      }
      // For an object, a column with JSON has the text `null`.
      if text == "null", ["extras", "activity"].contains(field) { continue }
      throw run.fail(
        "\(field) null is stored as the text \"\(text)\"", harm: .wrong, stored: entry.entry.shown.shortened(240))
    }
    for field in ["is_moving", "coords.speed", "coords.heading", "coords.altitude"] {
      guard let value = entry.value(field), value.isZero else { continue }
      throw run.fail(
        "\(field) null is stored as \(value.shown)", harm: .wrong, stored: entry.entry.shown.shortened(240))
    }
  }

  private static func numbersAsText(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = try run.raw(
      phone,
      #"{"uuid":"%U","timestamp":"%T","coords":{"latitude":"45.5190912","longitude":"-116.2972148","accuracy":"5"}}"#)
    try run.deliver(phone, [record], as: "a record whose coordinates are texts")
    let look = try run.look(for: [record], of: phone.name)
    guard let entry = look.entry(of: record) else {
      if try run.isQuarantined(record, phone.name) { return }
      throw ClauseStop.partly("it is not listed: quarantined, or lost")
    }
    let name = "coords.latitude"
    if let reason = run.facts.strange(name) ?? run.facts.hidden(name) { throw ClauseStop.notJudged(reason) }
    guard let stored = entry.value(name)?.double else {
      throw ClauseStop.notJudged("the store shows no '\(name)' of it")
    }
    if abs(stored - 45.5190912) > 1e-6 {
      throw run.fail("latitude \"45.5190912\" is stored as \(stored)", harm: .wrong, sign: .field(name))
    }
  }
}
