import Base

/// What became of a clause.
package enum ConformanceVerdict: Equatable, Sendable {
  /// With what was seen.
  case kept(String)
  case broken(Breach)
  /// It asks for what this backend does not promise.
  case notApplicable(String)
  case notJudged(NotJudged)
  /// Not judged, as the store that was named could not be read.
  case unread(String)
  /// Not judged, as only a part was looked at, which was right.
  case partly(String)

  package var word: String {
    switch self {
    case .kept: "kept"
    case .broken: "broken"
    case .notApplicable: "not applicable"
    case .notJudged, .unread, .partly: "not judged"
    }
  }
}

/// Why nothing is said of a clause.
package enum NotJudged: Equatable, Sendable, CustomStringConvertible {
  case interrupted
  case outOfTime
  /// Without what this clause asks for, the other one says nothing.
  case because(of: String)
  /// The clause after which the backend stores no good record.
  case silence(behind: String)
  /// As the clause itself says.
  case other(String)

  package var description: String {
    switch self {
    case .interrupted: "the run was interrupted"
    case .outOfTime: "the time of the run was over (--time-limit; --jobs judges more clauses at once)"
    case .because(let clause): "because of \(clause)"
    case .silence(let clause): "because of \(clause): no good record has been stored since"
    case .other(let reason): reason
    }
  }
}

/// How a clause was broken.
package struct Breach: Equatable, Sendable {
  /// What is wrong with the backend, as half a sentence.
  package var cause: String
  package var harm: ClauseHarm
  var signs: Set<BreachSign> = []
  /// What became of good records since; nil where the backend stores them.
  var lasting: String?
  var isLasting: Bool { lasting != nil }
  /// Of the answer to an upload that shows it; nil where it is not the answer.
  var status: Int?
  /// What was acknowledged, and the store did not list.
  var missing: [MissingRecords] = []
  /// The clauses that ran at once, one of which has brought this about; empty where it is this one.
  package var suspects: [String] = []
  package var sent = ""
  package var answered = ""
  /// What a person may do, where the cause may be no mistake of the backend.
  package var remedy = ""
  package var stored = ""
  /// A command line that sends the decisive request again; nil when none can.
  package var curl: String?
  /// What that line sends out of `bodyFile`, as it is longer than a line; nil where it holds the body itself.
  package var body: String?
  /// What the clause sent, as the requests of a scenario; nil where that is too much, or cannot be written down.
  package var requests: [UInt8]?
}

/// Records of one device.
struct MissingRecords: Equatable, Sendable {
  let device: String
  let uuids: Set<UUID128>
  /// When they were looked for.
  let looked: MonotonicInstant
  /// When the answer came; nil where the clause reads its answers by itself.
  let answered: MonotonicInstant?
}

/// A clause, its verdict and how long it took.
package struct ClauseResult: Sendable {
  package let clause: ConformanceClause
  package var verdict: ConformanceVerdict
  package var seconds: Double
  var begin: MonotonicInstant?
  var end: MonotonicInstant?
  /// The clause that is the cause, when this one was broken by it.
  package var cause: String?
}

/// The end of a provocation that has not come to "kept".
enum ClauseStop: Error {
  case broken(Breach)
  case notApplicable(String)
  case notJudged(String)
  case unread(String)
  case partly(String)
  case outOfTime
}
