/// What one answer shows.
package struct Judgement: Equatable, Sendable {
  /// The clauses that it put to the test.
  package private(set) var judged: [Clause] = []
  package private(set) var findings: [Finding] = []
  /// A command in it stops the device.
  package internal(set) var stopsTheDevice = false

  package init() {}

  /// `problem` is nil when the clause was kept. A clause may have several problems in one answer.
  mutating func judge(_ clause: Clause, _ problem: String?) {
    if judged.last != clause && !judged.contains(clause) { judged.append(clause) }
    if let problem { findings.append(Finding(clause, problem)) }
  }

  mutating func judge(_ clause: Clause, isBroken: Bool, _ detail: @autoclosure () -> String) {
    judge(clause, isBroken ? detail() : nil)
  }
}
