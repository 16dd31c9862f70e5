import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I18: a crossing is reported only where its fence asks for it and has not been removed, with the extras of the fence,
/// with its state and counted, also behind a restart; dwelling only after `loiteringDelay` inside (Geofence 34, 248, 254, 276, 290, 296, 304; SDK
/// §15.1, §15.3, §15.7).
final class FenceTermsRule: Rule {
  override class var invariant: Invariant { .geofence }
  override class var interest: Interest { [.refused, .event, .life, .course] }
  override class var absence: String { "no geofence crossing was reported" }

  private struct Fences {
    /// The times at which fences were removed, and of the last reported entries.
    var removed: [String: MonotonicInstant] = [:]
    var entered: [String: Entry] = [:]
    /// The times at which fences were added, and how many of their crossings the last report has counted.
    var added: [String: MonotonicInstant] = [:]
    var hits: [String: Int] = [:]
    var clock: SteadyClock
  }

  private struct Entry {
    let timestamp: WallInstant
    let toldAt: MonotonicInstant
  }

  /// The devices that have fences.
  private var devices: [Int: Fences] = [:]

  /// The search for the position of a crossing takes half a minute, and crossings of a fence wait for each other (SDK
  /// §13.2, §15.3.11).
  private static let patience = Nanoseconds.seconds(600)
  private static let clockPatience = Nanoseconds.seconds(120)
  private static let roundingMilliseconds = 1_000.0

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if let clock = devices[device]?.clock, clock.isSet(context) { devices[device]?.clock = SteadyClock(context) }
    switch event {
    case .asked(let command), .told(.commanded(let command)): change(by: command, context)
    // What a process or a store that fails has not kept counts again behind a launch.
    case .killed, .queue(.refused), .faultBegan: devices[device]?.removed = [:]
    case .launched, .told(.engine(.enabledChange)): devices[device]?.entered = [:]
    case .told(.engine(.geofence(let record, let fence))):
      if let fault = fault(of: record, fence, context) {
        flag(
          context, record.uuid, "\(record.geofence?.action.rawValue ?? "a crossing") of '\(fence.identifier)' \(fault)")
      }
    default: break
    }
  }

  private func change(by command: Command, _ context: EventContext) {
    let device = context.device
    switch command {
    case .addGeofence(let fence): add([fence], context)
    case .addGeofences(let fences): add(fences, context)
    case .removeGeofence(let identifier): remove([identifier], context)
    case .removeGeofences(let identifiers?): remove(identifiers, context)
    case .removeGeofences(nil):
      remove(devices[device].map { Array($0.entered.keys) } ?? [], context)
      devices[device]?.hits = [:]
    default: break
    }
  }

  private func add(_ fences: [Geofence], _ context: EventContext) {
    let start = Fences(clock: SteadyClock(context))
    for fence in fences {
      devices[context.device, default: start].removed[fence.identifier] = nil
      devices[context.device]?.entered[fence.identifier] = nil
      devices[context.device]?.hits[fence.identifier] = nil
      devices[context.device]?.added[fence.identifier] = context.now.monotonic
    }
  }

  private func remove(_ identifiers: [String], _ context: EventContext) {
    for identifier in identifiers {
      devices[context.device]?.removed[identifier] = context.now.monotonic
      devices[context.device]?.entered[identifier] = nil
      devices[context.device]?.hits[identifier] = nil
    }
  }

  /// Returns what is wrong with a reported crossing; nil where nothing is.
  private func fault(of record: LocationRecord, _ fence: Geofence, _ context: EventContext) -> String? {
    guard let crossing = record.geofence, crossing.identifier == fence.identifier else { return nil }
    exercised += 1
    let (device, now, life) = (context.device, context.now.monotonic, ledger.truth.lives[context.device])
    if crossing.extras != fence.extras.flatMap({ RenderedObject($0) }) ?? .empty {
      return "without the extras of the fence"
    }
    if fence.status.isInside != (crossing.action != .exit) { return "with the state of the other side" }
    if fence.status.hits < 1 { return "is not counted" }
    guard let known = life.fences.first(where: { $0.identifier == fence.identifier }) else {
      let removed = devices[device]?.removed[fence.identifier]
      let isLate = removed.map { now - $0 > FenceTermsRule.patience } ?? false
      return isLate && !life.awaitsPlace(at: now) ? "which was removed" : nil
    }
    // One that was replaced meanwhile had terms of its own.
    guard known.definitionJSON == fence.definitionJSON else { return nil }
    let isWanted =
      switch crossing.action {
      case .enter: known.notifyOnEntry
      case .exit: known.notifyOnExit
      case .dwell: known.notifyOnDwell
      }
    if !isWanted { return "which it does not notify" }
    return dwellFault(of: crossing, known, context) ?? countFault(of: fence, at: crossing.action, context)
  }

  /// The number of a fence's crossings grows with each and outlasts the process (Geofence 254; SDK §15.1, §15.7), unless the store
  /// has failed. Whether dwelling counts is left open. Soon after an addition a crossing may be one of the fence before.
  private func countFault(
    of fence: Geofence, at action: GeofenceTrigger.Action, _ context: EventContext
  ) -> String? {
    let (device, now, hits) = (context.device, context.now.monotonic, fence.status.hits)
    let life = ledger.truth.lives[device]
    guard let added = devices[device]?.added[fence.identifier], now - added > FenceTermsRule.patience,
      !life.awaitsPlace(at: now), life.isUndisturbed,
      let before = devices[device]?.hits.updateValue(hits, forKey: fence.identifier)
    else { return nil }
    return hits < before || hits == before && action != .dwell ? "counts \(hits) crossings after \(before)" : nil
  }

  /// Times are compared by a clock that has not been set since.
  private func dwellFault(of crossing: GeofenceTrigger, _ fence: Geofence, _ context: EventContext) -> String? {
    let (device, now) = (context.device, context.now.monotonic)
    switch crossing.action {
    case .enter:
      devices[device]?.entered[fence.identifier] = Entry(timestamp: crossing.timestamp, toldAt: now)
      return nil
    case .exit:
      devices[device]?.entered[fence.identifier] = nil
      return nil
    case .dwell:
      guard let fences = devices[device], let entry = fences.entered[fence.identifier],
        fences.clock.since + FenceTermsRule.clockPatience < entry.toldAt
      else { return nil }
      let stayed = Double(crossing.timestamp.milliseconds(since: entry.timestamp))
      let tolerance = FenceTermsRule.roundingMilliseconds + Double(ledger.lateness.wholeMilliseconds)
      let isEarly = stayed < fence.loiteringDelayMilliseconds - tolerance
      return isEarly ? "after \(Int(stayed)) ms inside, not \(Int(fence.loiteringDelayMilliseconds))" : nil
    }
  }
}
