import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I18: the state of a fence outlasts the end of the app and of the phone: one that the device is in all the time is not entered
/// again (SDK §15.4).
final class FenceStateRule: Rule {
  override class var invariant: Invariant { .geofence }
  override class var interest: Interest { [.event, .life, .course] }
  override class var absence: String { "no geofence was entered" }

  /// A fence that the device was told to have entered and has not left since.
  private struct Inside {
    let fence: TrueFence
    let since: MonotonicInstant
    /// Whether an earlier process reported it.
    var isOfBefore = false
  }

  private var devices: [Int: [String: Inside]] = [:]

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .told(.engine(.geofence(let record, let fence))): cross(record, fence, context)
    case .told(.engine(.geofencesChange(let on, let off))):
      // Both are empty when all were removed.
      if on.isEmpty, off.isEmpty { devices[device] = nil }
      for identifier in off { devices[device]?[identifier] = nil }
    case .moves: follow(context)
    case .launched:
      devices[device] = devices[device]?.mapValues { Inside(fence: $0.fence, since: $0.since, isOfBefore: true) }
    case .asked(let command), .told(.commanded(let command)): forget(command, device)
    default: break
    }
  }

  /// Forgets fences that are replaced or removed (SDK §15.1).
  private func forget(_ command: Command, _ device: Int) {
    switch command {
    case .addGeofence(let fence): devices[device]?[fence.identifier] = nil
    case .addGeofences(let fences): for fence in fences { devices[device]?[fence.identifier] = nil }
    case .removeGeofence(let identifier): devices[device]?[identifier] = nil
    case .removeGeofences(let identifiers):
      guard let identifiers else { return devices[device] = nil }
      for identifier in identifiers { devices[device]?[identifier] = nil }
    default: break
    }
  }

  private func cross(_ record: LocationRecord, _ fence: Geofence, _ context: EventContext) {
    let (device, life, now) = (context.device, ledger.truth.lives[context.device], context.now.monotonic)
    guard let action = record.geofence?.action, action != .dwell else { return }
    let known = devices[device]?.removeValue(forKey: fence.identifier)
    // An exit that it does not report changes the state, too (SDK §15.3.5).
    guard action == .enter, fence.notifyOnExit, let truth = TrueFence(fence) else { return }
    exercised += 1
    devices[device, default: [:]][fence.identifier] = Inside(fence: truth, since: now)
    guard let known, known.isOfBefore, life.episode != nil, life.isSound(since: known.since),
      life.errors.most(since: known.since) == 0,
      !life.mayHaveLeft(known.fence, since: known.since, until: now)
    else { return }
    flag(context, record.uuid, "'\(fence.identifier)' entered again after a restart, and it was not left")
  }

  /// Forgets the fences that the device may have left in the episode that has ended.
  private func follow(_ context: EventContext) {
    guard let inside = devices[context.device] else { return }
    let life = ledger.truth.lives[context.device]
    devices[context.device] = inside.filter {
      !life.mayHaveLeft($0.value.fence, since: $0.value.since, until: context.now.monotonic)
    }
  }
}
