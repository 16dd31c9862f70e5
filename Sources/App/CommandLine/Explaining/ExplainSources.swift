import BackendStore
import Base
import Conformance
import Explain
import Scenario

/// What lies between phone and store and has noted the requests, and may know what is stored. The journal of a server is
/// one; what a proxy notes would be another.
protocol RequestJournal {
  /// The requests of one device, or all, in their order; with a uuid only those that may hold it.
  func requests(of device: String?, with uuid: UUID128?, _ take: (SeenRequest) -> Void) throws(SourceFailure)
  /// Every device that has stored something there.
  func devices() throws(SourceFailure) -> [String]
  /// Records that were acknowledged and put aside, with the reasons.
  func putAside(_ take: (UUID128, Evidence) -> Void) throws(SourceFailure)
  /// Nil where nothing is stored.
  func store() throws(SourceFailure) -> (any StoreView)?
}

/// The sources that the flags name, beside logs.
struct ExplainSources {
  private let journal: (any RequestJournal)?
  /// Of the dialect; nil: that of the journal.
  private let backend: (any StoreView)?
  private let others: [String]

  /// A store with more devices is not searched for a record that is missing.
  private static let devicesMax = 2_000

  init(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) {
    others = values.texts("device")
    if let place = values.text("journal") {
      if place.hasPrefix("http://") || place.hasPrefix("https://") {
        journal = ServerJournal(place, adminToken: values.text("admin-token"))
      } else {
        journal = FolderJournal(folder: place, run: values.text("run") ?? "")
      }
    } else {
      journal = nil
    }
    let dialect = try ConformCommand.dialect(values, process)
    backend = ConformanceTarget(values.text("target") ?? "", dialect, adminToken: values.text("admin-token")).store
    if backend == nil, values.text("dialect") != nil {
      throw UsageError("--dialect says nothing of how the store is read: give it 'verify'")
    }
  }

  var canAnswer: Bool { journal != nil || backend != nil }

  /// Asks the journal, and then the store about what it should have.
  func join(_ logs: [LogStory], of uuid: UUID128?, device: String?) throws(SourceFailure) -> RecordJoin {
    var requests: RequestBook?
    if let journal {
      var book = RequestBook(of: uuid)
      try journal.requests(of: device, with: uuid) { book.take($0) }
      requests = book
    }
    let owner = device ?? others.first
    var place = backend
    if place == nil, let journal { place = try journal.store() }
    guard let store = place else {
      return RecordJoin(logs: logs, requests: requests, store: nil, device: owner)
    }
    var book = StoreBook(store.place, of: uuid)
    let first = [owner].compactMap { $0 } + (owner == nil ? requests?.devices.sorted() ?? [] : [])
    for name in first { book.take(try records(of: name, in: store), under: name) }
    if backend == nil { try journal?.putAside { book.putAside($0, $1) } }
    let join = RecordJoin(logs: logs, requests: requests, store: book, device: owner)
    let missing = join.missing
    guard !missing.isEmpty || uuid != nil && join.isNowhere(uuid) else { return join }
    let sought = missing.union([uuid].compactMap { $0 })
    for name in try candidates(beside: first, requests) {
      book.take(try records(of: name, in: store), under: name, keeping: sought)
    }
    return RecordJoin(logs: logs, requests: requests, store: book, device: owner)
  }

  private func records(of device: String, in store: any StoreView) throws(SourceFailure) -> [StoredRecord] {
    do throws(StoreProblem) { return try store.records(of: device) } catch {
      throw SourceFailure(message: "the store could not be read: \(error.text)")
    }
  }

  /// Under which a record may lie by mistake.
  private func candidates(beside first: [String], _ requests: RequestBook?) throws(SourceFailure) -> [String] {
    var names = Set(others).union(requests?.devices ?? [])
    if let journal { names.formUnion(try journal.devices()) }
    return Array(names.subtracting(first).sorted().prefix(ExplainSources.devicesMax))
  }
}
