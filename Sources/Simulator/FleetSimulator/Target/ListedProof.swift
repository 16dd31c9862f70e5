package import BackendStore
package import Base
package import Oracle
package import Store

/// Proof by lists of stored records. Each device's list is read once. Once a device has been judged, only the identities
/// remain in memory, 16 bytes each, to find records that another device misses.
package final class ListedProof: StoreProof {
  private let source: any RecordSource
  private let lists: DeviceLists
  private let devices: [String]
  /// The devices of the same run in other processes.
  private let others: [String]
  private var sent = SentMarks()
  /// The device that is being judged.
  private var turn: String?
  /// Whether a record was found by its uuid, or was looked for under other names in vain.
  private var knowsNames = false
  /// Why the list of some device proves no loss.
  private var doubt: String?
  package private(set) var comparesContents = false
  package private(set) var (lateRecords, rowsElsewhere) = (0, 0)
  package let (isShared, readsContents) = (true, true)
  package var showsQuarantine: Bool { source.showsQuarantine }
  package var repetitions: Int { lists.repetitions }
  package var refusal: String? { lists.problem ?? doubt }

  /// How a list shows that it has further pages.
  private static let remedy =
    "answer with Link: <URL>; rel=\"next\", or say where the next one is with target.verify.next of a scenario"

  package init(
    _ source: any RecordSource, devices: [String], others: [String] = [], delay: Nanoseconds = .zero,
    retries: ListRetries = .none
  ) {
    (self.source, self.devices, self.others) = (source, devices, others)
    lists = DeviceLists(source, devices: devices, delay: delay, retries: retries)
  }

  package func missing(
    _ keys: [PointKey], of device: String, notOwed: Set<UUID128>
  ) -> [PointKey]? {
    beginTurn(of: device)
    for key in keys { sent.add(key.uuid) }
    guard let listing = lists.listing(of: device) else { return nil }
    let missing = keys.filter { !listing.isStored($0.uuid) }
    if missing.count < keys.count { knowsNames = true }
    let owed = missing.filter { !notOwed.contains($0.uuid) && !listing.quarantined.contains($0.uuid) }
    let lacking = lookAgain(for: owed, of: device)
    guard lacking.isEmpty || isLost(lacking, among: keys, of: device) else { return nil }
    return unlisted(missing, of: device)
  }

  /// Listings that were read in search of another device's record keep their contents until then, because these may still be
  /// needed.
  private func beginTurn(of device: String) {
    if let turn, turn != device { lists.forgetContents(of: turn) }
    turn = device
  }

  /// Reads the list again for missing records: one that appears late is not lost.
  private func lookAgain(for keys: [PointKey], of device: String) -> [PointKey] {
    var missing = keys
    while !missing.isEmpty, lists.readAgain(device) {
      let rest = unlisted(missing, of: device)
      if rest.count < missing.count { lists.extendRetries() }
      lateRecords += missing.count - rest.count
      missing = rest
    }
    return missing
  }

  private func unlisted(_ keys: [PointKey], of device: String) -> [PointKey] {
    let listing = lists.listing(of: device)
    return keys.filter { !(listing?.isStored($0.uuid) ?? false) }
  }

  package func quarantined(of device: String) -> QuarantinedRecords {
    QuarantinedRecords(uuids: lists.listing(of: device)?.quarantined ?? [])
  }

  package func content(of uuid: UUID128, of device: String) -> RecordContent? {
    guard let stored = lists.listing(of: device)?.content(of: uuid) else { return nil }
    if !stored.isEmpty { comparesContents = true }
    return stored
  }

  package func place(of uuid: UUID128, of device: String) -> Int? { lists.listing(of: device)?.place(of: uuid) }

  package func wasSent(_ uuid: UUID128) -> Bool { sent.contains(uuid) }

  package func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    for device in device.map({ [$0] }) ?? devices {
      guard let listing = lists.listing(of: device) else { continue }
      for uuid in listing.stored { body(device, uuid) }
    }
  }
}

