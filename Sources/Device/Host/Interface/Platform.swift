package import Engine
package import Upload
package import Vocabulary

/// The phone under a host: what it can sense, send and tell. A real one, or a simulated one.
///
/// Everything here is an order that takes effect on its own: what comes of it is given to the host later, never from
/// inside a call.
package protocol Platform {
  /// Replaces the last demand of its kind.
  mutating func demand(_ demand: SensorDemand, at now: Moment)
  /// The answer goes to `DeviceHost.answer`.
  mutating func send(_ request: OutgoingRequest, at now: Moment)
  /// No answer is wanted any more.
  mutating func cancel(request: UInt64)
  /// Time to run on without the app in the foreground.
  mutating func backgroundTask(id: Int, isStart: Bool)
  /// To the app.
  mutating func deliver(_ event: HostEvent, at now: Moment)

  /// Only entries that the configured level wants.
  mutating func log(_ entry: LogEntry, at now: Moment)
  mutating func destroyLog()
  /// The whole log, compressed with gzip.
  mutating func compressedLog() -> [UInt8]
}
