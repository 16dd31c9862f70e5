import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Scenario
import Synchronization
import Threads

/// Devices with long names.
extension ClauseRun {
  private static let lengthOfNames = 64

  /// Returns two phones whose long names differ in the last letter; fewer where such names get no tokens, and none
  /// where names have another form.
  func phonesWithLongNames() throws -> [ConformancePhone] {
    guard target.dialect.devices.names == .text else { return [] }
    let base = try phone(signsIn: false).name + "-"
    let middle = String(repeating: "n", count: max(0, ClauseRun.lengthOfNames - 1 - base.utf8.count))
    return try ["1", "2"].compactMap { last in
      let name = base + middle + last
      guard facts.needsTokens else { return try phone(exactly: name) }
      guard let answer = JSONValue(answerOf: try signInAnswer(name)),
        let tokens = DeviceTokens(FoundTokens(searching: answer))
      else { return nil }
      return try phone(exactly: name, tokens: tokens)
    }
  }
}

/// Checks of many devices.
extension ClauseRun {
  /// Requires that the records of each phone are stored once. If there is no time to query all, the clause is judged only partly.
  func expectOnce(ofEach sent: [(phone: ConformancePhone, records: [SentRecord])], among: String) throws {
    let sent = sent.filter { !$0.records.isEmpty }
    let end = now + settings.timeForDevices
    let complete = try complete(sent.map { ($0.phone.name, $0.records.map(\.uuid)) }, until: end)
    for (index, listed) in complete.sorted(by: { $0.key < $1.key }) {
      try expectAsSent(sent[index].records, in: FoundRecords(listing: listed), among: among)
    }
    var count = complete.count
    for index in ClauseRun.spread(sent.count) where complete[index] == nil {
      if count > 0, now >= end {
        throw ClauseStop.partly(
          "the store takes so long that it was asked for \(count) of \(sent.count) devices, whose records are there")
      }
      try expectOnce(sent[index].records, of: sent[index].phone.name, among: among)
      count += 1
    }
  }

  /// Returns the lists of the devices whose records are all there, once, at a first look; several are queried in parallel.
  func complete(
    _ wanted: [(device: String, uuids: [UUID128])], until end: MonotonicInstant
  ) throws -> [Int: [StoredRecord]] {
    guard let store = target.store else { return [:] }
    let unsettled = unsettledTime
    if unsettled > .zero { pause(Int(unsettled.wholeMilliseconds) + 1) }
    try keepTime()
    if store.isOfAllDevices { return completeOfAll(wanted, store) }
    let (order, clock) = (ClauseRun.spread(wanted.count), SystemClock())
    let next = Atomic(0)
    let found = Mutex<[Int: [StoredRecord]]>([:])
    let look: @Sendable () -> Void = {
      while clock.monotonicNow < end {
        let place = next.add(1, ordering: .relaxed).oldValue
        guard place < order.count else { return }
        let (device, uuids) = wanted[order[place]]
        // After an error the device is queried again, as for missing records.
        do throws(StoreViewError) {
          let listed = try store.records(of: device)
          if listed.haveOnce(uuids) { found.withLock { $0[order[place]] = listed } }
        } catch { continue }
      }
    }
    let threads = (0..<min(settings.parallelCount, wanted.count)).map { NamedThread.started("store-\($0)", look) }
    for thread in threads { thread.join() }
    return found.withLock { $0 }
  }

  /// Checks all devices with one reading.
  private func completeOfAll(
    _ wanted: [(device: String, uuids: [UUID128])], _ store: any StoreView
  ) -> [Int: [StoredRecord]] {
    var listed: [String: [StoredRecord]] = [:]
    do throws(StoreViewError) {
      try store.read("") { entry in
        if let device = entry.device { listed[device, default: []].append(entry) }
      }
    } catch { return [:] }
    return wanted.enumerated().reduce(into: [:]) { lists, each in
      if let list = listed[each.element.device], list.haveOnce(each.element.uuids) { lists[each.offset] = list }
    }
  }

