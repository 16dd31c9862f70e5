package import Base
import Database
package import Scenario
import Sinks

/// Reads the records that a backend has stored, one list after the other.
package protocol StoreSession {
  /// Calls `take` with each record of a device, including duplicates, in the order of the store; with the records of all
  /// devices if one reading lists all.
  @discardableResult
  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd
}

/// A source of the records that a backend has stored.
package protocol RecordSource: StoreSession {
  /// The store, for messages.
  var place: String { get }
  /// Whether one reading lists all devices, each record with its own.
  var isOfAllDevices: Bool { get }
  /// Whether the records of a device are listed in the order in which they were stored.
  var isInArrivalOrder: Bool { get }
  /// Whether it is asked for what the store has quarantined.
  var showsQuarantine: Bool { get }
}

extension RecordSource {
  package var showsQuarantine: Bool { false }
}

/// A store that any thread can read.
package protocol StoreView: RecordSource, Sendable {
  /// Opens a session to read many devices one after the other.
  func session() throws(StoreViewError) -> any StoreSession
  /// A cheap check that the store exists, made before a run so that a typing error does not surface after it.
  func check() throws(StoreViewError)
  /// Returns a shell command that prints what the store has of a device; nil where no usual program does.
  func listCommand(for device: String) -> String?
}

/// How the reading of a list ended.
package struct ListEnd: Sendable {
  /// Why there may be more pages than were read, as half a sentence; nil without such signs.
  package var unread: String?
  /// Whether each page named the next one, and the last page none.
  package var isNamed = false
  /// Whether it was read over HTTP: then a server may have cut it without a sign.
  package var isPaged = false
  /// Whether it had further pages: then it was read up to the last.
  package var hasPages = false
  /// The number of messages that came again under another id; they are left out.
  package var repetitions = 0
  /// Why quarantined records may be unknown, as half a sentence: no answer so far had a list of them. Nil otherwise.
  package var unseenQuarantine: String?
  /// The records that the store lists as quarantined.
  package var quarantined: [UUID128] = []
  /// A last line of which only the beginning is there; nil without one.
  package var torn: TornLine?

  package init() {}

  /// As many entries as servers list at most.
  private static let limits: Set = [
    10, 20, 25, 50, 64, 100, 128, 200, 250, 256, 500, 512, 1_000, 1_024, 2_000, 5_000, 10_000,
  ]

  /// Reports whether a list of so many entries may be cut: it has as many as a usual limit, and nothing shows its end.
  package func mayBeCut(at count: Int) -> Bool { isPaged && !isNamed && ListEnd.limits.contains(count) }

  /// Reports whether lists of so many entries each may be cut: they have no pages, and no coincidence explains their length.
  package func mayBeCut(at count: Int, like others: Int) -> Bool {
    isPaged && !hasPages && count >= ListEnd.equalEntriesMin && others >= ListEnd.equalListsMin
  }

  private static let (equalEntriesMin, equalListsMin) = (10, 2)

  /// Returns why a record may be missing in such a list, as half a sentence.
  package static func doubt(of device: String, at count: Int) -> String {
    "the list of '\(device)' ends at \(count) entries, a usual limit, and does not say that it ends"
  }
}

/// The last line of a file that was cut, or that is being written: an entry that cannot be read.
package struct TornLine: Sendable {
  package let number: Int
  /// The uuids that it shows whole, in any field.
  package let uuids: Set<UUID128>
}

extension RecordSource {
  package var isOfAllDevices: Bool { false }
  package var isInArrivalOrder: Bool { false }

  /// Whether a device that does not exist has these records too, among so many entries if `count` is given: then the list is not
  /// asked for one device.
  package func listsWithoutDevice(_ uuids: Set<UUID128>, among count: Int? = nil) -> Bool {
    var (rest, entries) = (uuids, 0)
    // A device that does not exist may have no list.
    do throws(StoreViewError) {
      try read("no-device-of-the-store") { record in
        entries += 1
        if let uuid = record.uuid { rest.remove(uuid) }
      }
    } catch { return false }
    return rest.isEmpty && count.map { $0 == entries } ?? true
  }
}

extension StoreView {
  package func session() throws(StoreViewError) -> any StoreSession { self }
  package func check() throws(StoreViewError) { _ = try session() }
  package func listCommand(for device: String) -> String? { nil }

  /// Returns the records of one device, including duplicates, in the order of the store. Entries without an identity are a
  /// problem, unless `mayBeNameless`.
  package func records(of device: String, mayBeNameless: Bool = false) throws(StoreViewError) -> [StoredRecord] {
    try list(of: device, mayBeNameless: mayBeNameless).records
  }

  /// Returns these records, and how the reading ended.
  package func list(of device: String, mayBeNameless: Bool = false) throws(StoreViewError) -> StoredList {
    var records: [StoredRecord] = []
    var count = EntryCount()
    let end = try read(device) { record in
      let owner = isOfAllDevices ? record.device : device
      count.take(record, isOwned: owner != nil)
      if owner == device { records.append(record) }
    }
    if !mayBeNameless, let problem = count.namelessness(place) { throw problem }
    if let problem = count.missingDeviceProblem(place) { throw problem }
    return StoredList(records: records, end: end)
  }
}

