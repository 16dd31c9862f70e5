package import Base
package import Contract
package import Vocabulary

/// The last entries of a device's log in memory, for fleets: text is rendered only for a reader, and a device that
/// writes nothing holds no memory.
package struct LogRing: Sendable {
  private var entries: [(instant: WallInstant, entry: LogEntry)] = []
  /// The index of the oldest entry once the ring is full.
  private var oldest = 0
  private let capacity: Int

  /// Creates a ring of that many entries.
  package init(capacity: Int) {
    precondition(capacity > 0, "a log has room for something")
    self.capacity = capacity
  }

  package var count: Int { entries.count }

  package mutating func append(_ entry: LogEntry, at instant: WallInstant) {
    if entries.count < capacity {
      entries.append((instant, entry))
    } else {
      entries[oldest] = (instant, entry)
      oldest = (oldest + 1) % capacity
    }
  }

  package mutating func removeAll() {
    entries = []
    oldest = 0
  }

  /// Returns the entries that match the query, in its order.
  package func text(_ query: LogQuery = LogQuery(), as text: LogText) -> [UInt8] {
    var bytes: [UInt8] = []
    var left = query.limit ?? .max
    for place in 0..<entries.count {
      let age = query.newestFirst ? entries.count - 1 - place : place
      let (instant, entry) = entries[(oldest + age) % entries.count]
      guard left > 0, query.contains(instant) else { continue }
      let length = bytes.count
      text.append(entry, at: instant, to: &bytes)
      if bytes.count > length { left -= 1 }
    }
    return bytes
  }
}

/// The log of a simulated phone: its last entries, rendered as text when a server requests them.
package final class RecentLog {
  private var ring: LogRing
  private let text: LogText
  /// The last launch of the app and its configuration; nil after the log was destroyed.
  private var launch: (instant: WallInstant, configuration: Configuration)?
  private var begun: WallInstant?
  /// The level that the app has set.
  package var level = Contract.LogLevel.off

  package init(capacity: Int, platform: DevicePlatform) {
    ring = LogRing(capacity: capacity)
    text = LogText(platform: platform)
  }

  package func begin(_ configuration: Configuration, at instant: WallInstant) {
    begun = instant
    launch = (instant, configuration)
    level = configuration.logger.logLevel
  }

  package func append(_ entry: LogEntry, at instant: WallInstant) {
    if entry.level <= level { ring.append(entry, at: instant) }
  }

  package func removeAll() {
    ring.removeAll()
    launch = nil
  }

  /// The text for a server. A log without entries says why: an empty file would look like a failed upload.
  package var content: [UInt8] {
    var bytes: [UInt8] = []
    if let launch, level >= .info { text.appendBanner(launch.configuration, at: launch.instant, to: &bytes) }
    bytes += ring.text(as: text)
    if ring.count == 0 {
      let reason = level == .off ? "logger.logLevel is 0 (off)" : "nothing was logged since it was created or cleared"
      text.append(
        .user(.notice, "this log has no entries: \(reason)"), at: begun ?? WallInstant(millisecondsSince1970: 0),
        to: &bytes)
    }
    return bytes
  }
}
