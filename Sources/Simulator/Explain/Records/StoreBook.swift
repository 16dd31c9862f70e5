package import BackendStore
package import Base

/// The counts of a Rolling Road server for a device.
package struct StoreAccount: Sendable {
  /// Records that it has ever taken, also those that it has deleted since.
  var taken: Int
  /// When it first heard of the device, or of one that was made anew.
  var since: WallInstant?

  package init(taken: Int, since: WallInstant?) { (self.taken, self.since) = (taken, since) }
}

/// The content of stores, by record: under which devices, and how often.
package struct StoreBook: Sendable {
  struct Row: Sendable {
    /// Nil: the store does not name it.
    var device: String?
    var record: StoredRecord

    /// Another device that the entry in the list of one device names; nil without one.
    var stranger: String? { record.device.flatMap { $0 == device ? nil : $0 } }

    fileprivate func isSameEntry(as other: Row) -> Bool { record.entry.equals(other.record.entry) }
  }

  /// The store, for messages.
  package let place: String
  /// Only this record is kept; nil: all.
  private let wanted: UUID128?
  private(set) var rows: [UUID128: [Row]] = [:]
  /// The number of records of each queried device.
  package private(set) var counts: [String: Int] = [:]
  /// The devices with records in the store.
  private(set) var devices: Set<String> = []
  /// Why the list of a device may have more pages than were read.
  private var unread: String?
  /// The number of records in a store that one reading lists completely.
  private(set) var countOfAll: Int?
  /// Devices without a list in the store, and its answer.
  private(set) var absent: [(device: String, words: String)] = []
  /// The lists that may be cut, with the number of their entries.
  private var cut: [String: Int] = [:]
  /// Records that may stand in a last line of which only the beginning is there, and that line.
  private var torn: (records: Set<UUID128>, line: Int)?
  /// Why entries of the store do not identify their records.
  private var namelessness: String?
  /// The number of devices that were not queried, because there are too many.
  package var skippedCount = 0
  /// Of a Rolling Road server, by device; nil: the store does not tell what it has deleted.
  package var accounts: [String: StoreAccount]?
  /// All records in quarantine, with the reason.
  private(set) var quarantined: [UUID128: Evidence] = [:]

  /// The time of the query.
  private let askedAt: WallInstant
  /// How long a record may be missing after its acknowledgement.
  private let readDelay: Nanoseconds

  package init(
    _ place: String, of wanted: UUID128?, askedAt: WallInstant = .latest, readDelay: Nanoseconds = .zero
  ) {
    (self.place, self.wanted, self.askedAt, self.readDelay) = (place, wanted, askedAt, readDelay)
  }

  /// Returns why a record with that acknowledgement may still appear; nil when it should be there. `latest` is the last instant
  /// that the acknowledgement may have, where a log does not show its zone.
  func reasonToWait(of acknowledgement: WallInstant?, atLatest latest: WallInstant?) -> String? {
    func isShort(since instant: WallInstant) -> Bool {
      askedAt.milliseconds(since: instant) < readDelay.wholeMilliseconds
    }
    guard readDelay > .zero, let acknowledgement, let latest, isShort(since: latest) else { return nil }
    let delay = Double(readDelay.wholeMilliseconds) / 1_000
    let advice = isShort(since: acknowledgement) ? "ask again later" : "the log does not show when, give --utc-offset"
    return "a record may be missing for \(delay) s after its acknowledgement (readDelay); \(advice)"
  }

  /// Returns why a record acknowledged at that time may have been deleted from the store since; nil without a reason.
  func deletion(under device: String?, of acknowledgement: WallInstant?) -> String? {
    guard let accounts, let device else { return nil }
    guard let account = accounts[device] else {
      return "the store does not know '\(device)', which may have been deleted"
    }
    if let since = account.since, let acknowledgement, acknowledgement < since {
      return "'\(device)' was deleted in the store after it"
    }
    guard let count = counts[device], count < account.taken else { return nil }
    let records = StoryText.count(account.taken - count, "record")
    return "the store has deleted \(records) of '\(device)' (--retain-days, --retain-bytes or an administrator)"
  }

  /// Takes the list of a device; keeps only the records in `kept`, or all.
  package mutating func take(_ records: [StoredRecord], under device: String, keeping kept: Set<UUID128>? = nil) {
    counts[device] = records.count
    if !records.isEmpty { devices.insert(device) }
    for record in records {
      lookForOtherName(in: record)
      guard let uuid = record.uuid, wanted == nil || uuid == wanted, kept?.contains(uuid) ?? true else { continue }
      rows[uuid, default: []].append(Row(device: device, record: record))
    }
  }

  /// Takes another record from a reading of all devices, of a further device.
  package mutating func take(further record: StoredRecord, of device: String) {
    guard let uuid = record.uuid else { return }
    rows[uuid, default: []].append(Row(device: device, record: record))
  }

  /// Takes a record from a reading of all devices; keeps those of `device` and those in `kept`.
  package mutating func take(ofAll record: StoredRecord, device: String?, keeping kept: Set<UUID128>) {
    countOfAll = (countOfAll ?? 0) + 1
    lookForOtherName(in: record)
    let owner = record.device
    if let owner { devices.insert(owner) }
    guard let uuid = record.uuid, wanted == nil || uuid == wanted else { return }
    guard kept.contains(uuid) || owner == device else { return }
    rows[uuid, default: []].append(Row(device: owner, record: record))
  }

  /// Checks whether another uuid of the entry was taken for the record's.
  private mutating func lookForOtherName(in record: StoredRecord) {
    guard let wanted, record.uuid != wanted, namelessness == nil, let path = record.entry.place(of: wanted) else {
      return
    }
    namelessness = StoreViewError.misnamed(place, path: path).text
  }

  /// Returns those of the records that were not found.
  package func missing(of records: Set<UUID128>) -> Set<UUID128> { records.filter { rows[$0] == nil } }

  /// Returns the records in the list of a device.
  func listed(under device: String) -> Set<UUID128> {
    Set(rows.filter { $0.value.contains { $0.device == device } }.keys)
  }

  /// A record in the list of one device whose entry names no device, and the number of entries of the list; nil without one. It is
  /// one of `known`, unless there are none.
  package func listedUnnamed(among known: Set<UUID128>) -> (uuid: UUID128, count: Int)? {
    let unnamed = rows.filter { uuid, rows in
      (known.isEmpty || known.contains(uuid)) && rows.allSatisfy { $0.device != nil && $0.record.device == nil }
    }
    guard let uuid = unnamed.keys.min(), let device = unnamed[uuid]?.first?.device, let count = counts[device] else {
      return nil
    }
    return (uuid, count)
  }

  /// A record that stands in the lists of two devices as the same entry: it is stored twice, or the lists are not those of one
  /// device; nil without one.
  package var listedAlike: UUID128? {
    rows.first { _, rows in
      rows.contains { row in rows.contains { $0.device != row.device && $0.isSameEntry(as: row) } }
    }?.key
  }

  /// Takes the lists for one of all devices. Each entry counts once then, under the device that it names.
  package mutating func takeAsListsOfAll() {
    for (uuid, all) in rows {
      var kept: [Row] = []
      for row in all where !kept.contains(where: { $0.isSameEntry(as: row) && $0.device != row.device }) {
        kept.append(row)
      }
      rows[uuid] = kept.map { Row(device: $0.record.device, record: $0.record) }
    }
    guard rows.values.joined().contains(where: { $0.device == nil }) else { return }
    takeNamelessness("\(place): the list is not asked for one device, and its entries name none")
  }

  /// Notes that a list may have more pages, so that a missing record may be there.
  package mutating func takeUnread(_ words: String) { unread = unread ?? words }

  /// Notes how a device's list ended.
  package mutating func take(_ end: ListEnd, of device: String) {
    guard let count = counts[device], end.mayBeCut(at: count) else { return }
    cut[device] = count
  }

  /// The records that the list of a device has more than once: where others come meanwhile, two pages may have the same one.
  package func repeated(under device: String) -> Set<UUID128> {
    Set(rows.filter { $0.value.count { $0.device == device } > 1 }.keys)
  }

  /// Takes how often a second look has found repeated records in the list of the device.
  package mutating func takeAgain(_ counts: [UUID128: Int], under device: String) {
    for (uuid, count) in counts {
      var left = count
      rows[uuid]?.removeAll { row in
        guard row.device == device else { return false }
        left -= 1
        return left < 0
      }
    }
  }

  /// Looks for records that are missing in an entry that was read again: under another name, in a list or in a text, or stored
  /// meanwhile.
  package mutating func look(for missing: Set<UUID128>, in record: StoredRecord, of device: String?) {
    if let uuid = record.uuid, missing.contains(uuid) {
      return rows[uuid, default: []].append(Row(device: device, record: record))
    }
    guard namelessness == nil, let path = record.entry.place(ofAny: missing) else { return }
    namelessness = StoreViewError.misnamed(place, path: path).text
  }

  /// Notes a last line of which only the beginning is there. It may have one of the missing records, that which it names.
  package mutating func takeTorn(_ line: TornLine, for missing: Set<UUID128>) {
    let missing = self.missing(of: missing)
    let named = missing.intersection(line.uuids)
    torn = (named.isEmpty ? missing : named, line.number)
  }

  /// Returns why a missing record may be stored, as a sentence; nil where the store shows that it is not.
  func doubt(of uuid: UUID128, under device: String?) -> String? {
    if let silence { return silence }
    // A store that has a longer list of another device does not end them there.
    if accounts == nil, let device, let count = cut[device], !counts.values.contains(where: { $0 > count }) {
      return "\(ListEnd.doubt(of: device, at: count)) (verify.next of a dialect)"
    }
    guard let torn, torn.records.contains(uuid) else { return nil }
    return "\(place): of line \(torn.line), the last one, only the beginning is there, and the record may be in it"
  }

  /// Notes that one reading has listed the whole store, which may be empty.
  package mutating func tookAll() { countOfAll = countOfAll ?? 0 }

  /// Notes a device without a list; it certainly has no records only if another device has a list.
  package mutating func takeAbsence(of device: String, _ words: String) { absent.append((device, words)) }

  /// Notes entries without identities, which cannot prove a loss.
  package mutating func takeNamelessness(_ words: String) { namelessness = words }

  /// Notes a quarantined record.
  package mutating func takeQuarantined(_ uuid: UUID128, _ evidence: Evidence) { quarantined[uuid] = evidence }

  /// Whether the store cannot show that a record is missing.
  package var isSilent: Bool { silence != nil }

  /// Why the store cannot show that a record is missing, as a sentence; nil if it can.
  var silence: String? {
    if let namelessness { return namelessness }
    if let unread { return unread }
    // The store of a Rolling Road server knows by itself what it has.
    if accounts == nil, absent.isEmpty, countOfAll ?? 0 == 0, counts.values.allSatisfy({ $0 == 0 }),
      countOfAll != nil || !counts.isEmpty
    {
      return "the store shows no record at all; check how it is read, and the name of the device"
    }
    if countOfAll != nil { return nil }
    if counts.isEmpty, let first = absent.first {
      let others = absent.count > 1 ? ", nor of \(StoryText.count(absent.count - 1, "other device"))" : ""
      return "the store has no list of '\(first.device)'\(others) (\(first.words))"
    }
    if counts.isEmpty { return "no device was asked; give --device" }
    return skippedCount > 0 ? "\(StoryText.count(skippedCount, "device")) were not searched; give --device" : nil
  }

  /// Where a record was not found, as half a sentence.
  var extent: String {
    if let countOfAll { return "not among \(StoryText.count(countOfAll, "record")) in \(place)" }
    let records = StoryText.count(counts.values.reduce(0, +), "record")
    return "not among \(records) of \(StoryText.count(counts.count + absent.count, "device")) in \(place)"
  }
}
