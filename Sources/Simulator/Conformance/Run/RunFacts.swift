import BackendStore
import Base
import JSON
import Scenario
import Synchronization

/// What is known of the backend: what its dialect promises, and what the first clauses of a run have found out.
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
    var hasFlatExtras = false
    var lag = Nanoseconds.zero
    var missingUntil: Nanoseconds?
    var storeProblem: String?
    var isStoreRead = false
    var isStoreSlow = false
    var refusesCrowds = false
    var longestList = 0
    var tokens: TokenPromise?
    var prefersBatches = true
    var silence: String?
    var isSlow = false
    var devices: [String] = []
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
  /// Whether the dialect leaves open what the first clauses are to find out.
  var areTokensUnknown: Bool { found.withLock { $0.tokens == nil } }
  var needsTokens: Bool { tokens == .required }

  func note(_ tokens: TokenPromise) { found.withLock { $0.tokens = tokens } }

  /// In which form phones upload where a clause does not care: one that was seen to work.
  var prefersBatches: Bool { takesBatches && found.withLock { $0.prefersBatches } }

  func note(prefersBatches: Bool) { found.withLock { $0.prefersBatches = prefersBatches } }

  /// Single records were acknowledged and batches were not, and the app of the dialect does not say whether it sends any.
  var refusesBatchesAlone: Bool { takesBatches && form.batchSync == nil && !prefersBatches }

  /// An answer takes longer than a quarter of a second: clauses that repeat themselves do so less often.
  var isSlow: Bool { found.withLock { $0.isSlow } }

  func noteSlowness() { found.withLock { $0.isSlow = true } }

  /// Why no upload can be judged: the backend cannot be reached at all, or asks for what the dialect does not give.
  var silence: String? { found.withLock { $0.silence } }

  func note(silence: String) { found.withLock { $0.silence = silence } }

  /// Why the store that was named could not be read when it was first looked at; nil when it could.
  var storeProblem: String? { found.withLock { $0.storeProblem } }

  /// The dialect is wrong about the store: what clauses would say of what it shows is not about the backend.
  func note(misdescribed problem: String) { found.withLock { $0.storeProblem = $0.storeProblem ?? problem } }

  func note(storeProblem: String) { found.withLock { if !$0.isStoreRead { $0.storeProblem = storeProblem } } }

  /// A look at the store takes long: clauses of many devices look at those of some.
  var isStoreSlow: Bool { found.withLock { $0.isStoreSlow } }

  /// It takes a few uploads at once, and asks the others to come again.
  var refusesCrowds: Bool { found.withLock { $0.refusesCrowds } }

  func noteCrowding() { found.withLock { $0.refusesCrowds = true } }

  private static let slowRead = Nanoseconds.milliseconds(400)
  /// A longer list takes its time; most clauses look at one that is shorter.
  private static let usualCount = 500

  /// Of one device. A list that has been longer does not end here.
  var longestList: Int { found.withLock { $0.longestList } }

  func noteStoreRead(of count: Int, in time: Nanoseconds) {
    found.withLock {
      $0.longestList = max($0.longestList, count)
      $0.isStoreRead = true
      if time > RunFacts.slowRead, count <= RunFacts.usualCount { $0.isStoreSlow = true }
    }
  }

  /// How long after its acknowledgement a record was seen to come into the store.
  var lag: Nanoseconds { found.withLock { $0.lag } }

  /// How long after its acknowledgement a record was seen to be missing, which came later; nil when all were there at once.
  var missingUntil: Nanoseconds? { found.withLock { $0.missingUntil } }

  func note(missingUntil: Nanoseconds, lag: Nanoseconds) {
    found.withLock {
      $0.lag = max($0.lag, lag)
      $0.missingUntil = max($0.missingUntil ?? .zero, missingUntil)
    }
  }

  /// In a whole run this is the time for looking where missing records are.
  private static let timeForSearches = Nanoseconds.seconds(10)

  /// Devices that have uploaded, or are about to, the latest first.
  var devices: [String] { found.withLock { $0.devices.reversed() } }

  func note(device: String) { found.withLock { $0.devices.append(device) } }

  var timeForSearches: Nanoseconds { found.withLock { $0.timeForSearches } }

  func noteSearch(of time: Nanoseconds) { found.withLock { $0.timeForSearches = $0.timeForSearches - time } }

  /// The first record that was acknowledged, to be sent again much later.
  var firstDelivery: FirstDelivery? { found.withLock { $0.firstDelivery } }

  func note(firstDelivery: FirstDelivery) {
    found.withLock { $0.firstDelivery = $0.firstDelivery ?? firstDelivery }
  }

  /// A few records of each clause that were seen in the store.
  var stored: [StoredDelivery] { found.withLock { $0.stored } }

  private static let storedMax = 20

  /// The first of each clause that are few enough to be looked at again.
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

  /// Fields that the store shows of a first, complete record.
  func note(shown: Set<String>) { found.withLock { $0.shown = shown } }

  /// The store shows of a record its uuid, and nothing else.
  var listsIdentitiesAlone: Bool { found.withLock { $0.listsIdentitiesAlone } }

  func noteIdentitiesAlone() { found.withLock { $0.listsIdentitiesAlone = true } }

  /// The store has shown a uuid: an entry without one is no other form of list from then on.
  var listsUUIDs: Bool { found.withLock { $0.listsUUIDs } }

  func noteUUIDs() { found.withLock { $0.listsUUIDs = true } }

  /// A record was found by its own uuid: where another one is not, it is not there.
  var knowsUUIDs: Bool { found.withLock { $0.knowsUUIDs } }

  func noteKnownUUIDs() { found.withLock { $0.knowsUUIDs = true } }

  /// The store has shown a time that could be read.
  var readsTimes: Bool { found.withLock { $0.readsTimes } }

  /// A store of texts may keep a number as it was sent.
  func noteReadableTimes(_ unit: EpochUnit?) {
    found.withLock { ($0.readsTimes, $0.timeUnits) = (true, unit.map { [$0] } ?? [.seconds, .milliseconds]) }
  }

  /// A time in another unit than the store's own is a thousandfold one, though its size would tell the instant.
  func otherUnit(_ stored: StoredValue, _ field: String) -> String? {
    guard field == "timestamp", let unit = stored.epochUnit, let own = found.withLock({ $0.timeUnits }),
      !own.contains(unit)
    else { return nil }
    return "\(field): \(stored.shown), in another unit than the times of other records"
  }

  /// What is to be done about a field of which the store has shown nothing.
  func notShown(_ field: String) -> String { hidden(field) ?? "the store shows no '\(field)'\(remedyOfTemplates)" }

  /// What a store shows under names of its own, only the dialect can tell.
  var remedyOfTemplates: String { takesDefaultSchema ? "" : "; where it does, name the place in verify.fields" }

  /// Why nothing can be said of a field that the store does not show by a name that is known; nil where it can.
  func hidden(_ field: String) -> String? { found.withLock { $0.hidden[field] } }

  func note(hidden field: String, _ reason: String) { found.withLock { $0.hidden[field] = reason } }

  /// Why nothing can be said of the values that the store shows of a field; nil where it can.
  func strange(_ field: String) -> String? { found.withLock { $0.strange[field] } }

  func note(strange field: String, _ reason: String) { found.withLock { $0.strange[field] = reason } }

  /// The extras of a template stand among the other keys of an entry.
  var hasFlatExtras: Bool { found.withLock { $0.hasFlatExtras } }

  func noteFlatExtras() { found.withLock { $0.hasFlatExtras = true } }

  /// The dialect says that this is kept.
  func promises(_ field: KeptField) -> Bool { promises.kept?.contains(field) ?? false }

  /// Whether what the store has of a field is to be judged: it is promised, or was seen once.
  func shows(_ field: String) -> Bool {
    let root = field.split(separator: ".").first.map(String.init) ?? field
    if listsIdentitiesAlone { return false }
    if ["uuid", "timestamp"].contains(root) { return true }
    if ["coords.latitude", "coords.longitude"].contains(field) { return true }
    let isSeen = found.withLock { $0.shown.contains(field) || $0.shown.contains(root) }
    guard let kept = promises.kept else { return isSeen }
    let name = root == "coords" ? field.split(separator: ".").last.map(String.init) ?? root : root
    return KeptField(rawValue: name).map(kept.contains) ?? isSeen
  }
}
