import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I18: the crossings of a fence alternate, it is dwelt in after it was entered and once for each visit, and no more fences
/// are monitored than the system allows (SDK §15.2, §15.3).
final class GeofenceRule: Rule {
  override class var invariant: Invariant { .geofence }
  override class var interest: Interest { [.told, .life, .course] }

  private struct Visit {
    var last: GeofenceTrigger.Action
    var since: MonotonicInstant
    var hasDwelt = false
  }

  private struct Fences {
    var visits: [String: Visit] = [:]
    var monitored: Set<String> = []
  }

  /// Only of devices that have fences.
  private var devices: [Int: Fences] = [:]

  override class var absence: String { "no crossing of a geofence was told" }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    switch happening {
    case .told(.engine(.geofence(let record, let fence))): cross(record, fence, sighting)
    case .told(.engine(.geofencesChange(let on, let off))): monitor(on, off, sighting)
    // What was monitored is monitored anew, and nobody has watched meanwhile.
    case .launched: devices[sighting.device] = nil
    // Nothing is monitored after a stop, of which no change of the set is told.
    case .told(.engine(.enabledChange(isEnabled: false))): devices[sighting.device]?.monitored = []
    case .asked(let command), .told(.commanded(let command)): forget(command, sighting.device)
    default: break
    }
  }

  /// A fence that is added again takes the place of the old one, whose state is void (SDK §15.1).
  private func forget(_ command: Command, _ device: Int) {
    switch command {
    case .addGeofence(let fence): devices[device]?.visits[fence.identifier] = nil
    case .addGeofences(let fences): for fence in fences { devices[device]?.visits[fence.identifier] = nil }
    case .removeGeofence(let identifier): devices[device]?.visits[identifier] = nil
    case .removeGeofences(let identifiers?):
      for identifier in identifiers { devices[device]?.visits[identifier] = nil }
    case .removeGeofences(nil): devices[device]?.visits = [:]
    default: break
    }
  }

  private func cross(_ record: LocationRecord, _ fence: Geofence, _ sighting: Sighting) {
    guard let action = record.geofence?.action else { return }
    let known = devices[sighting.device, default: Fences()].visits[fence.identifier]
    var visit = known ?? Visit(last: action, since: sighting.now.monotonic)
    switch action {
    case .dwell:
      if visit.hasDwelt { blame(sighting, record.uuid, "dwelt twice in '\(fence.identifier)' on one visit") }
      if known?.last == .exit && fence.notifyOnEntry {
        blame(sighting, record.uuid, "dwelt in '\(fence.identifier)', which it had left")
      }
      visit.hasDwelt = true
    case .enter, .exit:
      if known?.last == action && fence.notifyOnEntry && fence.notifyOnExit {
        blame(sighting, record.uuid, "\(action.rawValue) of '\(fence.identifier)' twice in a row")
      }
      visit = Visit(last: action, since: sighting.now.monotonic)
    }
    devices[sighting.device, default: Fences()].visits[fence.identifier] = visit
    exercised += 1
  }

  private func monitor(_ on: [Geofence], _ off: [String], _ sighting: Sighting) {
    var fences = devices[sighting.device, default: Fences()]
    for identifier in off {
      fences.monitored.remove(identifier)
      fences.visits[identifier] = nil
    }
    for fence in on { fences.monitored.insert(fence.identifier) }
    devices[sighting.device] = fences
    let limit = ledger.pages[sighting.device].terms?.platform == .ios ? 20 : 100
    if fences.monitored.count > limit {
      blame(sighting, nil, "\(fences.monitored.count) geofences are monitored, and the system allows \(limit)")
    }
  }
}
