import Base
import Database
package import Scenario
import Sinks

/// What can say which records a backend has stored.
package protocol StoreView: Sendable {
  /// Whence, for people.
  var place: String { get }
  /// One reading tells of all devices, each record with its own.
  var isOfAllDevices: Bool { get }
  /// The records of a device come in the order in which they were stored.
  var isInArrivalOrder: Bool { get }
  /// Calls `take` with each record of a device, repeated ones too, in the order of the store; where one reading tells of all
  /// devices, with the records of all.
  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError)
  /// For many devices, one after the other: what takes long to open is opened once.
  func session() throws(StoreViewError) -> any StoreSession
  /// Why the last list of a device may have more pages than were read, as half a sentence; nil where it was read to its end.
  func unreadPages(of device: String) -> String?
  /// The last list of a device was read to the end that it names itself.
  func isReadToItsEnd(_ device: String) -> Bool
  /// Whether it is there, as far as that costs next to nothing: before a run, as what is misspelt would be found out after it.
  func check() throws(StoreViewError)
}

/// Reads a store as its view does.
package protocol StoreSession: AnyObject {
  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError)
  /// How many messages of the last reading were there once more, with the id of another: these are left out.
  var repetitions: Int { get }
}

extension StoreSession {
  package var repetitions: Int { 0 }
}

extension StoreView {
  package var isOfAllDevices: Bool { false }
  package var isInArrivalOrder: Bool { false }

  package func session() throws(StoreViewError) -> any StoreSession { ViewSession(self) }
  package func check() throws(StoreViewError) { _ = try session() }
  package func unreadPages(of device: String) -> String? { nil }
  package func isReadToItsEnd(_ device: String) -> Bool { false }

  /// The records of one device, repeated ones too, in the order of the store. Entries that do not say which records they are
  /// are a problem, unless they may have no uuid.
  package func records(of device: String, mayBeNameless: Bool = false) throws(StoreViewError) -> [StoredRecord] {
    var result: [StoredRecord] = []
    var count = EntryCount()
    try read(device) { record in
      let owner = isOfAllDevices ? record.device : device
      count.take(record, isOwned: owner != nil)
      if owner == device { result.append(record) }
    }
    if !mayBeNameless, let problem = count.namelessness(place) { throw problem }
    if let problem = count.ownerlessness(place) { throw problem }
    return result
  }
}

/// How many entries of a store say which records they are, and whose: those that do not tell of no loss.
package struct EntryCount {
  private var (entries, named, owned) = (0, 0, 0)
  private var first: StoredRecord?
  /// What was taken for an entry is what stands around the entries, and its uuid is its own.
  private var isAroundRecords = false

  package init() {}

  package mutating func take(_ record: StoredRecord, isOwned: Bool) {
    if entries == 0 { (first, isAroundRecords) = (record, record.isAroundRecords) }
    entries += 1
    if record.uuid != nil { named += 1 }
    if isOwned { owned += 1 }
  }

  /// There are entries, and none says which record it is: they have no uuid, or one that is not a record's.
  package func namelessness(_ place: String) -> StoreViewError? {
    entries > 0 && (named == 0 || isAroundRecords) ? .nameless(place, first) : nil
  }

  /// There are entries, and none says whose it is.
  package func ownerlessness(_ place: String) -> StoreViewError? {
    entries > 0 && owned == 0 ? .ownerless(place) : nil
  }
}

extension StoredRecord {
  /// An upload as it came, for one: it has an `id` and a list of records, and no place of its own.
  fileprivate var isAroundRecords: Bool {
    entry["uuid"] == nil && value("coords.latitude") == nil && entry.pathOfRecords != nil
  }
}

extension StoredValue {
  /// Where the records stand in what was taken for one: the first list in it whose elements have a uuid.
  fileprivate var pathOfRecords: String? { path(of: "$", depth: 0) }

  private static let depthMax = 4

