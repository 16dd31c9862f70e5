import BackendStore
import Base
import Explain

/// The search of a store for the records that logs and requests name. What it finds may lead to requests of other devices, and
/// these to further lists.
final class StoreSearch {
  private let store: any StoreView
  private let journal: (any RequestJournal)?
  /// The devices that the user has named, beside the one in question.
  private let named: [String]
  private let logs: [LogStory]
  /// The record in question; nil: all of the device.
  private let uuid: UUID128?
  private let device: String?
  /// The device of the record, if the requests do not name one.
  private let presumed: String?
  private var requests: RequestBook?
  private var book: StoreBook
  /// The records of the logs and of the requests that were read first, and the one in question.
  private var known: Set<UUID128> = []
  /// The records that the store should have.
  private var acknowledged: Set<UUID128> = []

  /// The maximum number of other devices in which to search for a record.
  private static let devicesMax = 2_000
  /// The maximum number of other devices whose requests are read.
  private static let sendersMax = 50

  init(
    _ store: any StoreView, journal: (any RequestJournal)?, named: [String], logs: [LogStory],
    requests: RequestBook?, book: StoreBook, of uuid: UUID128?, device: String?, presumed: String?
  ) {
    (self.store, self.journal, self.named, self.logs) = (store, journal, named, logs)
    (self.requests, self.book, self.uuid, self.device) = (requests, book, uuid, device)
    self.presumed = presumed
    let first = join
    known = first.known.union([uuid].compactMap { $0 })
    acknowledged = first.acknowledged
  }

  private var join: RecordJoin {
    RecordJoin(logs: logs, requests: requests, store: book, device: device, presumed: presumed)
  }

  /// Whether the store is that of a Rolling Road server, which lists records under the device that has sent them.
  private var isOwn: Bool { book.accounts != nil }

  func run() throws(SourceError) -> RecordJoin { store.isOfAllDevices ? try readWhole() : try readLists() }

  private func readWhole() throws(SourceError) -> RecordJoin {
    try readAll()
    try lookAgain(of: device)
    try readOtherSenders()
    try readSenders()
    try lookForCopies()
    return join
  }

  private func readLists() throws(SourceError) -> RecordJoin {
    if let device { try read(device) }
    let named = Set(named).subtracting([device].compactMap { $0 })
    for name in named.sorted() { try read(name, keeping: known) }
    let rest = try candidates().subtracting(named).subtracting([device].compactMap { $0 }).sorted()
    // Reading all devices takes long: for a device it is done only if records are missing.
    let isWhole = uuid == nil && book.missing(of: acknowledged).isEmpty
    if !isWhole {
      for name in rest.prefix(StoreSearch.devicesMax) { try read(name, keeping: known) }
      book.skippedCount = max(0, rest.count - StoreSearch.devicesMax)
    }
    if hasListsOfAll() { book.takeAsListsOfAll() }
    try readSenders()
    try lookForCopies()
    let owner = device ?? uuid.flatMap { join.story(of: $0).device }
    if let owner { try lookAgain(of: owner) }
    try readOtherSenders()
    var result = join
    if isWhole { result.unaskedCount = rest.count }
    return result
  }

  /// Whether lists that were asked for one device each are those of all devices: two of them have the same entry, or entries name
  /// no device, and one that does not exist has them too.
  private func hasListsOfAll() -> Bool {
    if let uuid = book.listedAlike { return store.listsWithoutDevice([uuid]) }
    guard !isOwn, let unnamed = book.listedUnnamed(among: known) else { return false }
    return store.listsWithoutDevice([unnamed.uuid], among: unnamed.count)
  }

  /// Finds the senders of records that are in the list of the device and that it has not sent.
  private func readSenders() throws(SourceError) {
    let unsent = join.unsent
    guard !isOwn, let journal, requests != nil, !unsent.isEmpty else { return }
    _ = try journal.requests(of: nil, with: nil) { if $0.device != device { requests?.take($0, only: unsent) } }
  }

