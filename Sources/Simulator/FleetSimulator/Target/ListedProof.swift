package import BackendStore
package import Base
package import Oracle
package import Store
import Threads

/// Proof by lists of stored records. Each device's list is read once. Once a device has been judged, only the identities
/// remain in memory, 16 bytes each, to find records that another device misses.
package final class ListedProof: StoreProof {
  private let source: any RecordSource
  private let devices: [String]
  /// The devices of the same run in other processes.
  private let others: [String]
  private var listings: [String: StoreListing] = [:]
  /// Where one reading lists all devices: the records of none of the queried devices.
  private var strangers = StrangeRecords()
  /// How the reading of each device's list has ended.
  private var ends: [String: ListEnd] = [:]
  /// Why quarantined records may be unknown.
  private var unseenQuarantine: String?
  /// Why the list of some device proves no loss.
  private var doubt: String?
  /// Why no list can be trusted.
  private var problem: String?
  private var sent = SentMarks()
  /// Devices whose lists could not be read in a search for another device's record.
  private var silent: Set<String> = []
  /// The device that is being judged.
  private var turn: String?
  /// The first list with records, to find out whether each device has its own.
  private var firstListed: (device: String, uuids: Set<UUID128>)?
  /// Whether a record was found by its uuid, or was looked for under other names in vain.
  private var knowsNames = false
  /// Whether a list was read, so that the source is known to work.
  private var hasListed = false
  /// The time for which acknowledged records may be invisible.
  private var delay: Nanoseconds
  private var retries: ListRetries?
  package private(set) var comparesContents = false
  package private(set) var repetitions = 0
  package private(set) var (lateRecords, rowsElsewhere) = (0, 0)
  package let (isShared, readsContents) = (true, true)
  package var refusal: String? { problem ?? doubt }

  /// The number of other devices that are tried for a list: if one of them has a list, a missing one counts as empty.
  private static let othersMax = 20

  package init(
    _ source: any RecordSource, devices: [String], others: [String] = [], delay: Nanoseconds = .zero,
    retries: ListRetries? = nil
  ) {
    (self.source, self.devices, self.others) = (source, devices, others)
    (self.delay, self.retries) = (delay, retries)
  }

  package func missing(
    _ keys: [PointKey], of device: String, unacknowledged: Set<UUID128>
  ) -> [PointKey]? {
    // Listings that were read in search of another device's record keep their contents, because these may still be needed.
    if let turn, turn != device { listings[turn]?.forgetContents() }
    turn = device
    for key in keys { sent.add(key.uuid) }
    guard let listing = listing(of: device) else { return nil }
    let missing = keys.filter { !listing.isStored($0.uuid) }
    if missing.count < keys.count { knowsNames = true }
    let owed = missing.filter { !unacknowledged.contains($0.uuid) && !listing.quarantined.contains($0.uuid) }
    let lost = lookAgain(for: owed, of: device)
    guard lost.isEmpty || isLost(lost, among: keys, of: device) else { return nil }
    return missing.filter { !(listings[device]?.isStored($0.uuid) ?? false) }
  }

  /// Reports whether what a device's list lacks is lost; otherwise notes what else may explain it.
  private func isLost(_ lacking: [PointKey], among keys: [PointKey], of device: String) -> Bool {
    let remedy =
      "answer with Link: <URL>; rel=\"next\", or say where the next one is with target.verify.next of a scenario"
    if let reason = otherName(of: lacking, in: device) {
      problem = reason
      return false
    }
    // A record on a page that was not read is not lost.
    if let reason = ends[device]?.unread {
      problem = "\(reason): \(remedy)"
      return false
    }
    // Another device's list may still prove a loss.
    if let reason = endDoubt(of: device, lacking: lacking, among: keys) {
      doubt = doubt ?? "\(reason): \(remedy)"
      return false
    }
    for other in others(than: device) where unseenQuarantine != nil { _ = sought(other) }
    if let reason = unseenQuarantine { doubt = doubt ?? "\(reason): what is missing may be quarantined" }
    return unseenQuarantine == nil
  }

  /// Returns where a list has the uuids of records, or that it has others, as half a sentence: rows of many databases have their own
  /// identities. Nil if it has none of these records. The first list with entries tells, where none was found by its uuid.
  private func otherName(of lacking: [PointKey], in device: String) -> String? {
    guard !knowsNames, let listing = listings[device], !listing.stored.isEmpty else { return nil }
    knowsNames = true
    let (uuids, times) = (Set(lacking.map(\.uuid)), Set(lacking.map(\.recordedAt)))
    var (misnamed, other, alike) = (StoreViewError?.none, UUID128?.none, 0)
    do throws(StoreViewError) {
      _ = try source.read(device) { record in
        // It is listed for another device.
        if let uuid = record.uuid, uuids.contains(uuid) { return }
        if misnamed == nil, let path = record.entry.place(ofAny: uuids) {
          misnamed = .misnamed(source.place, path: path, named: record.namedPlace(of: "uuid"))
        }
        guard let time = record.value("timestamp")?.instant, times.contains(time.millisecondsSince1970) else { return }
        (other, alike) = (record.uuid, alike + 1)
      }
    } catch { return nil }
    if let misnamed { return misnamed.text }
    guard let other, 2 * alike >= lacking.count else { return nil }
    return
      "\(source.place): what has the time of a record is listed as \(other.text): let the list show the uuid of the record too, and name its place as 'uuid' in verify.fields"
  }

  /// Returns why a list may end before the last record of its device, as half a sentence: it has as many entries as servers list at
  /// most, or as many as those of other devices. Nil if the list of another device is longer: then none ends there.
  private func endDoubt(of device: String, lacking: [PointKey], among keys: [PointKey]) -> String? {
    guard let end = ends[device], end.isPaged, let count = listings[device]?.stored.count else { return nil }
    let others = others(than: device).compactMap { sought($0)?.stored.count }
    guard others.allSatisfy({ $0 <= count }) else { return nil }
    if end.mayBeCut(at: count) { return ListEnd.doubt(of: device, at: count) }
    let equal = others.count { $0 == count }
    guard end.mayBeCut(at: count, like: equal), lacking.areFirstOrLast(among: keys) else { return nil }
    return
      "the lists of '\(device)' and \(equal.of("other device")) end at \(count) entries each, and none is longer"
  }

  /// Reads the list again for missing records: one that appears late is not lost.
  private func lookAgain(for keys: [PointKey], of device: String) -> [PointKey] {
    var missing = keys
    while !missing.isEmpty, let pause = retries?.next() {
      _ = Semaphore().wait(milliseconds: pause)
      // The known list remains valid until a newer one is read.
      do throws(StoreViewError) { try fetch(device) } catch { break }
      let rest = missing.filter { !(listings[device]?.isStored($0.uuid) ?? false) }
      if rest.count < missing.count { retries?.extend() }
      lateRecords += missing.count - rest.count
      missing = rest
    }
    return missing
  }

  package func quarantined(of device: String) -> QuarantinedRecords {
    QuarantinedRecords(uuids: listing(of: device)?.quarantined ?? [])
  }

  package func content(of uuid: UUID128, of device: String) -> RecordContent? {
    guard let stored = listing(of: device)?.content(of: uuid) else { return nil }
    if !stored.isEmpty { comparesContents = true }
    return stored
  }

  package func place(of uuid: UUID128, of device: String) -> Int? { listing(of: device)?.place(of: uuid) }

  /// Returns the device under which a record is listed. A list that cannot be read is skipped here.
  package func holder(of uuid: UUID128) -> String? {
    if let owner = strangers.owner(of: uuid) { return owner }
    func lists(_ device: String) -> Bool { sought(device)?.isStored(uuid) ?? false }
    return devices.first(where: lists) ?? others.first(where: lists)
  }

  package func wasSent(_ uuid: UUID128) -> Bool { sent.contains(uuid) }

  package func forEachOfTwoDevices(_ body: (_ uuid: UUID128, _ device: String, _ other: String) -> Void) {
    var rows: [(uuid: UUID128, device: Int)] = []
    for (number, device) in devices.enumerated() {
      // A record that is twice in the lists that were read is stored twice, whatever the others contain.
      guard let listing = listing(of: device) else { continue }
      for uuid in listing.stored {
        if let owner = strangers.owner(of: uuid) { body(uuid, device, owner) }
        rows.append((uuid, number))
      }
    }
    rows.sort { ($0.uuid, $0.device) < ($1.uuid, $1.device) }
    for (row, next) in zip(rows, rows.dropFirst()) where row.uuid == next.uuid && row.device != next.device {
      body(row.uuid, devices[row.device], devices[next.device])
    }
    forEachOfOthers { uuid, other in
      rowsElsewhere += 1
      let place = rows.indexBehind { $0.uuid < uuid }
      // Where one reading lists all devices, the strangers have reported this pair.
      guard !source.isOfAllDevices, place < rows.count, rows[place].uuid == uuid else { return }
      body(uuid, devices[rows[place].device], other)
    }
  }

  /// Calls `body` with each record of this shard that is listed for a device of another shard, which does not know that it
  /// was sent. Those lists are read once and discarded.
  private func forEachOfOthers(_ body: (_ uuid: UUID128, _ device: String) -> Void) {
    guard !source.isOfAllDevices else {
      let others = Set(others)
      return strangers.forEach { if sent.contains($0), others.contains($1) { body($0, $1) } }
    }
    for device in others {
      guard let listing = sought(device) else { continue }
      listings[device] = nil
      var last: UUID128?
      for uuid in listing.stored where uuid != last && sent.contains(uuid) {
        body(uuid, device)
        last = uuid
      }
    }
  }

  package func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    for device in device.map({ [$0] }) ?? devices {
      guard let listing = listing(of: device) else { continue }
      for uuid in listing.stored { body(device, uuid) }
    }
  }

  private func listing(of device: String) -> StoreListing? {
    if let known = listings[device] { return known }
    // A store that once could not be read is not read for each device.
    guard problem == nil else { return nil }
    do throws(StoreViewError) { try fetch(device) } catch {
      guard error.isAbsence else { return refuse(error.text) }
      guard hasListed || hasOtherList(than: device) else {
        return refuse("\(error.text), and no other device has a list: check the URL of target.verify")
      }
      if listings[device] == nil { listings[device] = StoreListing() }
    }
    return listings[device]
  }

  /// Reports whether the list of the device or of another one can be read, now or a little later: a store that is behind has none at all.
  private func hasOtherList(than device: String) -> Bool {
    while !others(than: device).contains(where: { sought($0) != nil }) {
      guard let pause = retries?.next() else { return false }
      _ = Semaphore().wait(milliseconds: pause)
      silent.removeAll()
      if sought(device) != nil { return true }
    }
    return true
  }

  private func refuse(_ reason: String) -> StoreListing? {
    problem = reason
    return nil
  }

  private func others(than device: String) -> some Sequence<String> {
    devices.lazy.filter { $0 != device }.prefix(ListedProof.othersMax)
  }

  /// Returns a device's listing for the search of another device's record.
  private func sought(_ device: String) -> StoreListing? {
    if let known = listings[device] { return known }
    guard problem == nil, !silent.contains(device), !(hasListed && source.isOfAllDevices) else { return nil }
    do throws(StoreViewError) { try fetch(device) } catch { silent.insert(device) }
    return listings[device]
  }

  /// Reads the list of a device, or of all devices.
  private func fetch(_ device: String) throws(StoreViewError) {
    if delay > .zero { _ = Semaphore().wait(milliseconds: Int(delay.wholeMilliseconds)) }
    delay = .zero
    let isOfAll = source.isOfAllDevices
    let wanted = isOfAll ? devices : [device]
    var found = Dictionary(wanted.map { ($0, StoreListing()) }) { first, _ in first }
    var (count, fields, names) = (EntryCount(), FoundFields(), ListedNames())
    let end = try source.read(device) { record in
      let owner = isOfAll ? record.device : device
      count.take(record, isOwned: owner != nil)
      fields.take(record)
      if !isOfAll, let named = record.device { names.take(named, isOwn: named == device) }
      guard let uuid = record.uuid else { return }
      guard let owner, let known = found.index(forKey: owner) else { return strangers.take(uuid, of: owner) }
      found.values[known].take(uuid, RecordContent(record))
    }
    for uuid in end.quarantined { found[device]?.takeQuarantined(uuid) }
    if let problem = count.namelessness(source.place) ?? count.missingDeviceProblem(source.place) { throw problem }
    if let problem = fields.problem(source.place) { throw problem }
    if let stranger = names.deviceOfSharedList, devices.contains(stranger) {
      throw StoreViewError(
        text: "\(source.place): the list of '\(device)' has entries of '\(stranger)': it is not asked for one device")
    }
    if !isOfAll, let listing = found[device] { try judgeQuestion(listing, of: device) }
    hasListed = true
    ends[device] = end
    unseenQuarantine = end.unseenQuarantine
    repetitions = isOfAll ? end.repetitions : repetitions + end.repetitions
    for name in wanted {
      found[name]?.close(keepingOrder: source.isInArrivalOrder)
      listings[name] = found.removeValue(forKey: name)
    }
  }
}

