import BackendStore
import Base
import JSON
import Scenario
import Synchronization

/// The known facts about the backend: the promises of its dialect, and the findings of the first clauses.
final class RunFacts: Sendable {
  private struct Found: Sendable {
    var shown: Set<String> = []
    var listsIdentitiesAlone = false
    var listsUUIDs = false
    var knowsUUIDs = false
    var readsTimes = false
    var timeUnits: [EpochUnit]?
    var hidden: [String: String] = [:]
    var strange: [String: String] = [:]
    var altered: Set<String>?
    var hasFlatExtras = false
    var lag = Nanoseconds.zero
    var missingUntil: Nanoseconds?
    var storeProblem: String?
    var isStoreRead = false
    var isStoreSlow = false
    var refusesParallelUploads = false
    var longestList = 0
    var tokens: TokenPromise?
    var prefersBatches = true
    var obstacle: String?
    var signInProblems: [Int: String] = [:]
    var isSlow = false
    var greetsPhones = false
    var isBusy = false
    var devices: [String] = []
    var created: Set<String> = []
    var timeForSearches = RunFacts.timeForSearches
    var firstDelivery: FirstDelivery?
    var stored: [StoredDelivery] = []
  }

  private let promises: DialectPromises
  let takesDefaultSchema: Bool
  let takesBatches: Bool
  let form: RequestForm
  private let found = Mutex(Found())

  init(_ target: ConformanceTarget) {
    promises = target.dialect.promises
    takesDefaultSchema = !target.templates.writesLocations
    form = RequestForm(target.dialect)
    takesBatches = ![.traccar, .dawarich].contains(target.dialect.preset) && form.batchSync != false
    found.withLock { $0.tokens = target.dialect.promises.tokens }
  }

  var tokens: TokenPromise { found.withLock { $0.tokens ?? .none } }
  /// Whether the dialect leaves the need for tokens to the first clauses.
  var areTokensUnknown: Bool { found.withLock { $0.tokens == nil } }
  var needsTokens: Bool { tokens == .required }

  /// Whether it has answered with the status of a limit, or of a proxy without a backend, while it was there.
  var isBusy: Bool { found.withLock { $0.isBusy } }

  func noteBusy() { found.withLock { $0.isBusy = true } }

  func note(_ tokens: TokenPromise) { found.withLock { $0.tokens = tokens } }

  /// Whether phones upload batches where a clause does not care; follows a form that was seen to work.
  var prefersBatches: Bool { takesBatches && found.withLock { $0.prefersBatches } }

  func note(prefersBatches: Bool) { found.withLock { $0.prefersBatches = prefersBatches } }

  /// Whether single records were acknowledged and batches were not, while the dialect's app does not define whether it sends any.
  var refusesBatchesAlone: Bool { takesBatches && form.batchSync == nil && !prefersBatches }

  /// Whether an answer takes longer than a quarter of a second, so that repetitive clauses repeat less.
  var isSlow: Bool { found.withLock { $0.isSlow } }

  /// Whether the backend configures a new phone with its first answer.
  var greetsPhones: Bool { found.withLock { $0.greetsPhones } }

  func noteGreeting() { found.withLock { $0.greetsPhones = true } }

  func noteSlowness() { found.withLock { $0.isSlow = true } }

  /// Why no upload can be judged: the backend is unreachable, or requires what the dialect does not provide.
  var obstacle: String? { found.withLock { $0.obstacle } }

  func note(obstacle: String) { found.withLock { $0.obstacle = obstacle } }

  /// Returns the first reason of this status: what an answer says of its device makes no other reason.
  func reason(ofSignIn status: Int, _ reason: String) -> String {
    found.withLock { found in
      let first = found.signInProblems[status] ?? reason
      found.signInProblems[status] = first
      return first
    }
  }

  /// Why the first look could not read the store; nil when it could.
  var storeProblem: String? { found.withLock { $0.storeProblem } }

  /// Notes a wrong description of the store, which would make verdicts about its content meaningless.
  func note(misdescribed problem: String) { found.withLock { $0.storeProblem = $0.storeProblem ?? problem } }

