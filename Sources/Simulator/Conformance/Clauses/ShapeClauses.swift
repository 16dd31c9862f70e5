import AnswerCheck
import BackendStore
import Base
import Contract
import Gzip
import HTTP1
import JSON
import Scenario
import Upload

/// The forms of a body.
extension ConformanceClause {
  static let shapes: [ConformanceClause] = [
    ConformanceClause(
      "root-object", .shapes, .must, .lose,
      "A single record under the root of the app, by default `location`, is understood",
      because: "without batchSync each record is a request of its own (HttpConfig rootProperty; SDK §8.2)"
    ) { run in
      try run.needSingles()
      let phone = try run.phone { $0.http.batchSync = false }
      let records = (0..<2).map { run.record(phone, extras: "{\"k\":\"v\($0)\"}") }
      try run.deliver(phone, records, as: "a single record")
      let look = try run.expectOnce(records, of: phone.name, among: " of single uploads")
      for record in records where run.facts.shows("extras") { try run.expectSame(["extras"], of: record, in: look) }
    },
    ConformanceClause(
      "root-array", .shapes, .must, .lose, "A batch and then a single record of one phone are both understood",
      because: "an update of the app switches batchSync (SDK §8.2)", threads: ["flutter#176", "react-native#2519"],
      presumes: ["root-object", "batch-all-stored"]
    ) { run in
      try run.needBatches(of: 1)
      try run.needSingles()
      let phone = try run.phone { $0.http.batchSync = true }
      let batch = run.fixes(phone, 3)
      try run.deliver(phone, batch, as: "a batch")
      phone.configure { $0.http.batchSync = false }
      let single = run.fix(phone)
      try run.deliver(phone, [single], as: "a single record after a batch")
      try run.expectOnce(batch + [single], of: phone.name, among: " of a batch and a single upload")
    },
    ConformanceClause(
      "root-renamed", .shapes, .must, .lose,
      "Records under another root are understood, or refused where none is promised",
      because: "httpRootProperty is the app's choice (HttpConfig rootProperty, maxBatchSize)",
      presumes: ["root-object", "batch-all-stored"]
    ) { run in
      let claimed = run.target.dialect.promises.roots.first { $0 != "." }
      try root(run, claimed ?? "locations", isClaimed: claimed != nil)
    },
    ConformanceClause(
      "root-dot-object", .shapes, .must, .lose,
      "A record without a root, with the params beside its keys, is understood, or refused",
      because: "httpRootProperty \".\" writes it so (HttpConfig rootProperty)", presumes: ["root-object"]
    ) { run in
      try run.needSingles()
      try root(run, ".", isClaimed: takesBare(run), isBatch: false)
    },
    ConformanceClause(
      "root-dot-array", .shapes, .must, .lose, "A batch without a root is understood, or refused",
      because: "httpRootProperty \".\" writes it as a bare array (SDK §8.2)",
      presumes: ["batch-all-stored", "root-dot-object"]
    ) { run in
      try run.needBatches(of: 1)
      try root(run, ".", isClaimed: takesBare(run), isBatch: true)
    },
    ConformanceClause(
      "root-changed-with-full-queue", .shapes, .must, .lose,
      "Records that wait while the root changes arrive under either",
      because: "setConfig takes effect at the next request, with the records that wait (SDK §7.2)",
      presumes: ["root-renamed", "batch-all-stored", "root-dot-object", "root-dot-array"], rootChanged),
    ConformanceClause(
      "template-object", .shapes, .must, .lose, "Records of an object template are understood",
      because: "locationTemplate names the keys as it likes (SDK §7.5, §8.7)", presumes: ["batch-all-stored"]
    ) { try ofTemplate($0, objectTemplate, count: 1) },
    ConformanceClause(
      "template-array", .shapes, .must, .lose, "A record of an array template is one record, not one for each value",
      because: "an array under the root is not a batch when the template is an array (SDK §7.5, §8.2)",
      threads: ["react-native#1702", "react-native#825", "nativescript#144"], presumes: ["root-object"]
    ) { run in
      try run.needSingles()
      try ofTemplate(run, arrayTemplate, count: 1, isBatch: false)
    },
    ConformanceClause(
      "template-array-batch", .shapes, .must, .lose, "A batch of records of an array template is understood",
      because: "it is an array of arrays (SDK §8.7)", presumes: ["template-array", "batch-all-stored"]
    ) { run in
      try run.needBatches(of: 1)
      try ofTemplate(run, arrayTemplate, count: 4, isBatch: true)
    },
    ConformanceClause(
      "template-changed-with-full-queue", .shapes, .must, .lose,
      "A batch of records in the old and the new form keeps those in the old form",
      because: "queued records are never rendered again (SDK §7.2)",
      threads: ["react-native#1934", "react-native#2231"],
      presumes: ["batch-all-stored", "template-object"], templateChanged),
    ConformanceClause(
      "keys-in-any-order", .shapes, .must, .lose, "The order of keys and white space make no difference",
      because: "an object of JSON has no order, and platforms write it differently (RFC 8259 §4)",
      needs: [.store], keysInAnyOrder),
    ConformanceClause(
      "content-type-charset", .shapes, .must, .block, "application/json with a charset, in any case, is JSON",
      because: "versions and proxies write it differently (SDK §8.1)", needs: [.store], charset),
    ConformanceClause(
      "method-put-patch", .shapes, .must, .lose,
      "PUT and PATCH are understood where they are promised, and refused otherwise",
      because: "http.method may be one of them (HttpConfig method)", methods),
    ConformanceClause(
      "query-and-slash", .shapes, .must, .block, "A query behind the URL changes nothing",
      because: "the SDK uses the URL as it is, and apps put a tenant or a key there (SDK §8.1)",
      presumes: ["unknown-path-refused"]
    ) { run in
      guard !run.target.url.contains("?") else {
        throw ClauseStop.notApplicable("the URL of the app has its own query")
      }
      let phone = try run.phone { $0.http.url += "?tenant=7&x=%20" }
      let record = run.fix(phone)
      try run.deliver(phone, [record], as: "an upload with a query behind the URL")
      try run.expectOnce([record], of: phone.name, among: ", sent with a query behind the URL,")
    },
  ]

