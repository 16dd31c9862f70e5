package import Base
package import Contract
import JSON
package import Vocabulary

/// Writes a device's log in the grammar of the platform's own SDK (SDK §20.2, §20.3), so that tools made for real
/// logs read these.
package struct LogText: Sendable {
  package let platform: DevicePlatform
  /// The device's local time minus UTC.
  package var utcOffsetMinutes: Int
  /// The zone's name as iOS spells it after the time of a fix.
  package var zoneName: String

  package init(platform: DevicePlatform, utcOffsetMinutes: Int = 0, zoneName: String = "Coordinated Universal Time") {
    self.platform = platform
    self.utcOffsetMinutes = utcOffsetMinutes
    self.zoneName = zoneName
  }

  /// Appends the lines of the entry; nothing when this platform's SDK does not log it.
  package func append(_ entry: LogEntry, at instant: WallInstant, to bytes: inout [UInt8]) {
    switch platform {
    case .ios:
      var page = IOSLogWriter(at: instant, utcOffsetMinutes: utcOffsetMinutes, zoneName: zoneName)
      page.write(entry)
      bytes.append(contentsOf: page.text.utf8)
    case .android:
      var page = AndroidLogWriter(at: instant, utcOffsetMinutes: utcOffsetMinutes, level: entry.level)
      page.write(entry)
      bytes.append(contentsOf: page.text.utf8)
    }
  }

  /// Appends the banner with which a launch begins: the version and the configuration, with tokens cut (SDK §20.2).
  package func appendBanner(_ configuration: Configuration, at instant: WallInstant, to bytes: inout [UInt8]) {
    switch platform {
    case .ios:
      var page = IOSLogWriter(at: instant, utcOffsetMinutes: utcOffsetMinutes, zoneName: zoneName)
      page.banner(configuration)
      bytes.append(contentsOf: page.text.utf8)
    case .android:
      var page = AndroidLogWriter(at: instant, utcOffsetMinutes: utcOffsetMinutes, level: .info)
      page.banner(configuration)
      bytes.append(contentsOf: page.text.utf8)
    }
  }
}

/// The level at which the SDK logs each entry (SDK §20.2). Both platforms use the same levels here, so that a level set
/// by a server means the same on every device of a fleet.
extension LogEntry {
  package var level: Contract.LogLevel {
    switch self {
    case .error: .error
    case .commandProblem(let problem): problem.logLevel
    case .warning, .commandOverflow, .busy, .autoSyncDisabled, .noNetwork, .notResponding,
      .redirectNotPermitted, .staleResponseIgnored, .paramsDropped, .watchdogFired, .refreshFailed, .refreshSkipped,
      .locationRequestFailed, .spuriousRegionExit:
      .warning
    case .ready, .started, .stopped, .scheduler, .schedule, .terminated, .booted, .appState, .paceChange, .motionChange,
      .stopDetectionIgnored, .stopTimeoutEngaged, .motionTriggerIgnored, .motionTriggerDenied, .stationaryRegion,
      .regionExit, .timerStarted, .timerStopped, .alarmFired, .locationUpdates, .locationRequest, .locationIgnored,
      .distanceFilter,
      .odometer, .purged, .shrunk, .watchdogArmed, .posting, .response, .posted, .syncPage, .connectivity, .provider,
      .refreshing, .command, .geofenceAdded, .geofenceRemoved:
      .info
    case .configurationChanged, .motionActivity, .heartbeat, .refreshed, .geofenceSuppressed, .significant: .debug
    case .backgroundTask, .location, .filterDecision, .geofence, .proximity, .inserted, .destroyed, .destroyedAll,
      .unlockedAll, .flushBegan, .locked, .lockedBatch, .unlocked, .flushFinished:
      .verbose
    case .user(let level, _): level.level
    }
  }
}

extension LogEntry.UserLevel {
  /// `notice` is stored as info (SDK §20.1).
  package var level: Contract.LogLevel {
    switch self {
    case .error: .error
    case .warn: .warning
    case .info, .notice: .info
    case .debug: .debug
    }
  }

  /// The icon before the message (SDK §20.4).
  var icon: String {
    switch self {
    case .error: "‼️"
    case .warn: "⚠️"
    case .debug: "🐞"
    case .info: "ℹ️"
    case .notice: "🔵"
    }
  }
}

extension Configuration {
  /// The state of the configuration for a log: five characters of each token (SDK §20.2).
  var redacted: JSONValue {
    var copy = self
    copy.authorization.accessToken = authorization.accessToken.map(Self.cut)
    copy.authorization.refreshToken = authorization.refreshToken.map(Self.cut)
    return .object(copy.stateDictionary)
  }

  private static func cut(_ token: String) -> String { "\(token.prefix(5))<redacted>" }
}

/// A wall-clock reading in the device's local time, for the heads of lines and the times inside them.
struct LocalTime {
  let date: CivilDate
  let hour: Int
  let minute: Int
  let second: Int
  let millisecond: Int

  init(_ instant: WallInstant, utcOffsetMinutes: Int) {
    let local = WallInstant(exactly: instant.millisecondsSince1970 + Int64(utcOffsetMinutes) * 60_000) ?? instant
    date = local.civilDate
    let ofDay = Int(local.millisecondOfDay)
    hour = ofDay / 3_600_000
    minute = ofDay / 60_000 % 60
    second = ofDay / 1_000 % 60
    millisecond = ofDay % 1_000
  }

  /// `2026-07-28 14:33:46.653`
  var full: String {
    "\(date.year.zeroPadded(to: 4))-\(monthAndDay) \(clock)"
  }

  /// `07-28`
  var monthAndDay: String { "\(date.month.zeroPadded(to: 2))-\(date.day.zeroPadded(to: 2))" }

  /// `14:33:46.653`
  var clock: String {
    "\(hour.zeroPadded(to: 2)):\(minute.zeroPadded(to: 2)):\(second.zeroPadded(to: 2)).\(millisecond.zeroPadded(to: 3))"
  }

  /// `2026-07-28, 2:34:22 PM`
  var spoken: String {
    let twelve = hour % 12 == 0 ? 12 : hour % 12
    return
      "\(date.year.zeroPadded(to: 4))-\(monthAndDay), \(twelve):\(minute.zeroPadded(to: 2)):\(second.zeroPadded(to: 2)) "
      + (hour < 12 ? "AM" : "PM")
  }
}

/// Numbers in the format of the SDK's logs.
enum LogNumber {
  /// Formats with a fixed number of decimals; numbers that no device logs, such as infinity, are written as -1.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    guard value.isFinite, value.magnitude * scale < 1e18 else { return fixed(-1, digits) }
    let scaled = Int64((value * scale).rounded())
    let magnitude = scaled.magnitude
    let sign = scaled < 0 ? "-" : ""
    guard digits > 0 else { return sign + String(magnitude) }
    return "\(sign)\(magnitude / UInt64(scale)).\((magnitude % UInt64(scale)).zeroPadded(to: digits))"
  }

  static func flag(_ value: Bool) -> String { value ? "1" : "0" }
}
