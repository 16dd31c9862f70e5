import Base
import Contract
import DeviceLog
import Vocabulary

/// What a log tells of one record, from its making to its end on the phone.
struct RecordTrail: Sendable {
  /// What came of a request that held it.
  struct Attempt: Sendable {
    var status: Int
    var evidence: Evidence

    var isSuccess: Bool { (200...299).contains(status) }
  }

  var inserted: Evidence
  /// The position that it was made of.
  struct LoggedFix: Sendable {
    var place: Coordinate
    /// By the phone's clock; as an instant only where its zone is known, and nil where it is not.
    var time: WallInstant?
  }

  /// Nil when the log does not tell for certain.
  var fix: LoggedFix?
  /// How often a record of this uuid was made: more than once where the uuids of a log were blanked.
  var insertCount = 1
  /// The first ones and the last.
  var refusals: [Attempt] = []
  var refusalCount = 0
  /// The success for which the phone deleted it.
  var acknowledged: Attempt?
  var destroyed: Evidence?
  /// The phone deleted it without an answer: too many records, too old, or the app wanted it.
  var droppedByPhone: Evidence?
  /// The last thing that kept the phone from sending.
  var heldBack: Evidence?

  private static let refusalsKept = 3

  init(_ inserted: Evidence, of fix: LoggedFix?) { (self.inserted, self.fix) = (inserted, fix) }

  mutating func refuse(_ attempt: Attempt) {
    refusalCount += 1
    if refusals.count >= RecordTrail.refusalsKept { refusals.removeLast() }
    refusals.append(attempt)
  }

  var isWaiting: Bool { destroyed == nil && droppedByPhone == nil }
}

/// Follows the records of a phone through its log: into the queue, into requests, and out of it.
struct RecordTrails {
  private(set) var trails: [UUID128: RecordTrail] = [:]
  /// Only this one is followed; nil: all.
  private let wanted: UUID128?
  private let file: String
  /// What lies in the phone's queue, the oldest first.
  private var waiting: [UUID128] = []
  /// What is on its way, and how it was answered.
  private var sent: [UUID128] = []
  private var response: RecordTrail.Attempt?
  private var fix: (logged: RecordTrail.LoggedFix?, at: WallInstant)?
  private var heldBack: Evidence?

  /// A record stands right behind the fix that it is made of.
  private static let fixWithin: Int64 = 1_000

  init(of wanted: UUID128?, file: String) { (self.wanted, self.file) = (wanted, file) }

  mutating func take(_ passage: LogPassage) {
    for content in passage.contents { take(content, passage) }
  }

  /// At the end of the log: what still waits, and why.
  mutating func finish() {
    guard let heldBack, let line = heldBack.line else { return }
    for uuid in waiting where trails[uuid]?.inserted.line ?? .max < line { trails[uuid]?.heldBack = heldBack }
  }

  private mutating func take(_ content: LogFact.Content, _ passage: LogPassage) {
    switch content {
    case .fix(let fix, number: 0, _), .significantFix(let fix, _):
      self.fix = (fix.coords.place.map { .init(place: $0, time: fix.timestamp) }, passage.time)
    case .acquired, .geofenceTrigger, .geofenceEvent: fix = nil
    case .inserted(let text, let kind): insert(text, isTracking: kind ?? .tracking == .tracking, passage)
    case .locked(let text?, _), .posting(let text):
      (sent, response) = (UUID128(text: text.utf8.span).map { [$0] } ?? [], nil)
    case .locked(nil, let count): (sent, response) = (Array(waiting.prefix(max(0, count))), nil)
    case .response(let status): answer(status, passage)
    case .destroyed(let text): destroy(text, passage)
    case .queueCut(let count): drop(count, "deleted by the phone, as one of its oldest records", passage)
    case .queueEmptied: drop(waiting.count, "deleted by the app with all other records", passage)
    case .uploadHeldBack, .connectivity(.none): heldBack = evidence("the phone could not send", passage)
    default: break
    }
  }

  private mutating func insert(_ text: String, isTracking: Bool, _ passage: LogPassage) {
    guard let uuid = UUID128(text: text.utf8.span) else { return }
    waiting.append(uuid)
    guard wanted == nil || uuid == wanted else { return }
    guard trails[uuid] == nil else {
      trails[uuid]?.insertCount += 1
      return
    }
    let isOfFix = isTracking && fix.map { passage.time.milliseconds(since: $0.at) <= Self.fixWithin } ?? false
    trails[uuid] = RecordTrail(evidence("recorded", passage), of: isOfFix ? fix?.logged : nil)
    fix = nil
  }

  private mutating func answer(_ status: Int, _ passage: LogPassage) {
    let words = status > 0 ? "answered \(status)" : "no answer"
    let attempt = RecordTrail.Attempt(status: status, evidence: evidence(words, passage))
    response = attempt
    guard !attempt.isSuccess else { return }
    for uuid in sent { trails[uuid]?.refuse(attempt) }
  }

  private mutating func destroy(_ text: String, _ passage: LogPassage) {
    guard let uuid = UUID128(text: text.utf8.span) else { return }
    if let place = waiting.firstIndex(of: uuid) { waiting.remove(at: place) }
    guard trails[uuid]?.isWaiting ?? false else { return }
    if let response, response.isSuccess { trails[uuid]?.acknowledged = response }
    let evidence = evidence("deleted from the phone, as acknowledged", passage)
    trails[uuid]?.destroyed = evidence
  }

  private mutating func drop(_ count: Int, _ words: String, _ passage: LogPassage) {
    let gone = waiting.prefix(max(0, count))
    let evidence = evidence(words, passage)
    for uuid in gone { trails[uuid]?.droppedByPhone = evidence }
    waiting.removeFirst(gone.count)
  }

  /// Of thousands of records only the places are kept.
  private func evidence(_ words: String, _ passage: LogPassage) -> Evidence {
    Evidence(
      words, place: file, line: passage.line, time: passage.time,
      quote: wanted == nil ? "" : EntryQuote.of(passage.text))
  }
}
