import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Scenario
import Upload

/// Trials with records that a backend cannot use.
extension ConformanceClause {
  /// Returns what a template without coordinates makes of a fix.
  static func badRecord(_ run: ClauseRun, _ phone: ConformancePhone, isBare: Bool = true) throws -> SentRecord {
    guard run.facts.takesDefaultSchema else { return try run.fixWithoutPlace(phone) }
    return try run.raw(
      phone, #"{"uuid":"%U","timestamp":"%T","is_moving":true,"battery":{"level":0.4,"is_charging":false}}"#,
      isBare: isBare)
  }

  /// In the middle, at the beginning and at the end of a batch, and two of them.
  static func badInBatch(_ run: ClauseRun) throws {
    try run.needBatches()
    for places in [[5], [0], [9], [2, 6]] {
      try badInBatch(run, at: places)
      // A backend that has stopped is the finding, not its answer to the next batch.
      if run.lastingProblem(withBatches: true) != nil { return }
    }
  }

  private static func badInBatch(_ run: ClauseRun, at places: [Int]) throws {
    let phone = try run.phone { $0.http.batchSync = true }
    let good = run.fixes(phone, 10 - places.count)
    var batch = good
    for place in places { batch.insert(try badRecord(run, phone), at: place) }
    phone.put(batch)
    guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
    let (one, bad) = places.count == 1 ? ("one record", "one bad record") : ("two records", "two bad records")
    guard upload.isSuccess else {
      let words = "a batch with \(one) without coordinates was \(upload.outcome.answer(120))"
      try expectKnownWhenStored(good, of: phone.name, behind: upload, words, run)
      throw run.fail(words, harm: .block, upload)
    }
    let page = ObservedAnswer.isPage(upload.body, type: upload.head[HeaderName.contentType]) ? " (with a page)" : ""
    let look = try run.look(for: good, of: phone.name)
    guard look.missing.isEmpty else {
      try run.expectNotElsewhere(look, among: good, of: phone.name, " of a batch with \(bad)")
      throw run.fail(
        "of a batch with \(bad) \(good.count - look.missing.count) of the \(good.count) good ones are stored, and all were acknowledged\(page)",
        harm: .lose, upload, stored: "\(look.listed) entries")
    }
    try run.expectAsSent(good, in: look, among: " of a batch with \(bad)")
  }

  /// What a refused batch had of good records may come again without the bad one, which the phone has dropped for its age: a
  /// backend that noted them as known before it refused them acknowledges them then, and has none (SDK §7.4, §9.4).
  private static func expectKnownWhenStored(
    _ records: [SentRecord], of device: String, behind refused: ConformancePhone.Upload, _ words: String,
    _ run: ClauseRun
  ) throws {
    // What had no answer may be stored yet.
    guard refused.status >= 400 else { return }
    let phone = try run.phone(exactly: device, tokens: run.facts.needsTokens ? try run.signIn(device) : nil) {
      $0.http.batchSync = true
    }
    phone.put(records)
    guard run.uploadWithRetries(phone).last?.isSuccess ?? false else { return }
    let missing = try run.look(for: records, of: device).missing.count
    if missing == 0 { return }
    throw run.fail(
      "\(words); when its good records were sent again by themselves, they were acknowledged, and \(missing) of \(records.count) are not stored",
      harm: .lose, refused, sign: .loss)
  }

  static func badAlone(_ run: ClauseRun) throws {
    if run.target.dialect.promises.refusesBadRecords {
      throw ClauseStop.notApplicable("the dialect refuses bad records on purpose")
    }
    for isBatch in run.facts.forms {
      let phone = try run.phone { $0.http.batchSync = isBatch }
      phone.put([try badRecord(run, phone)])
      guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
      guard upload.isSuccess else {
        let form = isBatch ? "a batch of one record" : "a record"
        throw run.fail(
          "\(form) without coordinates was \(upload.outcome.answer(120))", harm: .block, upload)
      }
    }
  }

  static func aliveAfterBad(_ run: ClauseRun) throws {
    let phone = try run.phone { $0.http.batchSync = run.facts.prefersBatches }
    let isBatch = phone.configuration.http.batchSync && run.facts.recordsMax > 1
    let request = try run.request(phone, (isBatch ? [run.fix(phone)] : []) + [try badRecord(run, phone)])
    for _ in 0..<run.leakCount {
      // A slow answer suggests that the backend waits for an exhausted resource, such as a connection of its pool.
      if try run.line().exchange(request, of: phone.number).duration > .seconds(1) { break }
    }
    let next = try run.phone()
    let record = run.fix(next)
    try run.deliver(next, [record], as: "a good record after a bad one")
    try run.expectOnce([record], of: next.name, among: " after a bad one of another phone")
    try run.expectAlive(after: "a bad record")
  }
}
