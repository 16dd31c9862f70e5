import Base
import Engine
import Testing

@testable import BackgroundGeolocation

/// Rules as of the variable TZ, and files of the zone database.
@Suite struct ZoneRuleTests {
  /// The transitions of a year.
  private func changes(_ rules: ZoneRules, of year: Int) -> [String] {
    rules.transitions.filter { $0.instant.civilDate.year == year }.map {
      "\($0.instant.iso8601Text) \($0.offsetSeconds)"
    }
  }

  @Test(arguments: [
    ("CET-1CEST,M3.5.0,M10.5.0/3", ["2026-03-29T01:00:00.000Z 7200", "2026-10-25T01:00:00.000Z 3600"]),
    ("EST5EDT,M3.2.0,M11.1.0", ["2026-03-08T07:00:00.000Z -14400", "2026-11-01T06:00:00.000Z -18000"]),
    ("EST5EDT", ["2026-03-08T07:00:00.000Z -14400", "2026-11-01T06:00:00.000Z -18000"]),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", ["2026-04-04T15:00:00.000Z 37800", "2026-10-03T15:30:00.000Z 39600"]),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", ["2026-03-29T01:00:00.000Z 3600", "2026-10-25T01:00:00.000Z 0"]),
    ("<-04>4<-03>,M9.1.6/24,M4.1.6/24", ["2026-04-05T03:00:00.000Z -14400", "2026-09-06T04:00:00.000Z -10800"]),
    ("EET-2EEST,M3.4.4/50,M10.4.4/50", ["2026-03-28T00:00:00.000Z 10800", "2026-10-23T23:00:00.000Z 7200"]),
    ("AAA-1BBB,J60/0,J300/0", ["2026-02-28T23:00:00.000Z 7200", "2026-10-26T22:00:00.000Z 3600"]),
    ("AAA-1BBB,59/0,299/0", ["2026-02-28T23:00:00.000Z 7200", "2026-10-26T22:00:00.000Z 3600"]),
    ("UTC0", []), ("<+0545>-5:45", []),
  ])
  func aRuleChangesTheClocksOnItsDays(text: String, expected: [String]) throws {
    let rules = try #require(ZoneRule(text)).rules(after: [])
    #expect(changes(rules, of: 2_026) == expected)
    #expect(changes(rules, of: 2_100).count == expected.count)
  }

  @Test func theLeapDayCountsInOneOfTheTwoWaysToCountDays() throws {
    #expect(
      changes(try #require(ZoneRule("AAA0BBB,J60/0,J300/0")).rules(after: []), of: 2_028).first
        == "2028-03-01T00:00:00.000Z 3600")
    #expect(
      changes(try #require(ZoneRule("AAA0BBB,59/0,299/0")).rules(after: []), of: 2_028).first
        == "2028-02-29T00:00:00.000Z 3600")
  }

  @Test(arguments: [
    "", "CE-1", "CET", "CET-19", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J300", "CET-1CEST,M3.5.0,M10.5.0/168", "<CET-1", "CET-1 ",
    "Europe/Berlin",
  ])
  func whatIsNoRuleIsRefused(text: String) { #expect(ZoneRule(text) == nil) }

  /// Version 2: one transition each in the short and in the long part, and a rule for what comes after.
  private func file(rule: String, seconds: Int64, leaps: Int32 = 0, version: Character = "2") -> [UInt8] {
    func block(_ size: Int) -> [UInt8] {
      var bytes = Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15)
      for count in [0, 0, leaps, 1, 2, 4] as [Int32] { bytes += big(Int64(count), 4) }
      bytes += big(seconds, size) + [1]
      bytes += big(3_208, 4) + [0, 0] + big(3_600, 4) + [0, 0] + Array("CET\0".utf8)
      return bytes + [UInt8](repeating: 0, count: Int(leaps) * (size + 4))
    }
    return block(4) + block(8) + Array("\n\(rule)\n".utf8)
  }

  private func big(_ number: Int64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
  }

  @Test func aFileIsItsTransitionsAndThenItsRule() throws {
    // 28 September 1996.
    let rules = try #require(ZoneFile.rules(in: file(rule: "CET-1CEST,M3.5.0,M10.5.0/3", seconds: 843_868_800)))
    #expect(rules.offsetSeconds == 3_208)
    #expect(rules.transitions.first?.offsetSeconds == 3_600)
    #expect(changes(rules, of: 1_996) == ["1996-09-28T00:00:00.000Z 3600"])
    #expect(changes(rules, of: 2_026) == ["2026-03-29T01:00:00.000Z 7200", "2026-10-25T01:00:00.000Z 3600"])
  }

  @Test func aFileWithoutRuleStaysWithItsLastTransition() throws {
    let rules = try #require(ZoneFile.rules(in: file(rule: "", seconds: 843_868_800)))
    #expect(rules.transitions.map(\.offsetSeconds) == [3_600])
  }

  /// Some files begin with a transition before there was time.
  @Test func aTransitionBeforeTheCalendarIsTheBeginning() throws {
    let rules = try #require(ZoneFile.rules(in: file(rule: "CET-1", seconds: -(1 << 59))))
    #expect(rules == ZoneRules(offsetSeconds: 3_600))
  }

  @Test func whatIsNoFileIsRefusedAndTrapsNothing() {
    let good = file(rule: "CET-1CEST,M3.5.0,M10.5.0/3", seconds: 843_868_800)
    for length in 0..<good.count - 28 { #expect(ZoneFile.rules(in: Array(good.prefix(length))) == nil) }
    for index in good.indices {
      var bad = good
      bad[index] ^= 0xFF
      _ = ZoneFile.rules(in: bad)
    }
    #expect(ZoneFile.rules(in: file(rule: "nonsense", seconds: 0)) == nil)
    #expect(ZoneFile.rules(in: file(rule: "CET-1", seconds: 0, leaps: 1)) == nil)
  }
}
