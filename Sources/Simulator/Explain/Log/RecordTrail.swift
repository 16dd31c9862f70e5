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
  /// The app deleted it without an answer, and the log names it.
  var deletedByApp: Evidence?
  /// The phone no longer has it, as reckoned from the queue: this was full, or emptied, or the record was too old.
  var presumedGone: Evidence?
  /// A success with which the log ends, before the phone deleted it.
  var answered: Attempt?
  /// The last reason that kept the phone from sending.
  var heldBack: Evidence?

  private static let refusalsKept = 3

  /// A log that was joined of two may have the same line twice.
  mutating func insert(_ evidence: Evidence, of fix: LoggedFix?) {
    if let inserted, inserted.time == evidence.time { return }
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

  var isWaiting: Bool { gone == nil && destroyed == nil }

  /// It left the phone without an acknowledgement.
  var gone: Evidence? { deletedByApp ?? presumedGone }

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
