/// A structured log: the message is a constant, so that lines can be counted and found by it; facts go into the fields.
/// Where lines go and what time it is are given from outside. Lines below the threshold cost a comparison; their fields
/// are never computed.
package struct Log: Sendable {
  private let threshold: LogLevel
  private let bound: LogFields
  private let now: @Sendable () -> WallInstant
  private let sink: @Sendable (LogEvent) -> Void

  /// `sink` is called on the thread that logs and may be called by several at once.
  package init(
    upTo threshold: LogLevel, now: @escaping @Sendable () -> WallInstant,
    sink: @escaping @Sendable (LogEvent) -> Void
  ) {
    self.init(threshold: threshold, bound: [:], now: now, sink: sink)
  }

  private init(
    threshold: LogLevel, bound: LogFields, now: @escaping @Sendable () -> WallInstant,
    sink: @escaping @Sendable (LogEvent) -> Void
  ) {
    self.threshold = threshold
    self.bound = bound
    self.now = now
    self.sink = sink
  }

  /// A log that puts these fields before those of each line.
  package func with(_ fields: LogFields) -> Log {
    Log(threshold: threshold, bound: bound.followed(by: fields), now: now, sink: sink)
  }

  package func error(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    write(.error, message, fields)
  }

  package func warning(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    if threshold >= .warning { write(.warning, message, fields) }
  }

  package func info(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    if threshold >= .info { write(.info, message, fields) }
  }

  package func debug(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    if threshold >= .debug { write(.debug, message, fields) }
  }

  private func write(_ level: LogLevel, _ message: StaticString, _ fields: () -> LogFields) {
    sink(LogEvent(time: now(), level: level, message: message, fields: bound.followed(by: fields())))
  }
}
