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
    let requests = try readRequests(of: uuid, device: device)
    var place = backend
    if place == nil, let journal { place = try journal.store() }
    // For a uuid, the first --device is assumed to be its device, unless the requests show it.
    let presumed = uuid == nil ? nil : others.first
    guard let store = place else {
      return RecordJoin(logs: logs, requests: requests, store: nil, device: device, presumed: presumed)
    }
    var book = StoreBook(
      store.place, of: uuid, askedAt: SystemClock().wallNow, readDelay: backend == nil ? .zero : readDelay)
    // Records that a server has quarantined are not in a store that it forwards to.
    try (own ?? journal)?.quarantined { book.takeQuarantined($0, $1) }
    // Before the lists: what comes meanwhile is in these.
    if let own { book.accounts = try own.devices() }
    let search = StoreSearch(
      store, journal: journal, named: others, logs: logs, requests: requests, book: book, of: uuid, device: device,
      presumed: presumed)
    return try search.run()
  }

  private func readRequests(of uuid: UUID128?, device: String?) throws(SourceError) -> RequestBook? {
    guard let journal else { return nil }
    var book = RequestBook(of: uuid, since: try journal.begin())
    book.otherRuns = try journal.requests(of: device, with: uuid) { book.take($0) }
    if device != nil { try journal.requestsOfNoDevice { book.take(unowned: $0) } }
    book.leaveOutOthers()
    book.undelivered = try journal.undelivered(of: device, with: uuid)
    return book
  }
}