  func note(storeProblem: String) { found.withLock { if !$0.isStoreRead { $0.storeProblem = storeProblem } } }

  /// Whether a look at the store takes long, so that clauses of many devices check only some.
  var isStoreSlow: Bool { found.withLock { $0.isStoreSlow } }

  /// Whether it accepts a few simultaneous uploads and asks the others to come again.
  var refusesParallelUploads: Bool { found.withLock { $0.refusesParallelUploads } }

  func noteRefusedParallelUploads() { found.withLock { $0.refusesParallelUploads = true } }

  private static let slowRead = Nanoseconds.milliseconds(400)
  /// A longer list takes its time; most clauses look at one that is shorter.
  private static let usualCount = 500

  /// The length of a device's longest list; a list that has been longer does not end at this length.
  var longestList: Int { found.withLock { $0.longestList } }

  func noteStoreRead(of count: Int, in time: Nanoseconds) {
    found.withLock {
      $0.longestList = max($0.longestList, count)
      $0.isStoreRead = true
      if time > RunFacts.slowRead, count <= RunFacts.usualCount { $0.isStoreSlow = true }
    }
  }

  /// The observed delay from an acknowledgement to the appearance of the record in the store.
  var lag: Nanoseconds { found.withLock { $0.lag } }

  /// The longest observed absence of a record that appeared later; nil when all were there at once.
  var missingUntil: Nanoseconds? { found.withLock { $0.missingUntil } }

  func note(missingUntil: Nanoseconds, lag: Nanoseconds) {
    found.withLock {
      $0.lag = max($0.lag, lag)
      $0.missingUntil = max($0.missingUntil ?? .zero, missingUntil)
    }
  }

  /// The total time of a run for searches of missing records.
  private static let timeForSearches = Nanoseconds.seconds(10)

  /// Devices that have uploaded, or are about to, latest first.
  var devices: [String] { found.withLock { $0.devices.reversed() } }

  func note(device: String) { found.withLock { $0.devices.append(device) } }

  /// Notes that a device is created; false if it was before.
  func noteCreation(of device: String) -> Bool { found.withLock { $0.created.insert(device).inserted } }

  var timeForSearches: Nanoseconds { found.withLock { $0.timeForSearches } }

  func noteSearch(of time: Nanoseconds) { found.withLock { $0.timeForSearches = $0.timeForSearches - time } }

  /// The first acknowledged record, to be sent again much later.
  var firstDelivery: FirstDelivery? { found.withLock { $0.firstDelivery } }

  func note(firstDelivery: FirstDelivery) {
    found.withLock { $0.firstDelivery = $0.firstDelivery ?? firstDelivery }
  }

  /// A few records of each clause that were seen in the store.
  var stored: [StoredDelivery] { found.withLock { $0.stored } }

  static let storedMax = 20

  /// Notes the first records of each clause, few enough to be looked up again.
  func noteStored(
    _ records: [SentRecord], of device: String, by clause: ConformanceClause, _ look: ClauseRun.FoundRecords
  ) {
    guard records.count <= RunFacts.storedMax, clause.phase <= .alone else { return }
    found.withLock { found in
      if found.stored.contains(where: { $0.clause == clause.id }) { return }
      found.stored.append(
        StoredDelivery(
          clause: clause.id, device: device, records: records, entries: records.map { look.entry(of: $0) }))
    }
  }

  /// Notes the fields that the store shows of a first, complete record.
  func note(shown: Set<String>) { found.withLock { $0.shown = shown } }

  /// Whether the store shows nothing but the uuid of a record.
  var listsIdentitiesAlone: Bool { found.withLock { $0.listsIdentitiesAlone } }

  func noteIdentitiesAlone() { found.withLock { $0.listsIdentitiesAlone = true } }

  /// Whether the store has shown a uuid; an entry without one is then not a different form of list.
  var listsUUIDs: Bool { found.withLock { $0.listsUUIDs } }

  func noteUUIDs() { found.withLock { $0.listsUUIDs = true } }