  private func path(of place: String, depth: Int) -> String? {
    guard case .object(let members) = self, depth < StoredValue.depthMax else { return nil }
    for (name, value) in members {
      let inner = place + JSONStep.member(name).text
      if case .list(let elements) = value, let element = elements.first {
        let isNamed = element.uuid != nil || StoredRecord(element, fields: []).uuid != nil
        if isNamed { return "\(inner)[*]" }
      }
      if let found = value.path(of: inner, depth: depth + 1) { return found }
    }
    return nil
  }
}

/// Of a store with nothing to keep open.
private final class ViewSession: StoreSession {
  private let view: any StoreView

  init(_ view: any StoreView) { self.view = view }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) { try view.read(device, take) }
}

/// Why a store could not be read, as half a sentence.
package struct StoreViewError: Error, Equatable {
  package let text: String
  /// There is no list of the device, which may mean that it has no records.
  package var isAbsence = false
  /// It was read, and does not say which records are there.
  package var isNameless = false

  package init(text: String, isAbsence: Bool = false) { (self.text, self.isAbsence) = (text, isAbsence) }

  /// A store of all devices in which no entry has a device.
  package static func ownerless(_ place: String) -> StoreViewError {
    StoreViewError(
      text: "\(place): no entry names its device; add a column 'device', or give the path of 'device' in verify.fields"
    )
  }

  /// A store whose entries have the uuid that is looked for where another one was taken for theirs; `named` is where it was said
  /// to be.
  package static func misnamed(_ place: String, path: String, named: String? = nil) -> StoreViewError {
    let words =
      named.map { "a record's uuid stands at \(path): verify.fields has 'uuid' at \($0)" }
      ?? "a record's uuid stands at \(path): name it as 'uuid' in verify.fields"
    var problem = StoreViewError(text: "\(place): \(words)")
    problem.isNameless = true
    return problem
  }

  /// A store whose entries do not say which records they are; with what leads to the records in them, where that is seen.
  fileprivate static func nameless(_ place: String, _ first: StoredRecord?) -> StoreViewError {
    let remedy = first?.entry.pathOfRecords.map { path in
      "verify.records of a dialect, target.verify.uuids of a scenario: \"\(path)\", as it seems"
    }
    var words =
      "no entry has a uuid; name where the entries stand, or the place of 'uuid' in verify.fields, or either with --uuids"
    if let first, let named = first.namedPlace(of: "uuid") {
      words = "no entry has a uuid at \(named), where verify.fields has 'uuid': the entries have \(first.pathsShown)"
    }
    var problem = StoreViewError(text: "\(place): \(words)" + (remedy.map { " (\($0))" } ?? ""))
    problem.isNameless = true
    return problem
  }
}

extension StorePlace {
  package static func isStream(_ url: String) -> Bool { StreamURL.isOne(url) }

  /// Of a stream, with their ports; one of them is enough.
  package var streamHosts: [String] {
    guard let stream else { return [] }
    do throws(StreamURL.Problem) { return try StreamURL(stream, hasExtras: true).hosts } catch { return [] }
  }

  /// What is wrong with what is named, as a sentence; nil when nothing is.
  package var problem: String? {
    stream.flatMap { StreamStore.problem($0) }.map { "stream: \($0)" }
  }

  /// Nil when nothing is named. `fields` say where those of a record stand in an entry.
  package func view(fields: [Named<String>]) -> (any StoreView)? {
    let fields = fields.map { Named(name: $0.name, value: JSONStep.steps(of: $0.value)) }
    if let database, let query {
      return PostgresURI(database) == nil
        ? DatabaseStore(path: database, query: query, fields: fields)
        : PostgresView(uri: database, query: query, fields: fields)
    }
    if let command { return PrintedStore(command: command, fields: fields) }
    if let file { return FileStore(path: file, fields: fields) }
    if let stream { return StreamStore(url: stream, fields: fields) }
    return nil
  }
}

extension String {
  /// With a value in the place of `{name}`.
  package func filling(_ name: String, _ value: String) -> String {
    replacing("{\(name)}", with: value)
  }
}
