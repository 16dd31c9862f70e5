import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I18: the state of a fence outlasts the end of the app and of the phone: one that the device is in all the time is not entered
/// again, and dwelling in it is not reported again (SDK §15.3.4, §15.4).
final class FenceStateRule: Rule {
  override class var invariant: Invariant { .geofence }
  override class var interest: Interest { [.event, .life, .course] }
  override class var absence: String { "no geofence was entered" }

  /// A fence that the device was told to have entered and has not left since.
  private struct Inside {
    let fence: TrueFence
    let since: MonotonicInstant
    /// Whether an earlier process reported that it was entered, and that it was dwelt in.
    var isOfBefore = false
    var dwell: (isTold: Bool, isOfBefore: Bool) = (false, false)

    mutating func end() { (isOfBefore, dwell.isOfBefore) = (true, dwell.isTold) }
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
      for identifier in (devices[device] ?? [:]).keys { devices[device]?[identifier]?.end() }
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
    let (device, now) = (context.device, context.now.monotonic)
    guard let action = record.geofence?.action else { return }
    if action == .dwell { return dwell(record, in: fence.identifier, context) }
    let known = devices[device]?.removeValue(forKey: fence.identifier)
    // An exit that it does not report changes the state, too (SDK §15.3.5).
    guard action == .enter, fence.notifyOnExit, let truth = TrueFence(fence) else { return }
    exercised += 1
    devices[device, default: [:]][fence.identifier] = Inside(fence: truth, since: now)
    guard let known, known.isOfBefore, isSure(known, context) else { return }
    flag(context, record.uuid, "'\(fence.identifier)' entered again after a restart, and it was not left")
  }

  /// Dwelling is reported once for each visit, which outlasts the process (SDK §15.3.4, §15.4).
  private func dwell(_ record: LocationRecord, in identifier: String, _ context: EventContext) {
    guard let known = devices[context.device]?[identifier] else { return }
    devices[context.device]?[identifier]?.dwell.isTold = true
    guard known.dwell.isOfBefore, isSure(known, context) else { return }
    flag(context, record.uuid, "dwelling in '\(identifier)' reported again after a restart, and it was not left")
  }

  /// Reports whether the device has certainly been in the fence since then, and has kept that.
  private func isSure(_ inside: Inside, _ context: EventContext) -> Bool {
    let life = ledger.truth.lives[context.device]
    return life.episode != nil && life.isSound(since: inside.since) && life.errors.most(since: inside.since) == 0
      && !life.mayHaveLeft(inside.fence, since: inside.since, until: context.now.monotonic)
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