  private static let objectTemplate =
    #"{"lat":<%= latitude %>,"lng":<%= longitude %>,"t":"<%= timestamp %>","id":"<%= uuid %>","trip":7}"#
  private static let arrayTemplate =
    #"[<%= latitude %>,<%= longitude %>,"<%= timestamp %>","<%= uuid %>","<%= event %>",<%= is_moving %>]"#

  private static func takesBare(_ run: ClauseRun) -> Bool {
    run.target.dialect.promises.takesBareRecords || run.target.dialect.promises.roots.contains(".")
  }

  /// Requires that records under a supported root are stored; those under another must be rejected, or stored nevertheless.
  private static func root(_ run: ClauseRun, _ root: String, isClaimed: Bool, isBatch: Bool? = nil) throws {
    let phone = try run.phone {
      $0.http.rootProperty = root
      $0.http.batchSync = isBatch ?? run.facts.prefersBatches
    }
    let records = run.fixes(phone, isBatch == false ? 1 : 3)
    phone.put(records)
    guard let upload = run.uploadWithRetries(phone).last else { throw ClauseStop.notJudged("the phone did not upload") }
    let what = root == "." ? "a body without a root" : "a body with the root '\(root)'"
    try expectToSayWhose(upload, of: phone, run)
    guard upload.isSuccess else {
      if isClaimed { throw run.refusal(upload, of: what) }
      throw ClauseStop.notApplicable("the dialect does not promise \(what), and the backend refuses it")
    }
    try run.expectOnce(records, of: phone.name, among: " of \(what)")
  }

  /// Requires that a bare array, which has no place for params, names its device elsewhere (SDK §8.2).
  private static func expectToSayWhose(
    _ upload: ConformancePhone.Upload, of phone: ConformancePhone, _ run: ClauseRun
  ) throws {
    let sent = RawRequest(upload.request)
    guard sent.body.first == UInt8(ascii: "["), !run.facts.needsTokens else { return }
    let names = [phone.name, phone.name.percentEncoded]
    let places = [sent.url, String(decoding: sent.body, as: UTF8.self)] + sent.headers.map(\.value)
    guard !places.contains(where: { place in names.contains { place.contains($0) } }) else { return }
    throw ClauseStop.notApplicable("a bare array has no params, in which the app of the dialect says whose it is")
  }

  private static func rootChanged(_ run: ClauseRun) throws {
    guard let root = run.target.dialect.promises.roots.first else {
      throw ClauseStop.notApplicable("the dialect has one root")
    }
    let phone = try run.phone()
    let first = run.fixes(phone, 3)
    try run.deliver(phone, first)
    let waiting = run.fixes(phone, 4)
    phone.put(waiting)
    phone.configure { $0.http.rootProperty = root }
    guard let upload = run.uploadWithRetries(phone).last else { throw ClauseStop.notJudged("the phone did not upload") }
    try expectToSayWhose(upload, of: phone, run)
    if phone.queuedCount > 0 {
      try run.keepTime()
      throw run.refusal(upload, of: "records that waited while the root became '\(root)'")
    }
    run.lastSent = RawRequest(upload.request)
    try run.expectOnce(first + waiting, of: phone.name, among: " before and after the root became '\(root)'")
  }

  private static func ofTemplate(_ run: ClauseRun, _ text: String, count: Int, isBatch: Bool? = nil) throws {
    guard run.target.dialect.promises.takesTemplates else {
      throw ClauseStop.notApplicable("the dialect promises to take no templates but the app's own")
    }
    let phone = try run.phone {
      $0.persistence.locationTemplate = text
      $0.http.batchSync = isBatch ?? run.facts.prefersBatches
    }
    let records = (0..<count).map { _ in run.fix(phone) }
    try run.deliver(phone, records, as: "a record of the template \(text.shortened(60))")
    try expectListed(records, of: phone, run)
    let look = try run.expectOnce(records, of: phone.name, among: " of a template")
    if look.listed != count {
      throw run.fail("\(look.listed) entries are stored for \(count.of("record")) of a template", harm: .wrong)
    }
    for record in records {
      guard let entry = look.entry(of: record), let value = entry.value("coords.latitude")?.double else { continue }
      let sent = record.value.value(at: "coords.latitude")?.double ?? value
      if abs(sent - value) > 1e-6 {
        throw run.fail(
          "latitude \(sent) of a template is stored as \(value)", harm: .wrong, sign: .field("coords.latitude"))
      }
    }
  }

