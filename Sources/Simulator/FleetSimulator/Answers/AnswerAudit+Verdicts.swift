import AnswerCheck

extension AnswerAudit {
  /// What was seen of each clause; empty when there was no answer.
  package var verdicts: [ClauseVerdict] {
    guard card.answers > 0 else { return [] }
    let examples = Dictionary(card.findings.map { ($0.clause, $0.detail) }) { first, _ in first }
    return Clause.allCases.map { clause in
      let (judged, broken) = (card.timesJudged(clause), card.timesBroken(clause))
      let isBlind = !seesHeads && clause.needsHead
      let outcome: ClauseVerdict.Outcome =
        broken > 0 ? .broken : judged > 0 ? .kept : isBlind ? .notJudged : .notSeen
      return ClauseVerdict(
        number: clause.number, rule: clause.rule, outcome: outcome, judged: judged, broken: broken,
        detail: examples[clause], remedy: broken > 0 ? clause.remedy : nil)
    }
  }

  /// A sentence for each clause that the server has broken, how many were kept, and those that could not be judged.
  package var remarks: [String] {
    guard card.answers > 0 else { return [] }
    let verdicts = verdicts
    var remarks = card.findings.map { finding in
      let clause = finding.clause
      return
        "the server's answers: \(clause.rule), clause \(clause.number), is broken in \(card.timesBroken(clause)) of \(card.timesJudged(clause)) answers, the first time with \(finding.detail): \(clause.remedy)"
    }
    let kept = verdicts.count { $0.outcome == .kept }
    let unseen = verdicts.count { $0.outcome == .notSeen }
    remarks.append(
      "the server's answers: \(kept) clauses kept in \(card.answers) answers that were looked at, \(unseen) not put to the test"
    )
    let blind = verdicts.filter { $0.outcome == .notJudged }
    if !blind.isEmpty {
      remarks.append(
        "the server's answers: could not be judged here, as this kind of run sees no header fields: "
          + blind.map { "\($0.rule) (clause \($0.number))" }.joined(separator: "; "))
    }
    return remarks
  }
}

extension Clause {
  /// It is about header fields.
  fileprivate var needsHead: Bool { [.noRetryAfter, .challenge, .isJSON].contains(self) }
}
