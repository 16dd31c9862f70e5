import Base
import Contract
import DeviceLog
import Vocabulary

/// Follows the records of a phone through its log: into the queue, into requests, and out of it.
struct RecordTrails {
  private(set) var trails: [UUID128: RecordTrail] = [:]
  private(set) var queue = PhoneQueue()
  /// Only this one is followed; nil: all.
  private let wanted: UUID128?
  private let file: String
  private var fix: (logged: RecordTrail.LoggedFix?, at: WallInstant)?
  private var heldBack: Evidence?

  /// A record follows its fix within this time.
  private static let fixWithin: Int64 = 1_000

  init(of wanted: UUID128?, file: String) { (self.wanted, self.file) = (wanted, file) }

  var followsOne: Bool { wanted != nil }

  /// Goes on with the queue that an earlier log of the phone has left.
  mutating func resume(from earlier: PhoneQueue) { queue = earlier }

  /// Of a record that is followed. One that was made before the log begins is, too.
  private mutating func change(_ uuid: UUID128, _ body: (inout RecordTrail) -> Void) {
    if wanted == nil || uuid == wanted { body(&trails[uuid, default: RecordTrail()]) }
  }

  mutating func take(_ passage: LogPassage) {
    for content in passage.contents { take(content, passage) }
  }

  /// Completes the trails at the end of the log: notes which records still wait, and why.
  mutating func finish() {
    endRequest()
    if let response = queue.response {
      for uuid in queue.undeleted { change(uuid) { $0.answered = response } }
    }
    guard let heldBack, let line = heldBack.line else { return }
    for uuid in queue.uuids where trails[uuid]?.inserted?.line ?? 0 < line { change(uuid) { $0.heldBack = heldBack } }
  }

  private mutating func take(_ content: LogFact.Content, _ passage: LogPassage) {
    switch content {
    case .fix(let fix, number: 0, _), .significantFix(let fix, _):
      self.fix = (fix.coords.place.map { .init(place: $0, time: fix.timestamp) }, passage.time)
    case .acquired, .geofenceTrigger, .geofenceEvent: fix = nil
    case .inserted(let text, let kind, let maxRecords):
      insert(text, isTracking: kind ?? .tracking == .tracking, maxRecords, passage)
    case .locked(let text?, _), .posting(let text):
      endRequest()
      recall(queue.send(UUID128(text: text.utf8.span)))
    case .locked(nil, let count):
      endRequest()
      queue.send(oldest: count)
    case .response(let status): answer(status, passage)
    case .destroyed(let text): destroy(text, passage)
    case .queueCut(let count, let days):
      let limit = days.map { Self.limit(ofDays: $0, before: passage.time) }
      lose(
        queue.drop(count, madeBefore: limit), evidence("deleted by the phone, as one of its oldest records", passage))
    case .queueEmptied: lose(queue.drop(nil), evidence("deleted by the app with all other records", passage))
    case .uploadHeldBack, .connectivity(.none): heldBack = evidence("the phone could not send", passage)
    default: break
    }
  }

  private mutating func insert(_ text: String, isTracking: Bool, _ maxRecords: Int?, _ passage: LogPassage) {
    guard let uuid = UUID128(text: text.utf8.span) else { return }
    queue.insert(uuid, at: passage.time)
    if let maxRecords, queue.count > maxRecords {
      let words = "deleted by the phone: its queue holds \(StoryText.count(maxRecords, "record"))"
      lose(queue.drop(queue.count - maxRecords), evidence(words, passage))
    }
    guard wanted == nil || uuid == wanted else { return }
    let isOfFix = isTracking && fix.map { passage.time.milliseconds(since: $0.at) <= Self.fixWithin } ?? false
    let (evidence, logged) = (evidence("recorded", passage), isOfFix ? fix?.logged : nil)
    change(uuid) { $0.insert(evidence, of: logged) }
    fix = nil
  }

  private mutating func answer(_ status: Int, _ passage: LogPassage) {
    let words = status > 0 ? "answered \(status)" : "no answer"
    let attempt = RecordTrail.Attempt(status: status, evidence: evidence(words, passage))
    queue.answer(attempt)
    guard !attempt.isSuccess else { return }
    for uuid in queue.sent { change(uuid) { $0.refuse(attempt) } }
  }

  private mutating func destroy(_ text: String, _ passage: LogPassage) {
    guard let uuid = UUID128(text: text.utf8.span) else { return }
    let response = queue.response
    let (isAnswered, recalled) = queue.destroy(uuid)
    recall(recalled)
    let ends = (
      evidence("deleted from the phone, as acknowledged", passage),
      evidence("deleted by the app, without an acknowledgement", passage)
    )
    change(uuid) { trail in
      guard trail.isWaiting else { return }
      // Also the app may delete a record. Where the log shows no answer it may have begun behind it.
      if let response, !isAnswered || !response.isSuccess || trail.isYounger(than: response) {
        trail.deletedByApp = ends.1
      } else {
        (trail.acknowledged, trail.destroyed) = (response, ends.0)
      }
    }
  }

  private mutating func endRequest() {
    guard var evidence = queue.response?.evidence else { return }
    evidence.words = "no longer in the queue: the phone uploaded younger records only"
    lose(queue.endRequest(), evidence)
  }

  private static func limit(ofDays days: Int, before time: WallInstant) -> WallInstant {
    let (milliseconds, isHuge) = Int64(days).multipliedReportingOverflow(by: -86_400_000)
    return isHuge ? .earliest : time.moved(byMilliseconds: milliseconds) ?? .earliest
  }

  private mutating func lose(_ uuids: [UUID128], _ evidence: Evidence) {
    for uuid in uuids { change(uuid) { $0.presumedGone = evidence } }
  }

  /// A record that the log names is in the queue, whatever was inferred before.
  private mutating func recall(_ uuids: [UUID128]) {
    for uuid in uuids where trails[uuid]?.presumedGone != nil { change(uuid) { $0.presumedGone = nil } }
  }

  /// Returns evidence; without a quote if all records are followed, of which there may be thousands.
  private func evidence(_ words: String, _ passage: LogPassage) -> Evidence {
    Evidence(
      words, place: file, line: passage.line, time: passage.time,
      quote: wanted == nil ? "" : EntryQuote.of(passage.text))
  }
}
