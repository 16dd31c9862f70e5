/// Days of the week: 1 is Sunday, 7 is Saturday.
struct DaySet: Equatable, Sendable {
  private var bits: UInt8 = 0

  mutating func insert(dayOfWeek day: Int) { bits |= 1 << UInt8(day) }

  func contains(dayOfWeek day: Int) -> Bool { bits & 1 << UInt8(day) != 0 }

  /// Of a day since 1970-01-01, which was a Thursday.
  static func dayOfWeek(ofDay day: Int) -> Int {
    let index = (day + 4) % 7
    return (index < 0 ? index + 7 : index) + 1
  }
}
