package import Base
package import Contract
package import Vocabulary

/// Writes a device's log in the grammar of the platform's own SDK (SDK §20.2, §20.3), so that tools made for real
/// logs read these.
package struct LogText: Sendable {
  package let platform: DevicePlatform
  /// What the device's user sees on the clock, minus UTC.
  package var utcOffsetMinutes: Int
  /// The zone's name as iOS spells it behind the time of a fix.
  package var zoneName: String

  package init(platform: DevicePlatform, utcOffsetMinutes: Int = 0, zoneName: String = "Coordinated Universal Time") {
    self.platform = platform
    self.utcOffsetMinutes = utcOffsetMinutes
    self.zoneName = zoneName
  }

  /// Appends the lines of the entry; nothing when this platform's SDK does not write it.
  package func append(_ entry: LogEntry, at instant: WallInstant, to bytes: inout [UInt8]) {
    switch platform {
    case .ios:
      var page = IOSPage(at: instant, utcOffsetMinutes: utcOffsetMinutes, zoneName: zoneName)
      page.write(entry)
      bytes.append(contentsOf: page.text.utf8)
    case .android:
      var page = AndroidPage(at: instant, utcOffsetMinutes: utcOffsetMinutes, level: entry.level)
      page.write(entry)
      bytes.append(contentsOf: page.text.utf8)
    }
  }

  /// Appends the box with which a launch begins: the version and the configuration, tokens cut (SDK §20.2).
  package func appendBanner(_ configuration: Configuration, at instant: WallInstant, to bytes: inout [UInt8]) {
    switch platform {
    case .ios:
      var page = IOSPage(at: instant, utcOffsetMinutes: utcOffsetMinutes, zoneName: zoneName)
      page.banner(configuration)
      bytes.append(contentsOf: page.text.utf8)
    case .android:
      var page = AndroidPage(at: instant, utcOffsetMinutes: utcOffsetMinutes, level: .info)
      page.banner(configuration)
      bytes.append(contentsOf: page.text.utf8)
    }
  }
}
