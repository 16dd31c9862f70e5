import Base

@testable import Engine

/// Zones around changes of their clocks.
enum TestZones {
  static func instant(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0) -> WallInstant {
    guard let date = CivilDate(year: year, month: month, day: day) else {
      preconditionFailure("\(year)-\(month)-\(day) is not a date")
    }
    return WallInstant(date).advanced(byMilliseconds: Int64(hour * 60 + minute) * 60_000)
  }

  /// From 2:00 to 3:00 on 29 March 2026, back from 3:00 to 2:00 on 25 October.
  static let berlin = ZoneRules(
    offsetSeconds: 3_600,
    transitions: [
      ZoneRules.Transition(at: instant(2026, 3, 29, 1), offsetSeconds: 7_200),
      ZoneRules.Transition(at: instant(2026, 10, 25, 1), offsetSeconds: 3_600),
    ])

  /// Half an hour: back from 2:00 to 1:30 on 5 April 2026, from 2:00 to 2:30 on 4 October.
  static let lordHowe = ZoneRules(
    offsetSeconds: 39_600,
    transitions: [
      ZoneRules.Transition(at: instant(2026, 4, 4, 15), offsetSeconds: 37_800),
      ZoneRules.Transition(at: instant(2026, 10, 3, 15, 30), offsetSeconds: 39_600),
    ])

  /// Midnight itself is skipped: from 0:00 to 1:00 on 6 September 2026, back from 0:00 to 23:00 on 4 April 2027.
  static let santiago = ZoneRules(
    offsetSeconds: -14_400,
    transitions: [
      ZoneRules.Transition(at: instant(2026, 9, 6, 4), offsetSeconds: -10_800),
      ZoneRules.Transition(at: instant(2027, 4, 4, 3), offsetSeconds: -14_400),
    ])

  /// A whole day is skipped: 30 December 2011.
  static let samoa = ZoneRules(
    offsetSeconds: -36_000,
    transitions: [ZoneRules.Transition(at: instant(2011, 12, 30, 10), offsetSeconds: 50_400)])

  /// The weeks of the tests, each with its zone; the changes of the clocks are in the middle.
  static let weeks: [(name: String, zone: ZoneRules, start: WallInstant)] = [
    ("UTC", .utc, instant(2026, 11, 15)),
    ("India", ZoneRules(offsetSeconds: 19_800), instant(2026, 2, 25)),
    ("Berlin, spring", berlin, instant(2026, 3, 26)),
    ("Berlin, autumn", berlin, instant(2026, 10, 22)),
    ("Lord Howe, autumn", lordHowe, instant(2026, 4, 1)),
    ("Lord Howe, spring", lordHowe, instant(2026, 10, 1)),
    ("Santiago, spring", santiago, instant(2026, 9, 3)),
    ("Santiago, autumn", santiago, instant(2027, 4, 1)),
    ("Samoa", samoa, instant(2011, 12, 27)),
  ]
}