/// The records of one device.
package struct StoredList: Sendable {
  package let records: [StoredRecord]
  package let end: ListEnd
}

/// Counts the entries of a store that name their record and their device. Without these, entries cannot prove a loss.
package struct EntryCount {
  private var (entries, named, owned) = (0, 0, 0)
  private var first: StoredRecord?
  /// Whether the supposed entry is a container of the entries, with a uuid of its own.
  private var isAroundRecords = false

  package init() {}

  package mutating func take(_ record: StoredRecord, isOwned: Bool) {
    if entries == 0 { (first, isAroundRecords) = (record, record.isAroundRecords) }
    entries += 1
    if record.uuid != nil { named += 1 }
    if isOwned { owned += 1 }
  }

  /// Returns a problem if there are entries and none has a record's uuid.
  package func namelessness(_ place: String) -> StoreViewError? {
    entries > 0 && (named == 0 || isAroundRecords) ? .nameless(place, first) : nil
  }

  /// Returns a problem if there are entries and none names its device.
  package func missingDeviceProblem(_ place: String) -> StoreViewError? {
    entries > 0 && owned == 0 ? .ownerless(place) : nil
  }
}

extension StoredRecord {
  /// Whether it contains records, such as a stored upload: it has an `id` and a list of records, and no coordinates.
  fileprivate var isAroundRecords: Bool {
    entry["uuid"] == nil && value("coords.latitude") == nil && entry.pathOfRecords != nil
  }
}

extension StoredValue {
  /// The path to the records in a container: the first list whose elements have a uuid.
  fileprivate var pathOfRecords: String? { path(of: "$", depth: 0) }

  private static let depthMax = 4

  private func path(of place: String, depth: Int) -> String? {
    guard case .object(let members) = self, depth < StoredValue.depthMax else { return nil }
    for (name, member) in members {
      let (inner, value) = (place + JSONStep.member(name).text, member.opened)
      if case .list(let elements) = value, let element = elements.first {
        let isNamed = element.uuid != nil || StoredRecord(element, fields: []).uuid != nil
        if isNamed { return "\(inner)[*]" }
      }
      if value.isMapOfRecords([]) { return "\(inner)[*]" }
      if let found = value.path(of: inner, depth: depth + 1) { return found }
    }
    return nil
  }
}

/// Why a store could not be read, as half a sentence.
package struct StoreViewError: Error, Equatable {
  package let text: String
  /// Whether the device has no list, possibly because it has no records.
  package var isAbsence = false
  /// Whether the entries were read and have no identities.
  package var isNameless = false

  package init(text: String, isAbsence: Bool = false) { (self.text, self.isAbsence) = (text, isAbsence) }

  /// Returns the problem of a store of all devices without a device in any entry.
  package static func ownerless(_ place: String) -> StoreViewError {
    StoreViewError(
      text: "\(place): no entry names its device; add a column 'device', or give the path of 'device' in verify.fields"
    )
  }

  /// Returns the problem of a store whose entries have the record's uuid at `path` and another one where it was
  /// expected, at `named`.
  package static func misnamed(_ place: String, path: String, named: String? = nil) -> StoreViewError {
    let words =
      named.map { "a record's uuid stands at \(path): verify.fields has 'uuid' at \($0)" }
      ?? "a record's uuid stands at \(path): name it as 'uuid' in verify.fields"
    var problem = StoreViewError(text: "\(place): \(words)")
    problem.isNameless = true
    return problem
  }

  /// Returns the problem of a store whose entries have no identities, with the path to records in them, if found.
  fileprivate static func nameless(_ place: String, _ first: StoredRecord?) -> StoreViewError {
    let remedy = first?.entry.pathOfRecords.map { path in
      "verify.records of a dialect, target.verify.uuids of a scenario: \"\(path)\", it seems"
    }
    var words =
      "no entry has a uuid; name where the entries stand, or the place of 'uuid' in verify.fields, or either with --uuids"
    if let first, let named = first.namedPlace(of: "uuid") {
      words = "no entry has a uuid at \(named), where verify.fields has 'uuid': the entries have \(first.pathsShown)"
    } else if let first, let path = first.entry.pathOfUUID {
      words += "; one stands at \(path)"
    }
    var problem = StoreViewError(text: "\(place): \(words)" + (remedy.map { " (\($0))" } ?? ""))
    problem.isNameless = true
    return problem
  }
}

extension StorePlace {
  package static func isStream(_ url: String) -> Bool { StreamURL.isOne(url) }

  /// The hosts and ports of a stream; one of them suffices.
  package var streamHosts: [String] {
    guard let stream else { return [] }
    do throws(StreamURL.Problem) { return try StreamURL(stream, hasExtras: true).hosts } catch { return [] }
  }

  /// A mistake in the description of the store; nil without one.
  package var problem: ScenarioProblem? {
    stream.flatMap { StreamStore.problem($0) }.map {
      ScenarioProblem(
        .wrongType, "target.verify.stream", $0, remedy: "write it as nats://HOST/PREFIX or kafka://HOST/TOPIC")
    }
  }

  /// Returns the view of the store; nil when none is described. `fields` are the paths to a record's fields in an entry.
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
  /// Returns the text with `{name}` replaced by a value.
  package func filling(_ name: String, _ value: String) -> String {
    replacing("{\(name)}", with: value)
  }
}