  /// Reads whether records that other devices have sent are stored under these, too.
  private func lookForCopies() throws(SourceError) {
    let foreign = join.foreign
    guard let first = foreign.keys.min() else { return }
    if store.isOfAllDevices {
      do throws(StoreViewError) {
        try store.read(device ?? "") { record in
          guard let uuid = record.uuid, foreign[uuid] != nil, let owner = record.device, owner != device else { return }
          book.take(further: record, of: owner)
        }
      } catch { throw SourceError(unread: error) }
      return
    }
    if store.listsWithoutDevice([first]) { return book.takeAsListsOfAll() }
    let senders = foreign.values.reduce(into: Set<String>()) { $0.formUnion($1) }.filter { book.counts[$0] == nil }
    for sender in senders.sorted().prefix(StoreSearch.sendersMax) { try read(sender, keeping: Set(foreign.keys)) }
  }

  /// Reads the store again for acknowledged records that it lacks, as they may stand there under another name, or that a list has
  /// twice.
  private func lookAgain(of device: String?) throws(SourceError) {
    let missing = book.missing(of: acknowledged)
    let isOfAll = store.isOfAllDevices
    let listed = isOfAll ? nil : device
    let repeated = listed.map(book.repeated) ?? []
    guard !missing.isEmpty && !book.isSilent || !repeated.isEmpty else { return }
    var counts: [UUID128: Int] = [:]
    do throws(StoreViewError) {
      let end = try store.read(device ?? "") { record in
        if let uuid = record.uuid, repeated.contains(uuid) { counts[uuid, default: 0] += 1 }
        book.look(for: missing, in: record, of: isOfAll ? record.device : device)
      }
      if let listed { book.takeAgain(counts, under: listed) }
      if let line = end.torn { book.takeTorn(line, for: missing) }
    } catch {
      // It was read before.
      guard error.isAbsence || error.isNameless else { throw SourceError(unread: error) }
    }
  }

  /// Reads the requests of the devices under which records are stored instead: the phone may have been renamed.
  private func readOtherSenders() throws(SourceError) {
    let misfiled = join.misfiled
    guard let journal, requests != nil, !misfiled.isEmpty else { return }
    let devices = misfiled.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    let uuids = Set(misfiled.keys)
    for device in devices.sorted().prefix(StoreSearch.sendersMax) {
      _ = try journal.requests(of: device, with: nil) { requests?.take($0, only: uuids) }
    }
  }

  private func read(_ device: String, keeping kept: Set<UUID128>? = nil) throws(SourceError) {
    do throws(StoreViewError) {
      let list = try store.list(of: device)
      book.take(list.records, under: device, keeping: kept)
      book.take(list.end, of: device)
      if let reason = list.end.unread {
        book.takeUnread("\(reason): say where the next one is with verify.next of a dialect")
      }
    } catch {
      if error.isNameless { return book.takeNamelessness(error.text) }
      guard error.isAbsence else { throw SourceError(unread: error) }
      book.takeAbsence(of: device, error.text)
    }
  }

  /// Reads the records of all devices at once.
  private func readAll() throws(SourceError) {
    var count = EntryCount()
    do throws(StoreViewError) {
      try store.read(device ?? "") { record in
        count.take(record, isOwned: record.device != nil)
        book.take(ofAll: record, device: device, keeping: known)
      }
      book.tookAll()
      if let problem = count.namelessness(store.place) { throw problem }
      if device != nil, let problem = count.missingDeviceProblem(store.place) { throw problem }
    } catch {
      guard error.isNameless else { throw SourceError(unread: error) }
      book.takeNamelessness(error.text)
    }
  }

  /// Returns the devices under which a record may be stored by mistake, or twice.
  private func candidates() throws(SourceError) -> Set<String> {
    let listed = if let accounts = book.accounts { accounts } else { try journal?.devices() ?? [:] }
    return (requests?.devices ?? []).union(listed.keys)
  }
}
