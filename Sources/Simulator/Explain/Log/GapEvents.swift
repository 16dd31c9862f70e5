import Base
import DeviceLog

/// The events in a period of a log, with bounded memory: of each kind the first ones and the last.
struct GapEvents {
  enum Kind: Hashable {
    case silence, heartbeat, taskKilled, stopTimer, stopFired, moving, atRest, locationOn, locationOff, regionExit,
      fetch
    case launch, terminated, appState, permission, schedule, started, stopped, power, failed, rejected, unrecorded
    case passive, trigger, geofence
  }

  private struct Event {
    let kind: Kind
    var evidence: Evidence
  }

  private var events: [Event] = []
  private var counts: [Kind: Int] = [:]

  private static let keptOfKind = 3
  private static let keptSilences = 12

  func count(of kind: Kind) -> Int { counts[kind] ?? 0 }

  /// Adds an event; beyond the first ones it replaces the last.
  mutating func add(_ kind: Kind, _ evidence: Evidence) {
    let count = counts[kind, default: 0]
    counts[kind] = count + 1
    let kept = kind == .silence ? GapEvents.keptSilences : GapEvents.keptOfKind
    if count > kept, let last = events.lastIndex(where: { $0.kind == kind }) { events.remove(at: last) }
    events.append(Event(kind: kind, evidence: evidence))
  }

  /// Replaces the text of the last event of the kind.
  mutating func replaceWords(_ kind: Kind, _ words: String) {
    guard let last = events.lastIndex(where: { $0.kind == kind }) else { return }
    events[last].evidence.words = words
  }

  /// All events in order; heartbeats are combined into one event, and so are events that were left out before the last of a kind.
  var all: [Evidence] {
    var told: [Evidence] = []
    var seen: [Kind: Int] = [:]
    for event in events {
      let place = seen[event.kind, default: 0]
      seen[event.kind] = place + 1
      let count = counts[event.kind] ?? 0
      var evidence = event.evidence
      if event.kind == .heartbeat {
        guard place == 0 else { continue }
        if count > 1 { evidence.words = "the first of \(count) heartbeats: at rest, location is off" }
      } else {
        let kept = event.kind == .silence ? GapEvents.keptSilences : GapEvents.keptOfKind
        let leftOut = place == kept ? count - kept - 1 : 0
        if leftOut > 0 { evidence.words += " (\(leftOut) more of this before)" }
      }
      told.append(evidence)
    }
    return told
  }
}

extension GapEvents.Kind {
  /// Returns the event for entries that are evidence by themselves.
  static func of(_ content: LogFact.Content) -> (kind: GapEvents.Kind, words: String)? {
    switch content {
    case .heartbeat: (.heartbeat, "heartbeat: at rest, location is off")
    case .backgroundTaskKilled: (.taskKilled, "iOS ended the app's time in the background")
    case .stopTimeoutEngaged: (.stopTimer, "the stop timer is set")
    case .timerStopped(name: "stopTimeout"): (.stopTimer, "the stop timer is called off")
    case .stopTimeoutFired: (.stopFired, "the stop timer has run out")
    case .paceChange(let isMoving, _): isMoving ? (.moving, "set to moving") : (.atRest, "set to stationary")
    case .locationUpdates(let isOn): isOn ? (.locationOn, "location on") : (.locationOff, "location off")
    case .regionExit: (.regionExit, "left the stationary region")
    case .backgroundFetch: (.fetch, "woken by a background fetch")
    case .launched, .configuration: (.launch, "a new process of the app begins")
    case .terminated: (.terminated, "the app was closed")
    case .appState(let isBackground): (.appState, isBackground ? "app in the background" : "app in the foreground")
    case .permission(let status): (.permission, GapEvents.Kind.words(ofPermission: status))
    case .schedule(let isOn): (.schedule, isOn ? "the schedule turns tracking on" : "the schedule turns tracking off")
    case .started: (.started, "tracking started")
    case .stopped: (.stopped, "tracking stopped by the app, or by a command")
    case .powerSaveChanged: (.power, "power save mode changed")
    case .locationFailed(let code): (.failed, "a request for a position failed with code \(code)")
    case .motionTriggerIgnored: (.trigger, "a motion was noticed and ignored: still near the place of rest")
    case .geofenceCrossing(let name, let isEntry): (.geofence, "geofence '\(name)' \(isEntry ? "entered" : "left")")
    default: nil
    }
  }

  /// Returns the name of the SDK's `authorizationStatus`.
  private static func words(ofPermission status: Int) -> String {
    switch status {
    case 0: "location permission is not decided"
    case 1: "location is restricted on this phone"
    case 2, 5: "location permission is denied"
    case 3: "location permission is Always"
    case 4: "location permission is When In Use"
    default: "location permission changed to \(status)"
    }
  }
}
