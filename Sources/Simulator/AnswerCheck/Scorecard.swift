import Base

/// The number of answers that kept and that broke each clause.
package struct Scorecard: Equatable, Sendable {
  private var judged: [Int]
  private var broken: [Int]
  /// The first finding of each clause.
  private var examples: [Finding] = []
  package private(set) var answers = 0
  /// The number of answers with a stop command.
  package private(set) var stops = 0

  package init() {
    judged = Array(repeating: 0, count: Clause.allCases.count + 1)
    broken = judged
  }

  package mutating func count(_ judgement: Judgement) {
    answers += 1
    if judgement.stopsTheDevice { stops += 1 }
    for clause in Set(judgement.judged) { judged[clause.number] += 1 }
    var counted: Set<Int> = []
    for finding in judgement.findings {
      let number = finding.clause.number
      if broken[number] == 0 { examples.append(finding) }
      // One answer may break a clause in several places.
      if counted.insert(number).inserted { broken[number] += 1 }
    }
  }

  package func timesJudged(_ clause: Clause) -> Int { judged[clause.number] }
  package func timesBroken(_ clause: Clause) -> Int { broken[clause.number] }

  /// The first finding of each broken clause, in the order of the clauses.
  package var findings: [Finding] { examples.sorted { $0.clause.number < $1.clause.number } }

  private var seen: [Clause] { Clause.allCases.filter { judged[$0.number] > 0 } }
  package var seenCount: Int { seen.count }
  package var keptCount: Int { seen.count { broken[$0.number] == 0 } }

  /// An interim list of the tested clauses, for people.
  package var list: String {
    let kept = seen.filter { broken[$0.number] == 0 }.map { "  ✓ \($0.number). \($0.rule)" }
    return ([text(storage: "stored records are checked at the end, if at all")] + kept).joined(separator: "\n")
  }

  /// Returns the final text; `storage` describes the verification of the store.
  package func text(storage: String) -> String {
    guard answers > 0 else { return "no answer was seen" }
    let unseen = Clause.allCases.count - seen.count
    var lines = [
      "\(keptCount) of \(seenCount) clauses kept in \(answers.of("answer")), \(unseen) not tested; \(storage)"
        + (stops > 0 ? "; \(stops.of("answer")) stopped the device" : "")
    ]
    for finding in findings {
      let count = broken[finding.clause.number]
      lines.append("  ✗ \(finding.clause.number). \(finding.clause.rule)\(count > 1 ? " (\(count) times)" : "")")
      lines.append("       \(finding.detail)")
      lines.append("       → \(finding.remedy)")
    }
    return lines.joined(separator: "\n")
  }
}

/// A breach of a clause by an answer.
package struct Finding: Equatable, Sendable {
  package let clause: Clause
  /// The details, as half a sentence.
  package let detail: String
  /// The specific remedy, where the general one is too broad.
  private let ownRemedy: String?

  package init(_ clause: Clause, _ detail: String, remedy: String? = nil) {
    (self.clause, self.detail, ownRemedy) = (clause, detail, remedy)
  }

  package var remedy: String { ownRemedy ?? clause.remedy }
}