  /// A store may show each record as it was sent: an array has its uuid somewhere in it, and not by name.
  private static func expectListed(_ records: [SentRecord], of phone: ConformancePhone, _ run: ClauseRun) throws {
    guard run.target.store != nil, let record = try run.look(for: records, of: phone.name).missing.first else { return }
    let entries = try run.storedIfListed(phone.name) ?? []
    let hasIt = entries.contains { $0.uuid == nil && $0.entry.shown.uppercased().contains(record.uuid.upperCaseText) }
    // A value for each entry would be more of them.
    guard entries.count == records.count, hasIt else { return }
    throw ClauseStop.notJudged(
      "the store shows a record of another template as it was sent, and its uuid under no name: add the uuid to the list"
    )
  }

  private static func templateChanged(_ run: ClauseRun) throws {
    guard run.target.dialect.promises.takesTemplates else {
      throw ClauseStop.notApplicable("the dialect promises to take no templates but the app's own")
    }
    try run.needBatches()
    let phone = try run.phone()
    let old = run.fixes(phone, 3)
    phone.configure { $0.persistence.locationTemplate = objectTemplate }
    let new = run.fixes(phone, 3)
    try run.deliver(phone, old + new, as: "a batch of records before and after a change of the template")
    try run.expectOnce(old, of: phone.name, among: " that were queued before the template changed")
    try run.expectOnce(new, of: phone.name, among: " that were queued after the template changed")
  }

  private static func keysInAnyOrder(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = try run.raw(
      phone,
      "{\n  \"is_moving\" : true ,\n  \"uuid\" : \"%U\",\r\n\t\"odometer\":12.5, \"timestamp\" :\"%T\",\n \"coords\" : { \"accuracy\":5, \"longitude\" : -116.31 , \"latitude\":45.53 } }"
    )
    let request = try run.request(phone, [record])
    var raw = RawRequest(request)
    guard case .object(let members)? = StoredValue(raw.body) else {
      throw ClauseStop.notApplicable("the dialect's bodies are not objects")
    }
    // The params first, then the root with the records.
    let root = phone.configuration.http.rootProperty
    let others = members.filter { $0.key != root }.map { "\"\($0.key)\" : \($0.value.shown)" }
    let box = phone.configuration.http.batchSync ? "[ \(record.text) ]" : record.text
    raw.body = Array(
      ("{ " + (["\"a_first_param\": {\"x\":[1,2]}"] + others + ["\"\(root)\" : \(box)"]).joined(separator: " ,\n")
        + "\n}").utf8)
    raw.declaredLength = raw.body.count
    let reply = try run.exchange(raw)
    guard reply.isSuccess else { throw run.fail("a body with its keys in another order: \(reply.text)", harm: .block) }
    let look = try run.expectOnce([record], of: phone.name, among: " of a body with its keys in another order")
    try run.expectSame(["coords.latitude", "coords.longitude"], of: record, in: look)
  }

  private static func charset(_ run: ClauseRun) throws {
    for type in ["application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"] {
      let phone = try run.phone()
      if let own = phone.configuration.header(HeaderName.contentType.description) {
        throw ClauseStop.notApplicable("the app of the dialect sets its own Content-Type, \(own)")
      }
      let record = run.fix(phone)
      var raw = RawRequest(try run.request(phone, [record]))
      raw.setHeader(HeaderName.contentType, type)
      let reply = try run.exchange(raw)
      guard reply.isSuccess else {
        throw run.fail("\(HeaderName.contentType): \(type) was answered with \(reply.text)")
      }
      try run.expectOnce([record], of: phone.name, among: " of Content-Type: \(type)")
    }
  }

  private static func methods(_ run: ClauseRun) throws {
    for method in [UploadMethod.put, .patch] {
      let isClaimed = run.target.dialect.promises.methods.contains(method.rawValue)
      let phone = try run.phone { $0.http.method = method }
      let record = run.fix(phone)
      phone.put([record])
      guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
      if !upload.isSuccess, isClaimed || upload.status == 0 { throw run.refusal(upload, of: method.rawValue) }
      guard upload.isSuccess else { continue }
      try run.expectOnce([record], of: phone.name, among: " sent with \(method.rawValue)")
      // What is put at a URL may replace what was there.
      let second = run.fix(phone)
      try run.deliver(phone, [second], as: "a second upload with \(method.rawValue)")
      try run.expectOnce([record, second], of: phone.name, among: " sent one after the other with \(method.rawValue)")
    }
  }
}

extension SentRecord {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
