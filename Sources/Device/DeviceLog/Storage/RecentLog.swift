package import Base
package import Contract
package import Vocabulary

/// The log of a simulated phone: its last entries, which become text when a server asks for them.
package final class RecentLog {
  private var ring: LogRing
  private let text: LogText
  /// The last launch of the app, with what it configured; nil after the log was destroyed.
  private var launch: (instant: WallInstant, configuration: Configuration)?
  private var begun: WallInstant?
  /// What the app wants to have written.
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

  /// What a server gets. A log without entries says why it has none: an empty file would look like a failed upload.
  package var content: [UInt8] {
    var bytes: [UInt8] = []
    if let launch, level >= .info { text.appendBanner(launch.configuration, at: launch.instant, to: &bytes) }
    bytes += ring.text(as: text)
    if ring.count == 0 {
      let reason = level == .off ? "logger.logLevel is 0 (off)" : "nothing was logged since it was begun or destroyed"
      text.append(
        .user(.notice, "this log has no entries: \(reason)"), at: begun ?? WallInstant(millisecondsSince1970: 0),
        to: &bytes)
    }
    return bytes
  }
}
