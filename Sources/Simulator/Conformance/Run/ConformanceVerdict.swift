import Base

/// The result of a clause.
package enum ConformanceVerdict: Equatable, Sendable {
  /// With the observation, and the field without which it was judged, because the store does not show it.
  case kept(String, unshown: String? = nil)
  case broken(Breach)
  /// The clause requires something that this backend does not promise.
  case notApplicable(String)
  case notJudged(NotJudged)
  /// Not judged, because the store could not be read.
  case unread(String)
  /// Not judged, because only a part was checked, which was correct.
  case partly(String)

  /// Returns the observation that the store shows no field of this name.
  static func unshownNote(_ field: String) -> String { "the store shows no '\(field)'" }

  package var word: String {
    switch self {
    case .kept: "kept"
    case .broken: "broken"
    case .notApplicable: "not applicable"
    case .notJudged, .unread, .partly: "not judged"
    }
  }
}

/// Why a clause was not judged.
package enum NotJudged: Equatable, Sendable, CustomStringConvertible {
  case interrupted
  case outOfTime
  /// A presumed clause is broken.
  case because(of: String)
  /// The clause after which the backend stored no good record.
  case backendStopped(after: String)
  /// A reason of the clause itself.
  case other(String)

  package var description: String {
    switch self {
    case .interrupted: "the run was interrupted"
    case .outOfTime: "the time of the run was over (--time-limit; --jobs judges more clauses at once)"
    case .because(let clause): "because of \(clause)"
    case .backendStopped(let clause): "because of \(clause): no good record has been stored since"
    case .other(let reason): reason
    }
  }
}

/// How a clause was broken.
package struct Breach: Equatable, Sendable {
  /// The defect of the backend, as half a sentence.
  package var cause: String
  package var harm: ClauseHarm
  var signs: Set<BreachSign> = []
  /// The fate of good records since then; nil where the backend stores them.
  var lasting: String?
  var isLasting: Bool { lasting != nil }
  /// The status of the decisive answer to an upload; nil where the answer is not decisive.
  var status: Int?
  /// Records that were acknowledged and not listed.
  var missing: [SoughtRecords] = []
  /// Records that were listed more than once.
  var repeated: [SoughtRecords] = []
  /// The clauses in which a clause about all answers, or all records, has seen this.
  var seenIn: [String] = []
  /// The clauses that ran at once, one of which caused this; empty if it is this one.
  package var suspects: [String] = []
  package var sent = ""
  package var answered = ""
  /// A remedy, where the cause may not be a defect of the backend.
  package var remedy = ""
  /// A part of the cause that holds while the store has shown no entry, as does the remedy.
  var doubt = ""
  package var stored = ""
  /// Commands that show it again; nil when none can.
  package var reproduction: Reproduction?
  /// The clause's requests as a scenario; nil if they are too many or cannot be expressed.
  package var requests: [UInt8]?
}

extension Breach {
  /// Returns the breach of a store that has shown entries.
  var withoutDoubt: Breach {
    guard !doubt.isEmpty else { return self }
    var breach = self
    breach.cause = cause.replacing(doubt, with: "")
    (breach.doubt, breach.remedy) = ("", "")
    return breach
  }
}

/// Records of one device.
struct SoughtRecords: Equatable, Sendable {
  let device: String
  let uuids: Set<UUID128>
  /// When they were looked for.
  let looked: MonotonicInstant
  /// When the answer came; nil where the clause reads its answers by itself.
  let answered: MonotonicInstant?
}

/// A clause, its verdict and its duration.
package struct ClauseResult: Sendable {
  package let clause: ConformanceClause
  package var verdict: ConformanceVerdict
  package var seconds: Double
  var begin: MonotonicInstant?
  var end: MonotonicInstant?
  /// Whether the clause has sent anything.
  var hasSent = false
  /// The clause that caused the breach of this one; nil without one.
  package var cause: String?

  /// Whether the clause was kept, as far as it was checked.
  var isKept: Bool {
    switch verdict {
    case .kept, .partly: true
    case .broken, .notApplicable, .notJudged, .unread: false
    }
  }

  /// Whether what it sent may have stopped the backend without a sign of it.
  var hasSentUnbroken: Bool {
    if case .notApplicable = verdict { hasSent } else { isKept && hasSent }
  }
}

extension ClauseStop {
  /// Returns the breach as one that another clause has met with.
  func seen(in clause: String) -> ClauseStop {
    guard case .broken(var breach) = self else { return self }
    breach.seenIn = [clause]
    return .broken(breach)
  }
}

/// The end of a clause without "kept".
enum ClauseStop: Error {
  case broken(Breach)
  case notApplicable(String)
  case notJudged(String)
  case unread(String)
  case partly(String)
  case outOfTime
}
