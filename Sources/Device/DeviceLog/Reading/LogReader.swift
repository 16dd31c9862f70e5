package import Base
package import Contract
package import JSON
package import Vocabulary

/// Reads the text log of a real device: which platform wrote it, and what each entry says (SDK §20.2, §20.3).
package struct LogReader: Sendable {
  package let platform: DevicePlatform
  package let facts: [LogFact]
  /// Lines of the text.
  package let lineCount: Int
  /// Entries that no rule of this reader knows.
  package let otherCount: Int

  /// Nil when the text is not a log of the SDK. Entries that are cut or garbled are kept as unknown ones.
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

/// What one line, or box, of a real device's log says.
package struct LogFact: Equatable, Sendable {
  /// Counts from 1, as an editor does.
  package let line: Int
  /// What the head of the line says, read as if it were UTC: a text log does not tell its zone.
  package let time: WallInstant
  package let content: Content

  /// The kinds of entries that say something about the engine.
  package enum Content: Equatable, Sendable {
    // What came into the engine.
    /// `number` 0: of the running location updates; otherwise the sample of a single request, counted from 1.
    case fix(Fix, number: Int, ageMilliseconds: Int64?)
    /// A significant change on Android.
    case significantFix(Fix, ageMilliseconds: Int64?)
    /// A position of another app.
    case passiveFix(Fix)
    /// The device left the geofence that moves along. Its position has no accuracy.
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
    /// The dump with which a launch begins: groups and flat keys together.
    case configuration(JSONValue)
    /// A configuration key of the state changed, `state.isMoving` for instance.
    case configurationChanged(key: String)

    // What the engine did.
    case launched
    case started(trackingMode: Int)
    case stopped
    /// `wasMoving` is nil when the log does not say what the pace was before.
    case paceChange(isMoving: Bool, wasMoving: Bool?)
    case acquired(Acquired)
    /// What the SDK takes the device to do, in passing.
    case pace(isMoving: Bool)
    /// No position was found for a change of pace.
    case motionChangeFailed
    /// A significant change was dropped.
    case significantFixDropped
    /// The head of a fix: what the SDK knew when it came.
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

    // What keeps a device from recording.
    /// iOS ended the time that it gives an app in the background.
    case backgroundTaskKilled
    /// The authorization status of the provider, by its number in the SDK.
    case permission(status: Int)
    case schedule(isOn: Bool)
    case terminated
    case powerSaveChanged
    /// A request for a position failed.
    case locationFailed(code: Int)

    // Queue and uploads.
    /// The SDK deleted so many of the oldest records, sent or not.
    case queueCut(count: Int)
    case queueEmptied
    /// A request with this record alone is sent.
    case posting(uuid: String)
    /// Nothing was sent, or there was no answer.
    case uploadHeldBack
    case inserted(uuid: String, kind: RecordKind?)
    case locked(uuid: String?, count: Int)
    case response(status: Int)
    case destroyed(uuid: String)
    case unlocked(uuid: String)
    /// `queued` is nil when the log says it only at the end, or not at all.
    case flushBegan(queued: Int?)
    /// Nil when the log does not say how many records waited.
    case flushFinished(queuedBefore: Int?)

    /// Understood as a line of the log, without meaning here.
    case other(place: String)
  }

  /// What a single request found its position for: the record that follows is of this kind.
  package enum Acquired: Equatable, Sendable {
    /// `isMoving` is nil when the log does not say it.
    case motionChange(isMoving: Bool?)
    case current, providerChange
  }
}
