/// How much attention a line wants, the most first.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  /// Somebody must act: data or service is lost.
  case error
  /// Something is not as it should be, and was dealt with.
  case warning
  /// What an operator wants to read on an ordinary day.
  case info
  /// What a developer needs; may run in production.
  case debug

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    }
  }

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
