import Base
import Contract
import DeviceLog
import Engine
import Vocabulary

/// Android with `useSignificantChangesOnly` (SDK §12.7).
extension Replay {
  /// Handles a significant change, which implies that the device had requested them.
  mutating func takeSignificant(_ fix: Fix) {
    follow(significantChanges: true)
    var fix = fix
    // Ages are in whole seconds.
    if let last = lastSignificant, fix.timestamp <= last, last.milliseconds(since: fix.timestamp) < 1_000 {
      fix.timestamp = last.moved(byMilliseconds: 1) ?? last
    }
    lastSignificant = fix.timestamp
    send(.significantChange(fix))
  }

  /// The log shows the place without its accuracy, which is taken from the last position there.
  mutating func leaveMovingGeofence(_ fix: Fix) {
    follow(significantChanges: true)
    var fix = fix
    if let last = lastTrigger, last.coords.latitude == fix.coords.latitude,
      last.coords.longitude == fix.coords.longitude
    {
      fix.coords.accuracy = last.coords.accuracy
    }
    send(.proximityRegionExit(fix))
  }

  /// Switches the mode, which the app may change at any time, by the kind of the next position.
  mutating func follow(significantChanges isOn: Bool) {
    guard platform == .android, engine.configuration.geolocation.useSignificantChangesOnly != isOn else { return }
    var configuration = engine.configuration
    _ = configuration.edit { $0.geolocation.useSignificantChangesOnly = isOn }
    use(configuration)
  }

  /// Android does not log why it started a process; one started by the user soon comes to the foreground.
  func startsHeadless(_ rest: ArraySlice<LogFact>) -> Bool {
    guard platform == .android, engine.configuration.geolocation.useSignificantChangesOnly else { return false }
    return !rest.prefix { $0.time.milliseconds(since: now.wall) <= 2 * Agreement.windowMilliseconds }
      .contains { $0.content == .appState(isBackground: false) }
  }

  /// Returns the position of a crossing: its box follows that of the event, or is part of an ignored event.
  mutating func trigger(of identifier: String, _ rest: ArraySlice<LogFact>) -> Fix? {
    for fact in rest {
      guard fact.time.milliseconds(since: now.wall) <= Agreement.windowMilliseconds else { break }
      if case .geofenceTrigger(identifier, let fix, _) = fact.content {
        lastTrigger = fix
        return fix
      }
    }
    return nil
  }
}

/// The times at which the system delivered the alarms of the stationary check.
struct StationaryAlarms {
  private var fired: [MonotonicInstant] = []
  /// Whether the log shows such timers.
  private var isShown = false

  init(_ facts: [LogFact], origin: WallInstant) {
    var isSignificant = InitialState.followsSignificantChanges(facts)
    for fact in facts {
      switch fact.content {
      case .significantFix, .movingGeofenceExit: isSignificant = true
      case .fix(_, number: 0, _): isSignificant = false
      case .stopTimeoutEngaged: isShown = isShown || isSignificant
      case .stopTimeoutFired where isSignificant:
        fired.append(Replay.instant(of: fact, origin: origin))
      default: continue
      }
    }
  }

  /// Nil when the log shows no alarms. A timer that never fires in the log has not fired before its end.
  func instant(of due: MonotonicInstant) -> MonotonicInstant? {
    guard isShown || !fired.isEmpty else { return nil }
    let earliest = due.nanoseconds - min(due.nanoseconds, Agreement.windowMilliseconds * 1_000_000)
    return fired.first { $0.nanoseconds >= earliest } ?? MonotonicInstant(nanoseconds: .max - 1)
  }
}

extension LogFact {
  /// Whether it belongs to an upload.
  var isUpload: Bool {
    switch content {
    case .flushBegan, .locked, .response, .flushFinished: true
    default: false
    }
  }
}
