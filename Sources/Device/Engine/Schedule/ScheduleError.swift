/// What is wrong with an entry of a schedule; the others stay in force.
package struct ScheduleError: Error, Equatable, Sendable {
  /// What was expected.
  package enum Code: Equatable, Sendable {
    case days, time, range, date, mode
    /// Days or a date, and a range; or two dates with times.
    case form
    /// The end of a span does not come after its beginning.
    case backwards
  }

  package let code: Code
  package let entry: String
  /// Of the first character that is wrong, from 1.
  package let column: Int
}

extension ScheduleError: CustomStringConvertible {
  package var description: String { "Schedule \"\(entry)\" ignored: column \(column): \(expectation)" }

  private var expectation: String {
    switch code {
    case .days: "days are 1 (Sunday) to 7 (Saturday), as in 1 or 2-6 or 2,4,6"
    case .time: "a time is H:mm, 0:00 to 23:59"
    case .range: "a range is two times, as in 9:00-17:00"
    case .date: "a date is yyyy-mm-dd, with a time yyyy-mm-dd-HH:mm, and must exist"
    case .mode: "a mode is location or geofence"
    case .form: "an entry is days and a range, a date and a range, or two dates with times; then a mode or nothing"
    case .backwards: "the end must come after the beginning"
    }
  }
}
