package import Base
package import Contract
package import JSON
package import Vocabulary

/// A parsed text log of a real device: its platform and its entries (SDK §20.2, §20.3).
package struct LogReader: Sendable {
  package let platform: DevicePlatform
  package let facts: [LogFact]
  /// The number of lines in the text.
  package let lineCount: Int
  /// The number of entries that no rule matches.
  package let otherCount: Int

  /// Nil when the text is not a log of the SDK. Truncated or corrupt entries are kept as unknown ones.
  package init?(_ text: String) {
    var cutter = LogLineCutter()
    var facts: [LogFact] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
      if let entry = cutter.take(line) { facts += Self.facts(of: entry, cutter.platform) }
    }
    if let entry = cutter.finish() { facts += Self.facts(of: entry, cutter.platform) }
    guard let platform = cutter.platform else { return nil }
    self.platform = platform
    lineCount = cutter.lineCount
    otherCount = facts.count { fact in
      if case .other = fact.content { return true }
      return false
    }
    self.facts = facts
  }

  private static func facts(of entry: LogLines, _ platform: DevicePlatform?) -> [LogFact] {
    entry.contents(on: platform).map { LogFact(line: entry.line, time: entry.time, content: $0) }
  }
}

extension LogLines {
  func contents(on platform: DevicePlatform?) -> [LogFact.Content] {
    platform == .ios ? IOSLogGrammar.read(self) : AndroidLogGrammar.read(self)
  }
}

/// The contents of one line, or box, of a real device's log.
package struct LogFact: Equatable, Sendable {
  /// The line number, from 1.
  package let line: Int
  /// The time at the head of the line, read as UTC: a text log does not show its zone.
  package let time: WallInstant
  package let content: Content

  /// The kinds of entries that say something about the engine.
  package enum Content: Equatable, Sendable {
    // Inputs of the engine.
    /// `number` 0 is a location update; otherwise a sample of a single request, counted from 1.
    case fix(Fix, number: Int, ageMilliseconds: Int64?)
    /// A significant change on Android.
    case significantFix(Fix, ageMilliseconds: Int64?)
    /// A position of another app.
    case passiveFix(Fix)
    /// The device left the moving geofence. The position has no accuracy.
    case movingGeofenceExit(Fix)
    case activity(Activity)
    case regionExit
    /// The operating system reported a crossing.
    case geofenceCrossing(identifier: String, isEntry: Bool)
    /// The operating system reported that the device dwells in a fence.
    case geofenceDwell(identifier: String)
    /// The position that showed the last crossing of that fence, or the next.
    case geofenceTrigger(identifier: String, Fix, radiusMetres: Double?)
    case connectivity(Connectivity)
    case appState(isBackground: Bool)
    case backgroundFetch
    /// The dump at the beginning of a launch: groups and flat keys together.
    case configuration(JSONValue)
    /// A key of the configuration or the state changed, such as `state.isMoving`.
    case configurationChanged(key: String)

    // Acts of the engine.
    case launched
    case started(trackingMode: Int)
    case stopped
    /// `wasMoving` is nil when the log does not show the previous pace.
    case paceChange(isMoving: Bool, wasMoving: Bool?)
    case acquired(Acquired)
    /// The SDK's motion state, mentioned in passing.
    case pace(isMoving: Bool)
    /// No position was found for a change of pace.
    case motionChangeFailed
    /// A significant change was dropped.
    case significantFixDropped
    /// The head of a fix: the state of the SDK when it arrived.
    case tracking(isEnabled: Bool, isMoving: Bool, distanceFilter: Double)
    case filterDecision(FilterTrace)
    case fixIgnored
    case distanceFilter(new: Double, old: Double)
    case stopTimeoutEngaged(seconds: Double)
    case stopTimeoutFired
    case stopDetectionIgnored(confidence: Int)
    case timerStarted(name: String, seconds: Double)
    case timerStopped(name: String)
    case locationUpdates(isOn: Bool)
    case locationRequest(purpose: String, maximumAgeMilliseconds: Double)
    case motionTriggerIgnored
    case stationaryRegion(radiusMetres: Double)
    case geofenceEvent(identifier: String, action: String)
    case heartbeat
    case odometer(metres: Double, errorMetres: Double)

    // Obstacles to recording.
    /// iOS ended a background task.
    case backgroundTaskKilled
    /// The authorization status of the provider, by its number in the SDK.
    case permission(status: Int)
    case schedule(isOn: Bool)
    case terminated
    case powerSaveChanged
    /// A request for a position failed.
    case locationFailed(code: Int)

    // Queue and uploads.
    /// The SDK deleted the oldest records, sent or not: `count` of them, or those older than `days`, as far as the log shows it.
    case queueCut(count: Int? = nil, days: Int? = nil)
    case queueEmptied
    /// A request with only this record is sent.
    case posting(uuid: String)
    /// Nothing was sent, or there was no answer.
    case uploadHeldBack
    /// `maxRecords` is nil where the queue has no limit, or the log does not show it.
    case inserted(uuid: String, kind: RecordKind?, maxRecords: Int? = nil)
    case locked(uuid: String?, count: Int)
    case response(status: Int)
    case destroyed(uuid: String)
    case unlocked(uuid: String)
    /// `queued` is nil when the log shows it only at the end, or not at all.
    case flushBegan(queued: Int?)
    /// Nil when the log does not show how many records were queued.
    case flushFinished(queuedBefore: Int?)

    /// A line of the log that is recognized, but has no meaning here.
    case other(place: String)
  }

  /// The purpose of a fulfilled request; it determines the kind of the next record.
  package enum Acquired: Equatable, Sendable {
    /// `isMoving` is nil when the log does not show it.
    case motionChange(isMoving: Bool?)
    case current, providerChange
  }
}
