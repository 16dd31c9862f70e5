import BackendStore
import Base

/// The lists of a run's devices. Each is read when it is first needed, and kept.
final class DeviceLists {
  private let source: any RecordSource
  private let devices: [String]
  private var reader: ListReader
  private var retries: ListRetries
  private var listings: [String: StoreListing] = [:]
  /// Devices whose lists could not be read in a search for another device's record.
  private var silent: Set<String> = []
  /// The first list with records, to find out whether each device has its own.
  private var firstListed: (device: String, uuids: Set<UUID128>)?
  /// Why no list can be trusted.
  private(set) var problem: String?

  /// The number of other devices that are tried for a list: if one of them has a list, a missing one counts as empty.
  private static let othersMax = 20

  init(_ source: any RecordSource, devices: [String], delay: Nanoseconds, retries: ListRetries) {
    (self.source, self.devices, self.retries) = (source, devices, retries)
    reader = ListReader(source, devices: devices, delay: delay)
  }

  /// The records that one reading of all devices has found under other names.
  var strangers: StrangeRecords { reader.strangers }
  /// Why quarantined records may be unknown.
  var unseenQuarantine: String? { reader.lastEnd?.unseenQuarantine }
  var repetitions: Int { reader.repetitions }

  func distrust(_ reason: String) { problem = reason }

  /// Returns a device's listing; nil, with a problem, where it cannot be read.
  func listing(of device: String) -> StoreListing? {
    if let known = listings[device] { return known }
    // A store that once could not be read is not read for each device.
    guard problem == nil else { return nil }
    do throws(StoreViewError) { try read(device) } catch {
      guard error.isAbsence else { return refuse(error.text) }
      guard reader.lastEnd != nil || hasOtherList(than: device) else {
        return refuse("\(error.text), and no other device has a list: check the URL of target.verify")
      }
      if listings[device] == nil { listings[device] = StoreListing() }
    }
    return listings[device]
  }

  /// Returns a device's listing for the search of another device's record; nil where it cannot be read, which is no problem.
  func searchedListing(of device: String) -> StoreListing? {
    if let known = listings[device] { return known }
    guard problem == nil, !silent.contains(device), !(reader.lastEnd != nil && source.isOfAllDevices) else {
      return nil
    }
    do throws(StoreViewError) { try read(device) } catch { silent.insert(device) }
    return listings[device]
  }

  func others(than device: String) -> some Sequence<String> {
    devices.lazy.filter { $0 != device }.prefix(DeviceLists.othersMax)
  }

  /// Reads a list again after a pause. Returns false if that was done often enough, or has failed: then the known list remains.
  func readAgain(_ device: String) -> Bool {
    guard retries.wait() else { return false }
    do throws(StoreViewError) { try read(device) } catch { return false }
    return true
  }

  /// Allows further readings, because records arrive.
  func extendRetries() { retries.extend() }

  func forgetContents(of device: String) { listings[device]?.forgetContents() }
  func discard(_ device: String) { listings[device] = nil }

  private func refuse(_ reason: String) -> StoreListing? {
    distrust(reason)
    return nil
  }

  /// Reports whether the list of the device or of another one can be read, now or a little later: a store that is behind has none at all.
  private func hasOtherList(than device: String) -> Bool {
    while !others(than: device).contains(where: { searchedListing(of: $0) != nil }) {
      guard retries.wait() else { return false }
      silent.removeAll()
      if searchedListing(of: device) != nil { return true }
    }
    return true
  }

  private func read(_ device: String) throws(StoreViewError) {
    let found = try reader.read(device)
    if !source.isOfAllDevices, let listing = found[device] { try judgeQuestion(listing, of: device) }
    for (name, listing) in found { listings[name] = listing }
  }

  /// Throws when two devices have the same records, and one that does not exist has them too: the list is that of all devices.
  private func judgeQuestion(_ listing: StoreListing, of device: String) throws(StoreViewError) {
    let identities = Set(listing.stored)
    guard !identities.isEmpty else { return }
    guard let first = firstListed, first.device != device else { return firstListed = (device, identities) }
    guard first.uuids == identities, source.listsWithoutDevice(identities) else { return }
    let problem = StoreViewError(
      text:
        "\(source.place): '\(first.device)', '\(device)' and a device that does not exist have the same list: it is not asked for one device"
    )
    // Also where the list of another shard is read, in search of a record.
    distrust(problem.text)
    throw problem
  }
}
