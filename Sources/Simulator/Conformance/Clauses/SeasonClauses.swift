import BackendStore
import Base
import Contract
import Scenario
import Upload

/// Times in other seasons than today's.
extension ConformanceClause {
  static let seasons: [ConformanceClause] = [
    ConformanceClause(
      "time-in-every-season", .content, .must, .wrong,
      "Times of last winter and summer, of the turn of the year, of 29 February, of the first and last moment of a day, and of the hours in which clocks change, are stored as they were sent",
      because:
        "the SDK sends UTC: a server that counts in a local zone moves the records of one season, or of one hour, by an hour, and one that counts days by their ends drops what lies between them (LocationEvent timestamp)",
      presumes: [
        "time-is-utc", "time-to-the-millisecond", "batch-all-stored", "week-late", "late-behind-newer",
        "batch-over-midnight",
      ],
      allSeasons)
  ]

  private static func allSeasons(_ run: ClauseRun) throws {
    let oldest = run.target.dialect.promises.oldest.wholeMilliseconds
    let times = Seasons.instants(before: run.wallNow).filter { run.wallNow.milliseconds(since: $0) < oldest }
    guard !times.isEmpty else { throw ClauseStop.notApplicable("the dialect keeps no records of other seasons") }
    // Large batches are tested by another clause.
    let phone = try run.phone { ($0.persistence.maxDaysToPersist, $0.http.maxBatchSize) = (1_000, 5) }
    let records = times.map { run.fix(phone, at: $0) }
    phone.put(records)
    guard let last = run.uploadWithRetries(phone).last else { throw ClauseStop.notJudged("the phone did not upload") }
    run.lastSent = RawRequest(last.request)
    if phone.queuedCount > 0 { try run.keepTime() }
    if phone.queuedCount > 0, last.status >= 500 {
      // Nothing was said of its age.
      var breach = run.breach(
        "an upload of records of up to some years ago was \(last.outcome.answer(160))", harm: .repeat, last)
      breach.remedy = "a backend that takes no older ones says from when on with promises.oldest"
      throw ClauseStop.broken(breach)
    }
    // The maximum age of a record is tested by another clause.
    guard phone.queuedCount == 0 else {
      throw ClauseStop.notJudged("records of up to some years ago are refused: \(last.outcome.text.shortened(80))")
    }
    let look = try run.look(for: records, of: phone.name)
    for record in records where look.entry(of: record)?.value("timestamp") != nil {
      try run.expectSame(["timestamp"], of: record, in: look)
    }
    if let missing = look.missing.first {
      try run.expectNotElsewhere(look, among: records, of: phone.name)
      run.showRequest(of: missing)
      throw run.fail(
        "\(look.missing.count) of \(records.count) acknowledged records of up to some years ago are not stored, among them one of \(missing.timestamp.iso8601Text.prefix(10)): a backend that drops old ones says from when on with promises.oldest",
        harm: .lose, sign: .loss, isOfFew: ClauseRun.areFew(look.missing.count, of: records.count))
    }
    // A store may purge the oldest later.
    run.facts.noteStored(Array(records.prefix(RunFacts.storedMax)), of: phone.name, by: run.clause, look)
    if let record = records.first, look.entry(of: record)?.value("timestamp") == nil { throw run.noTimeShown }
  }
}

/// Instants that a local time zone may misinterpret.
enum Seasons {
  /// Days of a year and their hours in UTC. In October and March all clocks of Europe change at 01:00 UTC; in November and
  /// March those of America, in the hours around 02:00 of each zone. The others are hours that are skipped locally: in
  /// Havana; in Sydney, Auckland and Santiago, where spring begins in September and October; in Cairo and Jerusalem. Around
  /// New Year the week-based year differs from the calendar year.
  private static let days: [(month: Int, days: ClosedRange<Int>, weekday: Weekday?, hours: [Double])] = [
    (1, 15...15, nil, [12]), (7, 15...15, nil, [12]), (10, 25...31, .sunday, [0.5, 1.5]),
    (3, 25...31, .sunday, [0.5, 1.5, 2.5]), (11, 1...7, .sunday, [5.5, 6.5, 7.5, 8.5, 9.5]),
    (3, 8...14, .sunday, [0.5, 2.5, 7.5, 9.5]), (10, 1...7, .sunday, [2.5]), (9, 24...30, .sunday, [2.5]),
    (9, 2...8, .sunday, [0.5]), (4, 24...30, .friday, [0.5]), (3, 23...29, .friday, [2.5]), (12, 29...31, nil, [12]),
    (1, 1...3, nil, [12]),
  ]

  /// The weekday as the number of days since 1 January 1970, a Thursday, plus four, modulo seven.
  private enum Weekday: Int64 {
    case sunday = 0
    case friday = 5
  }

  /// Returns instants of the last year, never on a whole second, and the others of `special`.
  static func instants(before now: WallInstant) -> [WallInstant] {
    let today = now.millisecondsSince1970 / 86_400_000
    let ofLastYear = (1...366).flatMap { back -> [WallInstant] in
      let day = today - Int64(back)
      let midnight = WallInstant(millisecondsSince1970: day * 86_400_000)
      let text = midnight.iso8601Text.split(separator: "-")
      guard text.count == 3, let month = Int(text[1]), let number = Int(text[2].prefix(2)) else { return [] }
      let weekday = Weekday(rawValue: (day + 4) % 7)
      return days.filter {
        $0.month == month && $0.days.contains(number) && ($0.weekday == nil || $0.weekday == weekday)
      }.flatMap {
        $0.hours.map { midnight.advanced(byMilliseconds: Int64($0 * 3_600_000) + 123) }
      }
    }
    return (ofLastYear + special(before: now)).sorted()
  }

  /// Returns the first and the last millisecond of a day of this week, an instant of 400 days ago, and one of 29 February.
  private static func special(before now: WallInstant) -> [WallInstant] {
    let today = now.millisecondsSince1970 / 86_400_000
    let midnight = WallInstant(millisecondsSince1970: (today - 2) * 86_400_000)
    let leapDay = (1...2_922).lazy.map { WallInstant(millisecondsSince1970: (today - $0) * 86_400_000) }.first {
      $0.iso8601Text.contains("-02-29T")
    }
    let others = [midnight.advanced(byMilliseconds: -400 * 86_400_000)] + (leapDay.map { [$0] } ?? [])
    return [midnight, midnight.advanced(byMilliseconds: -1)] + others.map { $0.advanced(byMilliseconds: 43_200_123) }
  }
}