/// What may explain that a list lacks records.
extension ListedProof {
  /// Reports whether what a device's list lacks is lost; otherwise notes what else may explain it.
  private func isLost(_ lacking: [PointKey], among keys: [PointKey], of device: String) -> Bool {
    if let reason = distrust(in: device, lacking: lacking) {
      lists.distrust(reason)
      return false
    }
    // Another device's list may still prove a loss.
    if let reason = endDoubt(of: device, lacking: lacking, among: keys) ?? quarantineDoubt(of: device) {
      doubt = doubt ?? reason
      return false
    }
    return true
  }

  /// Returns why no list can be trusted: this one names its records otherwise, or has pages that were not read.
  private func distrust(in device: String, lacking: [PointKey]) -> String? {
    if let reason = otherName(of: lacking, in: device) { return reason }
    return lists.listing(of: device)?.end?.unread.map { "\($0): \(ListedProof.remedy)" }
  }

  /// Returns where a list has the uuids of records, or that it has others, as half a sentence: rows of many databases have their own
  /// identities. Nil if it has none of these records. The first list with entries tells, where none was found by its uuid.
  private func otherName(of lacking: [PointKey], in device: String) -> String? {
    guard !knowsNames, let listing = lists.listing(of: device), !listing.stored.isEmpty else { return nil }
    knowsNames = true
    var names = OtherNames(of: lacking)
    do throws(StoreViewError) { _ = try source.read(device) { names.take($0, at: source.place) } } catch { return nil }
    return names.reason(source.place)
  }

  /// Returns why a list may end before the last record of its device: it has as many entries as servers list at most, or as many as
  /// those of other devices. Nil if the list of another device is longer: then none ends there.
  private func endDoubt(of device: String, lacking: [PointKey], among keys: [PointKey]) -> String? {
    guard let listing = lists.listing(of: device), let end = listing.end, end.isPaged else { return nil }
    let count = listing.stored.count
    let others = lists.others(than: device).compactMap { lists.searchedListing(of: $0)?.stored.count }
    guard others.allSatisfy({ $0 <= count }) else { return nil }
    if end.mayBeCut(at: count) { return "\(ListEnd.doubt(of: device, at: count)): \(ListedProof.remedy)" }
    let equal = others.count { $0 == count }
    guard end.mayBeCut(at: count, like: equal), lacking.areFirstOrLast(among: keys) else { return nil }
    return
      "the lists of '\(device)' and \(equal.of("other device")) end at \(count) entries each, and none is longer: \(ListedProof.remedy)"
  }

  /// Returns why what is missing may be quarantined: no list so far has shown what is.
  private func quarantineDoubt(of device: String) -> String? {
    for other in lists.others(than: device) where lists.unseenQuarantine != nil {
      _ = lists.searchedListing(of: other)
    }
    return lists.unseenQuarantine.map { "\($0): what is missing may be quarantined" }
  }
}

/// The search for records in the lists of other devices.
extension ListedProof {
  /// Returns the device under which a record is listed. A list that cannot be read is skipped here.
  package func holder(of uuid: UUID128) -> String? {
    if let owner = lists.strangers.owner(of: uuid) { return owner }
    func hasIt(_ device: String) -> Bool { lists.searchedListing(of: device)?.isStored(uuid) ?? false }
    return devices.first(where: hasIt) ?? others.first(where: hasIt)
  }

  package func forEachOfTwoDevices(_ body: (_ uuid: UUID128, _ device: String, _ other: String) -> Void) {
    var rows: [(uuid: UUID128, device: Int)] = []
    for (number, device) in devices.enumerated() {
      // A record that is twice in the lists that were read is stored twice, whatever the others contain.
      guard let listing = lists.listing(of: device) else { continue }
      for uuid in listing.stored {
        if let owner = lists.strangers.owner(of: uuid) { body(uuid, device, owner) }
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
      return lists.strangers.forEach { if sent.contains($0), others.contains($1) { body($0, $1) } }
    }
    for device in others {
      guard let listing = lists.searchedListing(of: device) else { continue }
      lists.discard(device)
      var last: UUID128?
      for uuid in listing.stored where uuid != last && sent.contains(uuid) {
        body(uuid, device)
        last = uuid
      }
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
