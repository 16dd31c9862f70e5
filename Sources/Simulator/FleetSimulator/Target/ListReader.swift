import BackendStore
import Base
import Threads

/// Reads the list of one device, or one list of all devices, and refuses a list that cannot be the right one.
struct ListReader {
  private let source: any RecordSource
  private let devices: [String]
  /// The time for which acknowledged records may be invisible.
  private var delay: Nanoseconds
  /// The records in a list of all devices that belong to none of the run's devices.
  private(set) var strangers = StrangeRecords()
  /// The end of the last list; nil before the first one, with which the source is known to work.
  private(set) var lastEnd: ListEnd?
  private(set) var repetitions = 0

  init(_ source: any RecordSource, devices: [String], delay: Nanoseconds) {
    (self.source, self.devices, self.delay) = (source, devices, delay)
  }

  /// Returns the listing of the device, or of each device of the run where one reading lists all.
  mutating func read(_ device: String) throws(StoreViewError) -> [String: StoreListing] {
    waitForStore()
    let isOfAll = source.isOfAllDevices
    var entries = ListEntries(of: isOfAll ? nil : device, among: devices)
    let end = try source.read(device) { record in
      if let stranger = entries.take(record) { strangers.take(stranger.uuid, of: stranger.owner) }
    }
    if let problem = entries.problem(source.place) { throw problem }
    lastEnd = end
    repetitions = isOfAll ? end.repetitions : repetitions + end.repetitions
    return entries.closed(at: end, keepingOrder: source.isInArrivalOrder)
  }

  private mutating func waitForStore() {
    if delay > .zero { _ = Semaphore().wait(milliseconds: Int(delay.wholeMilliseconds)) }
    delay = .zero
  }
}

/// The entries of one list, by device.
private struct ListEntries {
  /// The device whose list it is; nil: all devices of the run.
  private let device: String?
  private let devices: [String]
  private var listings: [String: StoreListing]
  private var (count, fields, names) = (EntryCount(), FoundFields(), ListedNames())

  init(of device: String?, among devices: [String]) {
    (self.device, self.devices) = (device, devices)
    let listed = device.map { [$0] } ?? devices
    listings = Dictionary(listed.map { ($0, StoreListing()) }) { first, _ in first }
  }

  /// Returns the identity and the owner of a record that belongs to none of the devices.
  mutating func take(_ record: StoredRecord) -> (uuid: UUID128, owner: String?)? {
    let owner = device ?? record.device
    count.take(record, isOwned: owner != nil)
    fields.take(record)
    if let device, let named = record.device { names.take(named, isOwn: named == device) }
    guard let uuid = record.uuid else { return nil }
    guard let owner, let known = listings.index(forKey: owner) else { return (uuid, owner) }
    listings.values[known].take(uuid, RecordContent(record))
    return nil
  }

  /// Returns why the list cannot be the right one; nil if it can.
  func problem(_ place: String) -> StoreViewError? {
    if let problem = count.namelessness(place) ?? count.missingDeviceProblem(place) ?? fields.problem(place) {
      return problem
    }
    guard let device, let stranger = names.deviceOfSharedList, devices.contains(stranger) else { return nil }
    return StoreViewError(
      text: "\(place): the list of '\(device)' has entries of '\(stranger)': it is not asked for one device")
  }

  /// Returns the complete listings.
  consuming func closed(at end: ListEnd, keepingOrder: Bool) -> [String: StoreListing] {
    for index in listings.values.indices { listings.values[index].close(at: end, keepingOrder: keepingOrder) }
    return listings
  }
}

/// The fields of `verify.fields` that every record has: a path that finds nothing in a whole list is a mistake.
private struct FoundFields {
  private static let always = ["timestamp", "coords.latitude", "coords.longitude"]
  private var missing: [String]?
  private var count = 0

  mutating func take(_ record: StoredRecord) {
    count += 1
    if let missing, missing.isEmpty { return }
    missing = record.missingFields(of: missing ?? FoundFields.always)
  }

  func problem(_ place: String) -> StoreViewError? {
    guard let name = missing?.first else { return nil }
    return StoreViewError(text: "\(place): verify.fields.\(name) finds nothing in any of \(count) entries")
  }
}

/// The device names in the entries of one device's list.
private struct ListedNames {
  private var (own, others) = (0, 0)
  private var stranger: String?

  mutating func take(_ name: String, isOwn: Bool) {
    if isOwn { own += 1 } else { (others, stranger) = (others + 1, stranger ?? name) }
  }

  /// One of the other devices, if this is the list of all devices: fewer foreign entries, or only such, may be misfiled
  /// records that name their device.
  var deviceOfSharedList: String? { own > 0 && others >= own ? stranger : nil }
}
