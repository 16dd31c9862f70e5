import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I1, I5: a record that is told to the app and has to be kept is in the queue, with the values that were told and the
/// extras of the configuration, and the app is told of each that is (BGGeo 268; SDK §5.1, §5.4, §6.6, §7.2.1, §7.3). Of the
/// stream of positions a sample is compared.
final class StoredRecordRule: Rule {
  override class var invariant: Invariant { .byteIdentity }
  override class var invariants: Set<Invariant> { [.byteIdentity, .conservation] }
  override class var interest: Interest { [.inserted, .told, .life] }

  private struct Phone {
    /// Whether tracking is on, and the time of its last change or of the configuration's.
    var isOn = false
    var changedAt = MonotonicInstant(nanoseconds: 0)
    /// Whether records of geofences are kept, and all others.
    var keeps = (fences: false, others: false)
    /// Whether the default schema counts for records of geofences, and for all others.
    var isPlain = (fences: false, others: false)
    var extras = RenderedObject.empty
    var timestamps = TimestampFormat.iso
    var platform = DevicePlatform.android
    /// The last motion change, whose position the stream may deliver again.
    var motionChange: (timestamp: WallInstant, place: Coordinate?)?
    /// Whether a record has come into its queue, and whether the app was told of one.
    var hasStored = false
    var hasHeard = false
    /// The number of positions of the stream until the next one that is compared.
    var unseen = 0
    var isTold = false
  }

  private struct Queued {
    let uuid: UUID128
    let bytes: [UInt8]
    var isHeard: Bool
  }

  private let phones: PerDevice<Phone>
  /// The records that came into the queue of a device at an instant, which are told to the app then.
  private var queued: (device: Int, at: MonotonicInstant, records: [Queued])

  /// A comparison costs more than all other rules for a record.
  private static let unseenMost = 63

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    queued = (-1, MonotonicInstant(nanoseconds: 0), [])
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .queue(.inserted(_, _, let uuid, _, let bytes)): note(uuid, bytes, context)
    case .killed where queued.device == device: queued.records.removeAll()
    case .kept(let state): turn(on: state.isEnabled, context)
    case .told(.engine(.enabledChange(let isEnabled))): turn(on: isEnabled, context)
    case .configured(let configuration): configure(configuration, context)
    case .told(.engine(.motionChange(let record))):
      phones[device].motionChange = (record.timestamp, record.coords.place)
    case .told(.engine(.location(let record))) where !record.isSample:
      let stored = hear(record.uuid, context)
      if !phones[device].isTold { judge(record, storedAs: stored, context) }
    default: break
    }
  }

  private func note(_ uuid: UUID128, _ bytes: [UInt8], _ context: EventContext) {
    if queued.device != context.device || queued.at != context.now.monotonic {
      judgeUnheard()
      (queued.device, queued.at) = (context.device, context.now.monotonic)
      queued.records.removeAll(keepingCapacity: true)
    }
    // The record of a fault is no position.
    let isPoisoned = ledger.truth.lives[context.device].isPoisoned(at: context.now.monotonic)
    queued.records.append(Queued(uuid: uuid, bytes: bytes, isHeard: isPoisoned))
    phones[context.device].hasStored = true
  }

  /// Returns the bytes of a record that has come into the queue at this instant; nil for another one.
  private func hear(_ uuid: UUID128, _ context: EventContext) -> [UInt8]? {
    guard queued.device == context.device, queued.at == context.now.monotonic,
      let index = queued.records.lastIndex(where: { $0.uuid == uuid })
    else { return nil }
    queued.records[index].isHeard = true
    phones[context.device].hasHeard = true
    return queued.records[index].bytes
  }

  override func close(at instant: MonotonicInstant) { judgeUnheard() }

  /// Judges the records of an instant that is over.
  private func judgeUnheard() {
    guard let record = queued.records.first(where: { !$0.isHeard }), phones[queued.device].hasHeard,
      !phones[queued.device].isTold
    else { return }
    phones[queued.device].isTold = true
    ledger.violations.flag(
      .conservation, queued.device, record.uuid, at: queued.at, "a record in the queue that the app was not told of")
  }

  private func turn(on isOn: Bool, _ context: EventContext) {
    (phones[context.device].isOn, phones[context.device].changedAt) = (isOn, context.now.monotonic)
  }

  private func configure(_ configuration: Configuration, _ context: EventContext) {
    let (persistence, device) = (configuration.persistence, context.device)
    let (mode, keepsAny) = (persistence.persistMode, persistence.maxRecordsToPersist != 0)
    phones[device].keeps = (
      keepsAny && (mode == .all || mode == .geofence), keepsAny && (mode == .all || mode == .location)
    )
    phones[device].isPlain = (persistence.geofenceTemplate.isEmpty, persistence.locationTemplate.isEmpty)
    phones[device].extras = RenderedObject(persistence.extras) ?? .empty
    (phones[device].timestamps, phones[device].platform) = (persistence.timestampFormat, configuration.platform)
    (phones[device].changedAt, phones[device].unseen) = (context.now.monotonic, 0)
  }

  private func judge(_ record: LocationRecord, storedAs stored: [UInt8]?, _ context: EventContext) {
    let phone = phones[context.device]
    guard phone.changedAt < context.now.monotonic else { return }
    let isOfFence = record.geofence != nil
    guard let stored else {
      if isOfFence ? phone.keeps.fences : phone.keeps.others { judgeMissing(record, phone, context) }
      return
    }
    guard isOfFence ? phone.isPlain.fences : phone.isPlain.others else { return }
    if record.event == nil {
      phones[context.device].unseen = phone.unseen > 0 ? phone.unseen - 1 : StoredRecordRule.unseenMost
      guard phone.unseen == 0 else { return }
    }
    exercised += 1
    if let path = ToldRecord(record, on: phone.platform).difference(from: stored, timestamps: phone.timestamps) {
      phones[context.device].isTold = true
      flag(context, record.uuid, "a record in the queue has another '\(path)' than the one that the app was told of")
    } else if let key = ToldRecord.key(missingIn: record, of: phone.extras) {
      phones[context.device].isTold = true
      flag(context, record.uuid, "a record lacks '\(key)' of the configuration's extras")
    }
  }

  /// Judges a record that did not come into the queue at its instant.
  private func judgeMissing(_ record: LocationRecord, _ phone: Phone, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard phone.isOn, phone.hasStored, !life.isHealed, life.isSound(since: context.now.monotonic),
      !isRepetition(record, phone),
      !ledger.pages[device].waiting.all.contains(where: { $0.uuid == record.uuid })
    else { return }
    phones[device].isTold = true
    ledger.violations.flag(
      .conservation, device, record.uuid, at: context.now.monotonic,
      "a record that the app was told of is not in the queue")
  }

  /// Reports whether the record is the position of the motion change, which the stream delivers again and which is not kept twice
  /// (SDK §5.4).
  private func isRepetition(_ record: LocationRecord, _ phone: Phone) -> Bool {
    guard record.event == nil, let first = phone.motionChange else { return false }
    return first.timestamp == record.timestamp && first.place == record.coords.place
  }
}
