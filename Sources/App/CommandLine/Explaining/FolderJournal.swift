import BackendStore
import Base
import Contract
import Explain
import Gzip
import Store

/// The data folder of a server, which may be running.
struct FolderJournal: RequestJournal {
  let folder: String
  let run: String

  private static let page = 500

  /// The folder of a proxy contains a ledger of what the backend has acknowledged, but no store.
  func store() throws(SourceError) -> (any StoreView)? {
    do throws(StoreError) {
      let ledger = try Journal(reading: folder).sentRecords(matching: LedgerFilter(), after: nil, limit: 1)
      return ledger.elements.isEmpty ? FolderStore(folder: folder, run: run) : nil
    } catch { throw SourceError(message: error.message) }
  }

  func begin() throws(SourceError) -> WallInstant? {
    do throws(StoreError) {
      // Gives the best error message for a foreign folder.
      _ = try SQLiteReader(folder: folder)
      let first = try Journal(reading: folder).requests(matching: JournalFilter(run: run), after: 0, limit: 1)
      return first.elements.first.flatMap { WallInstant(exactly: $0.entry.receivedAt) }
    } catch { throw SourceError(message: error.message) }
  }

  func requests(
    of device: String?, with uuid: UUID128?, _ take: (SeenRequest) -> Void
  ) throws(SourceError) -> [String] {
    var others: Set<String> = []
    try forEachRequest(matching: JournalFilter(device: device)) { request in
      // Bodies without new information are not decompressed.
      guard !others.contains(request.entry.run), let seen = seen(request) else { return }
      if request.entry.run.isExactly(run) {
        take(seen)
      } else if uuid.map(SeenRequest.uuids(in: seen.body).contains) ?? true {
        others.insert(request.entry.run)
      }
    }
    return others.sorted().map { $0 == "" ? "without --run" : "--run \($0)" }
  }

  func requestsOfNoDevice(_ take: (SeenRequest) -> Void) throws(SourceError) {
    var filter = JournalFilter(run: run)
    filter.condition = { $0.device == nil }
    try forEachRequest(matching: filter) { request in if let seen = seen(request) { take(seen) } }
  }

  private func forEachRequest(
    matching filter: JournalFilter, _ take: (JournaledRequest) -> Void
  ) throws(SourceError) {
    do throws(StoreError) {
      let journal = try Journal(reading: folder)
      var next: Int64? = 0
      while let after = next {
        let page = try journal.requests(matching: filter, after: after, limit: FolderJournal.page)
        for request in page.elements { take(request) }
        next = page.next
      }
    } catch { throw SourceError(message: error.message) }
  }

  func undelivered(of device: String?, with uuid: UUID128?) throws(SourceError) -> Set<UUID128> {
    var uuids: Set<UUID128> = []
    do throws(StoreError) {
      let journal = try Journal(reading: folder)
      var filter = LedgerFilter()
      (filter.run, filter.device, filter.uuid, filter.state) = (run, device, uuid, .undelivered)
      var cursor: LedgerRecordCursor?
      repeat {
        let page = try journal.sentRecords(matching: filter, after: cursor, limit: FolderJournal.page)
        uuids.formUnion(page.elements.map(\.uuid))
        cursor = page.next
      } while cursor != nil
    } catch { throw SourceError(message: error.message) }
    return uuids
  }

  private func seen(_ request: JournaledRequest) -> SeenRequest? {
    let entry = request.entry
    guard let time = WallInstant(exactly: entry.receivedAt) else { return nil }
    let body = FolderJournal.isEncoded(entry.head) ? [] : FolderJournal.unpacked(entry.body)
    return SeenRequest(
      place: "journal #\(request.sequence)", time: time, device: entry.device, method: entry.method, path: entry.path,
      status: entry.status, fault: entry.fault.map(SeenRequest.Fault.init(named:)), body: body,
      isCut: !entry.body.isEmpty && (!entry.isBodyWhole || body.isEmpty),
      answer: entry.answer)
  }

  /// Whether the body has a coding other than gzip, such as br.
  private static func isEncoded(_ head: [UInt8]) -> Bool {
    let lines = String(decoding: head, as: UTF8.self).lowercased().split(whereSeparator: \.isNewline)
    return lines.contains { line in
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
      guard parts.count == 2, parts[0] == "\(HeaderName.contentEncoding)".lowercased() else { return false }
      return ContentCoding(parts[1]) == .other
    }
  }

  /// Returns an empty body if it cannot be decompressed.
  private static func unpacked(_ body: [UInt8]) -> [UInt8] {
    guard GzipFile.isPacked(body) else { return body }
    do throws(GzipError) { return try GzipFile.unpack(body, limit: unpackedBytesMax) } catch { return [] }
  }

  private static let unpackedBytesMax = 10_485_760

  func devices() throws(SourceError) -> [String: StoreAccount] {
    do throws(StoreError) {
      let reader = try SQLiteReader(folder: folder)
      var accounts: [String: StoreAccount] = [:]
      var next: Int64?
      repeat {
        let page = try reader.devices(run: run, after: next, limit: FolderJournal.page)
        for device in page.elements {
          accounts[device.identity.name] = StoreAccount(
            taken: Int(device.points), since: WallInstant(exactly: device.firstSeen))
        }
        next = page.next
      } while next != nil
      return accounts
    } catch { throw SourceError(message: error.message) }
  }

  func quarantined(_ take: (UUID128, Evidence) -> Void) throws(SourceError) {
    do throws(StoreError) {
      let reader = try SQLiteReader(folder: folder)
      var next: Int64? = .max
      while let before = next {
        let page = try reader.quarantine(before: before, limit: FolderJournal.page)
        for record in page.elements where record.device.run.isExactly(run) {
          let words = record.detail.isEmpty ? record.reason : "\(record.reason): \(record.detail)"
          for uuid in SeenRequest.uuids(in: record.record) {
            let time = WallInstant(exactly: record.receivedAt)
            take(uuid, Evidence(words, place: "quarantine \(record.id)", time: time))
          }
        }
        next = page.next
      }
    } catch { throw SourceError(message: error.message) }
  }
}

/// The records stored in a server's folder.
struct FolderStore: StoreView {
  let folder: String
  let run: String

  private static let page = 2_000

  var place: String { folder }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    do throws(StoreError) {
      let reader = try SQLiteReader(folder: folder)
      var cursor: PointCursor?
      repeat {
        let page = try reader.history(
          of: DeviceIdentity(run: run, name: device), after: cursor, limit: FolderStore.page)
        for value in page.elements.compactMap({ StoredValue($0.record) }) { take(StoredRecord(value, fields: [])) }
        cursor = page.next
      } while cursor != nil
      return ListEnd()
    } catch { throw StoreViewError(text: error.message) }
  }
}