  /// Returns all indices, distant ones first, so that those reached in time are not all at the beginning.
  static func spread(_ count: Int) -> [Int] {
    var (indices, step) = ([Int](), max(1, count / 4))
    var isTaken = [Bool](repeating: false, count: count)
    while indices.count < count {
      for index in stride(from: 0, to: count, by: step) where !isTaken[index] {
        isTaken[index] = true
        indices.append(index)
      }
      step = max(1, step / 2)
    }
    return indices
  }
}

extension [StoredRecord] {
  func haveOnce(_ uuids: [UUID128]) -> Bool {
    let counts = reduce(into: [UUID128: Int]()) { counts, entry in
      if let uuid = entry.uuid { counts[uuid, default: 0] += 1 }
    }
    return uuids.allSatisfy { counts[$0] == 1 }
  }
}

/// Records that are missing under their own device.
extension ClauseRun {
  /// Returns the device under which a missing record is listed, from the list of all devices or a query without a device, or from
  /// those of names that are cut. A store that rejects such a query is ignored.
  func otherPlace(of record: SentRecord, sentBy device: String) -> String? {
    if let owner = owners(of: [record.uuid])[record.uuid] {
      return owner.map { "under '\($0)'" } ?? "under another device"
    }
    for length in ClauseRun.lengthsOfColumns where length < device.utf8.count {
      let part = String(decoding: device.utf8.prefix(length), as: UTF8.self)
      do throws(StoreViewError) {
        guard try target.store?.records(of: part).contains(where: { $0.uuid == record.uuid }) ?? false else { continue }
        return "under '\(part)', the first \(length) bytes of its name"
      } catch { continue }
    }
    return nil
  }

  private static let lengthsOfColumns = [8, 16, 20, 24, 25, 30, 32, 36, 40, 48, 50, 60, 63]

  /// Returns the owners of these records by one query for all devices; nil as the owner where the store does not name it.
  private func owners(of wanted: Set<UUID128>) -> [UUID128: String?] {
    var owners: [UUID128: String?] = [:]
    do throws(StoreViewError) {
      try target.store?.read("") { entry in
        guard let uuid = entry.uuid, wanted.contains(uuid), owners[uuid] == nil else { return }
        let name = entry.device ?? (entry.value("device") ?? entry.value("device_id"))?.string
        owners[uuid] = .some(name)
      }
    } catch { return [:] }
    return owners
  }

  /// Returns the other devices of the run under which records are listed, as far as time permits.
  private func places(of records: [SentRecord], missedBy device: String) -> [UUID128: String] {
    guard let store = target.store, facts.timeForSearches > .zero else { return [:] }
    let wanted = Set(records.map(\.uuid))
    let begin = now
    let end = begin + min(facts.timeForSearches, .seconds(3))
    defer { facts.noteSearch(of: now - begin) }
    if store.isOfAllDevices { return owners(of: wanted).compactMapValues { $0 }.filter { $0.value != device } }
    var places: [UUID128: String] = [:]
    var asked: Set<String> = [device]
    for other in facts.devices where asked.insert(other).inserted {
      guard now < end, !isOutOfTime, places.count < wanted.count else { break }
      do throws(StoreViewError) {
        for entry in try store.records(of: other) {
          guard let uuid = entry.uuid, wanted.contains(uuid) else { continue }
          places[uuid] = other
        }
      } catch { continue }
    }
    return places
  }

  /// Requires that no missing record is stored under another device, which would be misattribution and not loss.
  func expectNotElsewhere(
    _ look: FoundRecords, among records: [SentRecord], of device: String, _ which: String = ""
  ) throws {
    let places = places(of: look.missing, missedBy: device)
    guard let found = look.missing.first(where: { places[$0.uuid] != nil }), let other = places[found.uuid] else {
      return
    }
    showRequest(of: found)
    let isAll = places.count == look.missing.count
    let count = isAll ? "" : ", \(places.count) of them"
    throw fail(
      records.count == 1
        ? "the record\(which) is stored under another device, '\(other)'"
        : "\(look.missing.count) of \(records.count) records\(which) are not stored under their device\(count), but under another, as '\(other)': \(look.placesOfMissing(among: records))",
      harm: isAll ? .wrong : .lose, stored: "\(found.uuid.upperCaseText) of '\(device)' stands under '\(other)'",
      sign: .elsewhere)
  }
}
