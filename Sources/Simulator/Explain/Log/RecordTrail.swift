import Base
import Contract
import DeviceLog
import Vocabulary

/// The trail of one record in a log, from its creation to its end on the phone.
struct RecordTrail: Sendable {
  /// The outcome of a request with the record.
  struct Attempt: Sendable {
    var status: Int
    var evidence: Evidence

    var isSuccess: Bool { (200...299).contains(status) }
  }

  /// Nil where the record was made before this log begins.
  var inserted: Evidence?
  /// The position of the record.
  struct LoggedFix: Sendable {
    var place: Coordinate
    /// The phone's local time, or an instant where its zone is known; nil without a time.
    var time: WallInstant?
  }

  /// Nil when the log does not show it with certainty.
  var fix: LoggedFix?
  /// The number of records with this uuid: more than one where the log was anonymized.
  var insertCount = 0
  /// The first rejections and the last.
  var refusals: [Attempt] = []
  var refusalCount = 0
  /// The success for which the phone deleted it.
  var acknowledged: Attempt?
  var destroyed: Evidence?
  /// The phone deleted it without an answer: the queue was full, the record too old, or the app requested it.
  var droppedByPhone: Evidence?
  /// The last reason that kept the phone from sending.
  var heldBack: Evidence?

  private static let refusalsKept = 3

  mutating func insert(_ evidence: Evidence, of fix: LoggedFix?) {
    insertCount += 1
    if inserted == nil { (inserted, self.fix) = (evidence, fix) }
  }

  mutating func refuse(_ attempt: Attempt) {
    refusalCount += 1
    if refusals.count >= RecordTrail.refusalsKept { refusals.removeLast() }
    refusals.append(attempt)
  }

  /// It was made behind that answer to other records.
  func isYounger(than answer: Attempt) -> Bool {
    guard let inserted, inserted.place == answer.evidence.place else { return inserted != nil }
    return inserted.line ?? 0 > answer.evidence.line ?? .max
  }

  var isWaiting: Bool { destroyed == nil && droppedByPhone == nil }

  /// How often a record was refused in all logs of its phone, and how the last time, of which some may tell the same.
  static func refusals(in trails: [RecordTrail]) -> (count: Int, last: Attempt)? {
    var all: (count: Int, last: Attempt)?
    func time(_ attempt: Attempt?) -> WallInstant { attempt?.evidence.time ?? .earliest }
    for trail in trails.sorted(by: { time($0.refusals.last) < time($1.refusals.last) }) {
      guard let last = trail.refusals.last else { continue }
      let isLater = time(trail.refusals.first) > time(all?.last)
      let before = all?.count ?? 0
      all = (isLater ? before + trail.refusalCount : max(before, trail.refusalCount), last)
    }
    return all
  }
}

/// Follows the records of a phone through its log: into the queue, into requests, and out of it.
struct RecordTrails {
  private(set) var trails: [UUID128: RecordTrail] = [:]
  /// Only this one is followed; nil: all.
  private let wanted: UUID128?
  private let file: String
  /// The phone's queue, oldest first.
  private var waiting: [UUID128] = []
  /// The records of the current request.
  private var sent: [UUID128] = []
  private var response: RecordTrail.Attempt?
  /// The log has told the uuid of what is on its way; else which records these are is reckoned from the queue.
  private var isSentNamed = false
  private var fix: (logged: RecordTrail.LoggedFix?, at: WallInstant)?
  private var heldBack: Evidence?

  /// A record follows its fix within this time.
  private static let fixWithin: Int64 = 1_000

  init(of wanted: UUID128?, file: String) { (self.wanted, self.file) = (wanted, file) }

  var followsOne: Bool { wanted != nil }

  /// With the queue that an earlier log of the phone has left.
  mutating func goOn(from earlier: RecordTrails) {
    (waiting, sent, response) = (earlier.waiting, earlier.sent, earlier.response)
    isSentNamed = earlier.isSentNamed
  }

  /// Of a record that is followed. One that was made before the log begins is, too.
  private mutating func change(_ uuid: UUID128, _ body: (inout RecordTrail) -> Void) {
    if wanted == nil || uuid == wanted { body(&trails[uuid, default: RecordTrail()]) }
  }

  mutating func take(_ passage: LogPassage) {
    for content in passage.contents { take(content, passage) }
  }

  /// Completes the trails at the end of the log: notes which records still wait, and why.
  mutating func finish() {
    guard let heldBack, let line = heldBack.line else { return }
    for uuid in waiting where trails[uuid]?.inserted?.line ?? 0 < line { change(uuid) { $0.heldBack = heldBack } }
  }

  private mutating func take(_ content: LogFact.Content, _ passage: LogPassage) {
    switch content {
    case .fix(let fix, number: 0, _), .significantFix(let fix, _):
      self.fix = (fix.coords.place.map { .init(place: $0, time: fix.timestamp) }, passage.time)
    case .acquired, .geofenceTrigger, .geofenceEvent: fix = nil
    case .inserted(let text, let kind): insert(text, isTracking: kind ?? .tracking == .tracking, passage)
    case .locked(let text?, _), .posting(let text):
      (sent, response, isSentNamed) = (UUID128(text: text.utf8.span).map { [$0] } ?? [], nil, true)
    case .locked(nil, let count):
      (sent, response, isSentNamed) = (Array(waiting.prefix(max(0, count))), nil, false)
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
    let isOfFix = isTracking && fix.map { passage.time.milliseconds(since: $0.at) <= Self.fixWithin } ?? false
    let (evidence, logged) = (evidence("recorded", passage), isOfFix ? fix?.logged : nil)
    change(uuid) { $0.insert(evidence, of: logged) }
    fix = nil
  }

  private mutating func answer(_ status: Int, _ passage: LogPassage) {
    let words = status > 0 ? "answered \(status)" : "no answer"
    let attempt = RecordTrail.Attempt(status: status, evidence: evidence(words, passage))
    response = attempt
    guard !attempt.isSuccess else { return }
    for uuid in sent { change(uuid) { $0.refuse(attempt) } }
  }

  private mutating func destroy(_ text: String, _ passage: LogPassage) {
    guard let uuid = UUID128(text: text.utf8.span) else { return }
    if let place = waiting.firstIndex(of: uuid) { waiting.remove(at: place) }
    let (response, isOther) = (response, isSentNamed && !sent.contains(uuid))
    let ends = (
      evidence("deleted from the phone, as acknowledged", passage),
      evidence("deleted by the app, without an acknowledgement", passage)
    )
    change(uuid) { trail in
      guard trail.isWaiting else { return }
      // Also the app may delete a record. Where the log shows no answer it may have begun behind it.
      if let response, isOther || !response.isSuccess || trail.isYounger(than: response) {
        trail.droppedByPhone = ends.1
      } else {
        (trail.acknowledged, trail.destroyed) = (response, ends.0)
      }
    }
  }

  private mutating func drop(_ count: Int, _ words: String, _ passage: LogPassage) {
    let gone = waiting.prefix(max(0, count))
    let evidence = evidence(words, passage)
    for uuid in gone { change(uuid) { $0.droppedByPhone = evidence } }
    waiting.removeFirst(gone.count)
  }

  /// Returns evidence; without a quote if all records are followed, of which there may be thousands.
  private func evidence(_ words: String, _ passage: LogPassage) -> Evidence {
    Evidence(
      words, place: file, line: passage.line, time: passage.time,
      quote: wanted == nil ? "" : EntryQuote.of(passage.text))
  }
}
