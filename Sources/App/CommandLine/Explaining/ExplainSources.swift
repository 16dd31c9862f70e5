import BackendStore
import Base
import Conformance
import CurlTransport
import Database
import Explain
import IngestServer
import Scenario

/// A record of the requests between phone and store; it may also know what is stored. The journal of a server is
/// one; what a proxy notes would be another.
protocol RequestJournal {
  /// Passes the requests of one device, or all, in order; with a uuid only those that may contain it. Only requests of
  /// one run are passed; returns the arguments that select the other runs with such requests.
  func requests(
    of device: String?, with uuid: UUID128?, _ take: (SeenRequest) -> Void
  ) throws(SourceError) -> [String]
  /// Passes the requests that name no device.
  func requestsOfNoDevice(_ take: (SeenRequest) -> Void) throws(SourceError)
  /// Returns the records acknowledged by an answer that did not reach their phone, as a proxy records them.
  func undelivered(of device: String?, with uuid: UUID128?) throws(SourceError) -> Set<UUID128>
  /// Returns the time of the oldest request of any device; nil when there is none.
  func begin() throws(SourceError) -> WallInstant?
  /// Returns every known device; none where devices are not listed.
  func devices() throws(SourceError) -> [String: StoreAccount]
  /// Passes the records that were acknowledged and quarantined, with the reasons.
  func quarantined(_ take: (UUID128, Evidence) -> Void) throws(SourceError)
  /// Nil where nothing is stored, and where only records acknowledged by another server are listed, as by a proxy.
  func store() throws(SourceError) -> (any StoreView)?
}

extension SeenRequest.Fault {
  /// The fault by its `kind` in a journal.
  init(named kind: String) {
    let known = ServerFault.Kind(rawValue: kind)
    self.init(kind: kind, withholdsRecords: known?.withholdsRecords ?? false, replacesStatus: known == .replace)
  }
}

/// The sources besides logs that the flags name.
struct ExplainSources {
  private let journal: (any RequestJournal)?
  /// The store of the dialect; nil: that of the journal.
  private let backend: (any StoreView)?
  /// The Rolling Road server that has the store, and tells what it has deleted; nil where the store is another.
  private let own: (any RequestJournal)?
  private let readDelay: Nanoseconds
  private let others: [String]

  /// The maximum number of other devices in which to search for a record.
  private static let devicesMax = 2_000
  /// The maximum number of other devices whose requests are read.
  private static let sendersMax = 50

  init(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) {
    others = values.texts("device")
    try SecurityFlags.check(values, process)
    let transport = TransportConfiguration(values)
    if let place = values.text("journal") {
      if URLParts(place).isHTTP {
        guard values.text("run") == nil else {
          throw UsageError("--run is for a data folder; of a server name the run in its URL: \(place)/r/NAME")
        }
        journal = ServerJournal(place, adminToken: values.text("admin-token"), over: transport)
      } else if PostgresURI(place) != nil {
        throw UsageError("--journal: a database has no journal; name the URL of a server on it")
      } else {
        journal = FolderJournal(folder: place, run: values.text("run") ?? "")
      }
    } else {
      journal = nil
    }
    let dialect = try ConformCommand.dialect(values, process)
    readDelay = dialect.verification.readDelay
    let target = ConformanceTarget(
      values.text("target") ?? "", dialect, adminToken: values.text("admin-token"), over: transport)
    backend = target.store
    own =
      backend == nil
      ? journal : target.ownStore.map { ServerJournal($0, adminToken: values.text("admin-token"), over: transport) }
    if backend == nil, values.text("dialect") != nil {
      throw UsageError("the dialect has no 'verify' section; add one to read the store")
    }
  }

  var canAnswer: Bool { journal != nil || backend != nil }

