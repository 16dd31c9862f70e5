import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I5: a record is rendered by the template of the configuration, where that surely gives JSON: `geofenceTemplate` for records
/// of geofences, `locationTemplate` for all others (SDK §7.2.1, §7.5). For each device the first record after each
/// configuration is looked at, and a sample after that.
final class TemplateRule: Rule {
  override class var invariant: Invariant { .byteIdentity }
  override class var interest: Interest { [.inserted, .location, .life] }

  /// The templates of one device; nil where the default schema counts, or may count.
  private struct Templates {
    let location: ExpectedTemplate?
    let geofence: ExpectedTemplate?
    /// Records of the same instant may have been made before.
    let since: MonotonicInstant
    /// The number of records until the next one that is looked at.
    var unseen = (location: 0, geofence: 0)
    var isTold = false
  }

  private var devices: [Int: Templates] = [:]
  /// The record that has just been queued, until it is reported.
  private var queued: (device: Int, uuid: UUID128, bytes: [UInt8])?

  private static let unseenMost = 64

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .configured(let configuration): configure(configuration, context)
    case .queue(.inserted(_, _, let uuid, _, let bytes)) where devices[context.device] != nil:
      // The record of a fault has no form.
      let isPoisoned = ledger.truth.lives[context.device].isPoisoned(at: context.now.monotonic)
      queued = isPoisoned ? nil : (context.device, uuid, bytes)
    case .told(.engine(.location(let record))) where !record.isSample: look(at: record, context)
    default: break
    }
  }

  private func configure(_ configuration: Configuration, _ context: EventContext) {
    let persistence = configuration.persistence
    let location = ExpectedTemplate(persistence.locationTemplate, ofGeofences: false)
    let geofence = ExpectedTemplate(persistence.geofenceTemplate, ofGeofences: true)
    guard location != nil || geofence != nil else { return devices[context.device] = nil }
    devices[context.device] = Templates(location: location, geofence: geofence, since: context.now.monotonic)
  }

  private func look(at record: LocationRecord, _ context: EventContext) {
    guard let queued, queued.device == context.device, queued.uuid == record.uuid,
      var templates = devices[context.device], !templates.isTold, templates.since < context.now.monotonic
    else { return }
    self.queued = nil
    defer { devices[context.device] = templates }
    let template: ExpectedTemplate?
    if let trigger = record.geofence {
      // Quotes in the name of a fence may break its record, for which the default schema then counts.
      template = trigger.identifier.contains { $0 == "\"" || $0 == "\\" } ? nil : templates.geofence
      templates.unseen.geofence -= 1
      guard templates.unseen.geofence < 0 else { return }
      templates.unseen.geofence = TemplateRule.unseenMost
    } else {
      template = templates.location
      templates.unseen.location -= 1
      guard templates.unseen.location < 0 else { return }
      templates.unseen.location = TemplateRule.unseenMost
    }
    guard let template else { return }
    exercised += 1
    guard let fault = template.fault(of: queued.bytes, extras: record.extras) else { return }
    templates.isTold = true
    flag(context, record.uuid, "a record \(fault)")
  }
}
