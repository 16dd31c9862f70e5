/// One line of the log before it has a form.
package struct LogEvent: Sendable {
  package let time: WallInstant
  package let level: LogLevel
  package let message: StaticString
  package let fields: LogFields
}