  /// Reads the journal, then the store for the records that it should have.
  func join(_ logs: [LogStory], of uuid: UUID128?, device: String?) throws(SourceError) -> RecordJoin {
    var requests: RequestBook?
    if let journal {
      var book = RequestBook(of: uuid, since: try journal.begin())
      book.otherRuns = try journal.requests(of: device, with: uuid) { book.take($0) }
      if device != nil { try journal.requestsOfNoDevice { book.take(unowned: $0) } }
      book.leaveOutOthers()
      book.undelivered = try journal.undelivered(of: device, with: uuid)
      requests = book
    }
    // For a uuid, the first --device is assumed to be its device, unless the requests show it.
    let presumed = uuid == nil ? nil : others.first
    func join(_ store: StoreBook?) -> RecordJoin {
      RecordJoin(logs: logs, requests: requests, store: store, device: device, presumed: presumed)
    }
    var place = backend
    if place == nil, let journal { place = try journal.store() }
    guard let store = place else { return join(nil) }
    var book = StoreBook(
      store.place, of: uuid, askedAt: SystemClock().wallNow, readDelay: backend == nil ? .zero : readDelay)
    // Records that a server has quarantined are not in a store that it forwards to.
    try (own ?? journal)?.quarantined { book.takeQuarantined($0, $1) }
    // Before the lists: what comes meanwhile is in these.
    if let own { book.accounts = try own.devices() }
    func follow() throws(SourceError) {
      try readSenders(of: join(book).unsent, than: device, into: &requests)
      try lookForCopies(of: join(book).foreign, in: store, than: device, into: &book)
    }
    let known = join(book).known.union([uuid].compactMap { $0 })
    let acknowledged = join(book).acknowledged
    if store.isOfAllDevices {
      try readAll(of: store, device: device, keeping: known, into: &book)
      try lookAgain(in: store, of: device, for: book.missing(of: acknowledged), into: &book)
      try readOtherSenders(of: join(book).misfiled, into: &requests)
      try follow()
      return join(book)
    }
    if let device { try read(device, in: store, into: &book) }
    let named = Set(others).subtracting([device].compactMap { $0 })
    for name in named.sorted() { try read(name, in: store, keeping: known, into: &book) }
    let rest = try candidates(requests, book.accounts).subtracting(named).subtracting([device].compactMap { $0 })
      .sorted()
    // Reading all devices takes long: for a device it is done only if records are missing.
    let isWhole = uuid == nil && book.missing(of: acknowledged).isEmpty
    if !isWhole {
      for name in rest.prefix(ExplainSources.devicesMax) { try read(name, in: store, keeping: known, into: &book) }
      book.skippedCount = max(0, rest.count - ExplainSources.devicesMax)
    }
    if isOfAll(store, book, known) { book.takeAsListsOfAll() }
    try follow()
    let owner = device ?? uuid.flatMap { join(book).story(of: $0).device }
    if let owner { try lookAgain(in: store, of: owner, for: book.missing(of: acknowledged), into: &book) }
    try readOtherSenders(of: join(book).misfiled, into: &requests)
    var result = join(book)
    if isWhole { result.unaskedCount = rest.count }
    return result
  }

  /// Whether lists that were asked for one device each are those of all devices: two of them have the same entry, or entries name
  /// no device, and one that does not exist has them too.
  private func isOfAll(_ store: any StoreView, _ book: StoreBook, _ known: Set<UUID128>) -> Bool {
    if let uuid = book.listedAlike { return store.listsWithoutDevice([uuid]) }
    guard own == nil, let unnamed = book.listedUnnamed(among: known) else { return false }
    return store.listsWithoutDevice([unnamed.uuid], among: unnamed.count)
  }

  /// Finds the senders of records that are in the list of a device and that it has not sent. A Rolling Road server lists records
  /// under the device that sent them.
  private func readSenders(
    of unsent: Set<UUID128>, than device: String?, into requests: inout RequestBook?
  ) throws(SourceError) {
    guard own == nil, let journal, requests != nil, !unsent.isEmpty else { return }
    _ = try journal.requests(of: nil, with: nil) { if $0.device != device { requests?.take($0, only: unsent) } }
  }

  /// Reads whether records that other devices have sent are stored under these, too.
  private func lookForCopies(
    of foreign: [UUID128: Set<String>], in store: any StoreView, than device: String?, into book: inout StoreBook
  ) throws(SourceError) {
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
    for sender in senders.sorted().prefix(ExplainSources.sendersMax) {
      try read(sender, in: store, keeping: Set(foreign.keys), into: &book)
    }
  }

  /// Reads the store again for records that it lacks, as they may stand there under another name, or that a list has twice.
  private func lookAgain(
    in store: any StoreView, of device: String?, for missing: Set<UUID128>, into book: inout StoreBook
  ) throws(SourceError) {
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
      guard error.isAbsence || error.isNameless else {
        throw SourceError(unread: error)
      }
    }
  }

  /// Reads the requests of the devices under which records are stored instead: the phone may have been renamed.
  private func readOtherSenders(
    of misfiled: [UUID128: Set<String>], into requests: inout RequestBook?
  ) throws(SourceError) {
    guard let journal, requests != nil, !misfiled.isEmpty else { return }
    let devices = misfiled.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    let uuids = Set(misfiled.keys)
    for device in devices.sorted().prefix(ExplainSources.sendersMax) {
      _ = try journal.requests(of: device, with: nil) { requests?.take($0, only: uuids) }
    }
  }

  private func read(
    _ device: String, in store: any StoreView, keeping kept: Set<UUID128>? = nil, into book: inout StoreBook
  ) throws(SourceError) {
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
  private func readAll(
    of store: any StoreView, device: String?, keeping kept: Set<UUID128>, into book: inout StoreBook
  ) throws(SourceError) {
    var count = EntryCount()
    do throws(StoreViewError) {
      try store.read(device ?? "") { record in
        count.take(record, isOwned: record.device != nil)
        book.take(ofAll: record, device: device, keeping: kept)
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
  private func candidates(
    _ requests: RequestBook?, _ known: [String: StoreAccount]?
  ) throws(SourceError) -> Set<String> {
    let listed = if let known { known } else { try journal?.devices() ?? [:] }
    return (requests?.devices ?? []).union(listed.keys)
  }
}
