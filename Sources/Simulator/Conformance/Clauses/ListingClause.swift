import BackendStore
import Base
import Contract
import Scenario
import Upload

/// A list of many records, page by page.
extension ConformanceClause {
  /// Groups of three records share one time, and four in the middle, so that pages of any size up to half of all records
  /// split such a group, from either end; pages of a multiple of three split the first one after the middle.
  static let groupsMax = 334
  private static let groupsMin = 38
  /// The time limit for the first half.
  private static let timeForHalf = Nanoseconds.seconds(3)
  /// A list that ends at fewer says nothing about most clauses.
  private static let listedMin = 233

  static func storeReadsAll(_ run: ClauseRun) throws {
    // Losses with larger ones are tested by other clauses.
    let phone = try run.phone { $0.http.maxBatchSize = run.facts.isSlow ? 50 : 10 }
    let begin = run.now
    var (records, groups) = ([SentRecord](), 0)
    func send(groups count: Int, of size: Int) throws {
      let sent = (0..<count).flatMap { number in
        (0..<size).map { _ in run.fix(phone, at: run.instant(groups + number)) }
      }
      groups += count
      records += sent
      try run.deliver(phone, sent)
    }
    try send(groups: groupsMin, of: 3)
    while groups < groupsMax, !run.facts.isSlow, run.now - begin < timeForHalf {
      try send(groups: min(37, groupsMax - groups), of: 3)
    }
    let half = groups
    try send(groups: 1, of: 4)
    try send(groups: half, of: 3)
    let all = records.count
    let look = try run.look(for: records, of: phone.name)
    run.note = "\(all) records, for pages of up to \(half * 3)"
    guard !look.missing.isEmpty else {
      if look.repeated.isEmpty { return }
      throw run.fail(
        "the listing has \(look.repeated.count) of \(all) records twice", stored: "\(look.listed) entries")
    }
    try run.expectNotElsewhere(look, among: records, of: phone.name)
    if try run.isCutOff(look, of: phone.name) {
      // Clauses with fewer records can be judged. No phone needs a list; what is behind its end is unknown.
      let end = run.endOfList(look)
      throw look.listed >= listedMin ? ClauseStop.partly(end) : .unread("the store could not be read: \(end)")
    }
    let pages = look.end.isNamed ? "" : "verify.next names further pages; "
    throw run.fail(
      "the store lists \(all - look.missing.count) of \(all) acknowledged records, without \(look.placesOfMissing(among: records)): either the list leaves them out (\(pages)the records have the same time in groups of three), or they are lost",
      harm: .lose, stored: "\(look.listed) entries at \(run.target.storePlace ?? "")", sign: .loss)
  }
}
