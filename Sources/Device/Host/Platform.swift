package import Base
package import Contract
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

/// Which phone this is: what never changes while an app is installed on it.
package struct DeviceDescription: Equatable, Sendable {
  package let platform: DevicePlatform
  package let model: String
  package let manufacturer: String
  /// Of the operating system.
  package let version: String
  /// Of every request.
  package let userAgent: String

  /// Without a `userAgent` of its own a device says what SDK §8.1.4 wants.
  package init(
    platform: DevicePlatform, model: String, manufacturer: String, version: String, userAgent: String? = nil
  ) {
    self.platform = platform
    self.model = model
    self.manufacturer = manufacturer
    self.version = version
    self.userAgent = userAgent ?? "BGGeoSim/1 (\(platform.rawValue))"
  }
}

/// The numbers of a host.
package enum HostRules {
  /// How many commands of one answer are carried out: the last ones (SDK §10.2).
  package static let commandsMax = 100
  /// How often rows that have grown too old are looked for, apart from start and resume (SDK §7.4).
  package static let purgeInterval = Nanoseconds.seconds(3_600)
  /// Beyond, nothing grows old.
  package static let daysMax = 36_500
}
