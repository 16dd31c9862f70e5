/// Group `logger` (SDK §2.9).
package struct LoggerSettings: Equatable, Sendable {
  package var debug = false
  package var logLevel = LogLevel.off
  package var logMaxDays = 3
}
