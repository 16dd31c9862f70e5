import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I19: who truly comes into a fence that the phone watches, or goes clearly out of it, and stays so, is told of it, unless
/// the SDK says why not (behaviour §15.3).
final class GeofenceLivenessRule: Rule {
  override class var invariant: Invariant { .geofenceLiveness }
  override class var interest: Interest { [.told, .truth, .life] }

  /// A crossing of which nobody has been told yet.
  private struct Crossing {
    let fence: String
    let isEntry: Bool
    let since: MonotonicInstant
  }

  private struct Fences {
    var watched: [String: Geofence] = [:]
    var untold: [Crossing] = []
    /// The fences that the SDK has told of entering. It takes an exit from any other for a spurious one.
    var entered: Set<String> = []
  }

  /// Only of devices that have fences.
  private var devices: [Int: Fences] = [:]
  private var seen = 0

  /// The next look at the circles, the system's delay, the search for a position, and as much again.
  private static let patience = Nanoseconds.seconds(90)

  override var reasonNotJudged: String? { seen == 0 ? "no device has crossed the rim of a geofence" : nil }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    let device = sighting.device
    switch happening {
    case .told(.engine(.geofencesChange(let on, let off))): change(on, off, sighting)
    case .crossed(let fence, let isEntry): cross(fence, isEntry, sighting)
    case .told(.engine(.geofence(let record, let fence))): settle(record, fence.identifier, device)
    // The SDK has heard of it, and has had it so already.
    case .told(.engine(.locationFilter(let filtered))):
      if let fence = filtered.crossing?.identifier { devices[device]?.untold.removeAll { $0.fence == fence } }
    case .told(.engine(.location)): judge(sighting)
    case .told(.engine(.enabledChange(isEnabled: false))), .healed, .killed:
      judge(sighting)
      devices[device]?.untold = []
    case .launched:
      devices[device]?.watched = [:]
      devices[device]?.untold = []
    default: break
    }
  }

  private func change(_ on: [Geofence], _ off: [String], _ sighting: Sighting) {
    var fences = devices[sighting.device, default: Fences()]
    for identifier in off {
      fences.watched[identifier] = nil
      fences.entered.remove(identifier)
    }
    for fence in on { fences.watched[fence.identifier] = fence }
    fences.untold.removeAll { off.contains($0.fence) }
    devices[sighting.device] = fences
  }

  /// Of a visit that was too short to be noticed nothing need be told.
  private func cross(_ identifier: String, _ isEntry: Bool, _ sighting: Sighting) {
    judge(sighting)
    guard let fences = devices[sighting.device], let fence = fences.watched[identifier] else { return }
    if fences.untold.contains(where: { $0.fence == identifier }) {
      devices[sighting.device]?.untold.removeAll { $0.fence == identifier }
      return
    }
    guard case .circle = fence.shape, isEntry ? fence.notifyOnEntry : fence.notifyOnExit,
      isEntry != fences.entered.contains(identifier)
    else { return }
    seen += 1
    devices[sighting.device]?.untold.append(
      Crossing(fence: identifier, isEntry: isEntry, since: sighting.now.monotonic))
  }

  private func settle(_ record: LocationRecord, _ identifier: String, _ device: Int) {
    guard let action = record.geofence?.action, action != .dwell else { return }
    devices[device]?.untold.removeAll { $0.fence == identifier && $0.isEntry == (action == .enter) }
    if action == .enter {
      devices[device, default: Fences()].entered.insert(identifier)
    } else {
      devices[device]?.entered.remove(identifier)
    }
  }

  private func judge(_ sighting: Sighting) {
    guard let fences = devices[sighting.device], !fences.untold.isEmpty else { return }
    let isOverdue = { (crossing: Crossing) in
      sighting.now.monotonic - crossing.since > GeofenceLivenessRule.patience
    }
    for crossing in fences.untold where isOverdue(crossing) {
      blame(
        sighting, nil,
        "nothing was told of its \(crossing.isEntry ? "entry into" : "exit from") '\(crossing.fence)' at \(crossing.since.clockText)"
      )
    }
    devices[sighting.device]?.untold.removeAll(where: isOverdue)
  }
}