extension [PointKey] {
  /// Reports whether all others are later, or all earlier.
  fileprivate func areFirstOrLast(among keys: [PointKey]) -> Bool {
    let these = Set(self)
    let others = keys.lazy.filter { !these.contains($0) }.map(\.recordedAt)
    guard let first = others.min(), let last = others.max() else { return true }
    return allSatisfy { $0.recordedAt <= first } || allSatisfy { $0.recordedAt >= last }
  }
}

extension ListedProof {
  /// Throws when two devices have the same records, and one that does not exist has them too: the list is that of all devices.
  private func judgeQuestion(_ listing: StoreListing, of device: String) throws(StoreViewError) {
    let identities = Set(listing.stored)
    guard !identities.isEmpty else { return }
    guard let first = firstListed, first.device != device else { return firstListed = (device, identities) }
    guard first.uuids == identities else { return }
    guard source.listsWithoutDevice(identities) else { return }
    let problem = StoreViewError(
      text:
        "\(source.place): '\(first.device)', '\(device)' and a device that does not exist have the same list: it is not asked for one device"
    )
    // Also where the list of another shard is read, in search of a record.
    self.problem = problem.text
    throw problem
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

/// Records listed for devices of other runs, for unknown names, or for no device; a record that its device misses
/// may be among them.
private struct StrangeRecords {
  private var owners: [UUID128: UInt32] = [:]
  private var names: [String] = []
  private var numbers: [String: UInt32] = [:]

  /// A store may hold millions of records of earlier runs.
  private static let recordsMax = 1_000_000

  mutating func take(_ uuid: UUID128, of owner: String?) {
    guard owners.count < StrangeRecords.recordsMax else { return }
    let name = owner ?? "(none)"
    let number = numbers[name] ?? UInt32(names.count)
    if number == names.count {
      names.append(name)
      numbers[name] = number
    }
    owners[uuid] = number
  }

  func forEach(_ body: (_ uuid: UUID128, _ owner: String) -> Void) {
    for (uuid, number) in owners { body(uuid, names[Int(number)]) }
  }

  func owner(of uuid: UUID128) -> String? { owners[uuid].map { names[Int($0)] } }
}