  /// Whether a record was found by its uuid; one that is not found is then absent.
  var knowsUUIDs: Bool { found.withLock { $0.knowsUUIDs } }

  func noteKnownUUIDs() { found.withLock { $0.knowsUUIDs = true } }

  /// Whether the store has shown a readable time.
  var readsTimes: Bool { found.withLock { $0.readsTimes } }

  /// Notes the unit of times. A store of texts may keep a number as sent.
  func noteReadableTimes(_ unit: EpochUnit?) {
    found.withLock { ($0.readsTimes, $0.timeUnits) = (true, unit.map { [$0] } ?? [.seconds, .milliseconds]) }
  }

  /// Returns a difference of a time in another unit than the store's own, which is wrong by a factor of a thousand even
  /// though its size would identify the instant.
  func otherUnit(_ stored: StoredValue, _ field: String) -> String? {
    guard field == "timestamp", let unit = stored.epochUnit, let own = found.withLock({ $0.timeUnits }),
      !own.contains(unit)
    else { return nil }
    return "\(field): \(stored.shown), in another unit than the times of other records"
  }

  /// Only the dialect can name fields that the store shows under its own names.
  var remedyOfTemplates: String { takesDefaultSchema ? "" : "; where it does, name the place in verify.fields" }

  /// Returns why a field cannot be judged that the store does not show under a known name; nil if it can.
  func hidden(_ field: String) -> String? { found.withLock { $0.hidden[field] } }

  func note(hidden field: String, _ reason: String) { found.withLock { $0.hidden[field] = reason } }

  /// Returns why the shown values of a field cannot be judged; nil if they can.
  func strange(_ field: String) -> String? { found.withLock { $0.strange[field] } }

  func note(strange field: String, _ reason: String) { found.withLock { $0.strange[field] = reason } }

  /// Whether the store has shown a first record, and so how it shows one.
  var hasSeenRecord: Bool { found.withLock { $0.altered != nil } }

  /// Whether the first record of the run has this field with another value than was sent.
  func isAltered(_ field: String) -> Bool { found.withLock { $0.altered?.contains(field) ?? false } }

  func note(altered fields: [String]) { found.withLock { $0.altered = ($0.altered ?? []).union(fields) } }

  /// Whether the extras of a template are among the other keys of an entry.
  var hasFlatExtras: Bool { found.withLock { $0.hasFlatExtras } }

  func noteFlatExtras() { found.withLock { $0.hasFlatExtras = true } }

  /// Reports whether the dialect promises to keep the field.
  func promises(_ field: KeptField) -> Bool { promises.kept?.contains(field) ?? false }

  /// Reports whether a field is judged: it is promised, or was seen once.
  func shows(_ field: String) -> Bool {
    let root = field.split(separator: ".").first.map(String.init) ?? field
    if listsIdentitiesAlone { return false }
    if ["uuid", "timestamp"].contains(root) { return true }
    if ["coords.latitude", "coords.longitude"].contains(field) { return true }
    let isSeen = found.withLock { $0.shown.contains(field) || $0.shown.contains(root) }
    return isOfKeeps(field) ? isPromised(field) : isSeen
  }

  /// Returns why a field is not judged that is not shown.
  func absence(of field: String) -> String {
    isOfKeeps(field) ? "promises.keeps does not name '\(field)'" : ConformanceVerdict.unshownNote(field)
  }

  /// Reports whether the dialect promises to keep what a field belongs to, as `coords.speed` to `speed`.
  func isPromised(_ field: String) -> Bool { RunFacts.keptField(of: field).map { promises($0) } ?? false }

  /// Reports whether `keeps`, where the dialect has it, says whether a field is there.
  private func isOfKeeps(_ field: String) -> Bool { promises.kept != nil && RunFacts.keptField(of: field) != nil }

  private static func keptField(of field: String) -> KeptField? {
    let parts = field.split(separator: ".")
    return (parts.first == "coords" ? parts.last : parts.first).flatMap { KeptField(rawValue: String($0)) }
  }
}
