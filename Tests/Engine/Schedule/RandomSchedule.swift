import Base
import Support

@testable import Engine

/// A schedule drawn by chance: as texts for the engine, and as the grammar means them.
struct RandomSchedule {
  private(set) var texts: [String] = []
  private(set) var entries: [NaiveSchedule.Entry] = []

  /// Windows inside windows, both modes, literal dates in the days from `day` on.
  init(from day: Int, days: Int, with generator: inout SeededGenerator) {
    for _ in 0...generator.index(below: 4) {
      let mode: ScheduleMode = generator.chance(0.4) ? .geofence : .location
      switch generator.index(below: 4) {
      case 0, 1: addWeekly(mode, with: &generator)
      case 2:
        let (start, end) = (minute(&generator), minute(&generator))
        let date = day + generator.index(below: days)
        let length = end > start ? end - start : end - start + 1_440
        texts.append("\(text(ofDay: date)) \(clock(start))-\(clock(end)) \(mode)")
        entries.append(
          NaiveSchedule.Entry(daysOfWeek: [], day: date, startMinute: start, lengthMinutes: length, mode: mode))
      default:
        let (start, date) = (minute(&generator), day + generator.index(below: days))
        let length = 1 + generator.index(below: 25 * 1_440)
        let end = start + length
        texts.append(
          "\(text(ofDay: date))-\(clock(start)) \(text(ofDay: date + end / 1_440))-\(clock(end % 1_440)) \(mode)")
        entries.append(
          NaiveSchedule.Entry(daysOfWeek: [], day: date, startMinute: start, lengthMinutes: length, mode: mode))
      }
    }
  }

  private mutating func addWeekly(_ mode: ScheduleMode, with generator: inout SeededGenerator) {
    let days = (1...7).filter { _ in generator.chance(0.6) }
    guard !days.isEmpty else { return }
    let (start, end) = (minute(&generator), minute(&generator))
    let length = end > start ? end - start : end - start + 1_440
    texts.append("\(days.map(String.init).joined(separator: ",")) \(clock(start))-\(clock(end)) \(mode)")
    entries.append(
      NaiveSchedule.Entry(daysOfWeek: days, day: nil, startMinute: start, lengthMinutes: length, mode: mode))
  }

  /// Near the hours at which clocks change more often than chance would have it.
  private func minute(_ generator: inout SeededGenerator) -> Int {
    generator.chance(0.5) ? generator.index(below: 8) * 30 : generator.index(below: 1_440)
  }

  private func clock(_ minute: Int) -> String { "\(minute / 60):\(two(minute % 60))" }

  private func text(ofDay day: Int) -> String {
    let date = CivilDate(daysSince1970: day)
    return "\(date.year)-\(two(date.month))-\(two(date.day))"
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
