/// The least important lines that the device's log keeps.
package enum LogLevel: Int, CaseIterable, Comparable, Sendable {
  case off, error, warning, info, debug, verbose

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
