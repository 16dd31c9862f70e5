/// The proxy beside a server, whose page and administration show what has passed.
package struct ProxyRole: Sendable {
  let upstream: String
  let judge: (any AnswerJudge)?

  package init(upstream: String, judge: (any AnswerJudge)?) {
    self.upstream = upstream
    self.judge = judge
  }

  /// Refuses what only the backend itself can do, or only a proxy has seen.
  static func refuse(_ route: Route, _ proxy: ProxyRole?) -> Response? {
    guard let proxy else {
      guard route.place == .proxy else { return nil }
      return .error(404, "only_in_a_proxy", "only 'rollingroad proxy' records this")
    }
    if route.deviceOperation != nil {
      return .error(
        404, "not_in_a_proxy", "this is a proxy's admin address; devices use its --listen address")
    }
    guard route.place == .server else { return nil }
    return .error(
      404, "not_in_a_proxy", "a proxy has no commands, tokens or logs; ask the backend at \(proxy.upstream)")
  }
}

/// Judges the upstream's answers as the SDK reads them, and records what was wrong. Called from any loop.
package protocol AnswerJudge: Sendable {
  func judge(_ answer: JudgedAnswer)
  var report: ClauseReport { get }
  /// Forgets all of them.
  func reset()
}

/// The clauses that the upstream was seen to keep, and those that it broke.
package struct ClauseReport: Sendable {
  /// A clause that was tested.
  package struct Line: Sendable {
    package let number: Int
    package let rule: String
    package let remedy: String
    package let judged: Int
    package let broken: Int
    /// How it was first broken.
    package let example: String?

    package init(number: Int, rule: String, remedy: String, judged: Int, broken: Int, example: String?) {
      (self.number, self.rule, self.remedy) = (number, rule, remedy)
      (self.judged, self.broken, self.example) = (judged, broken, example)
    }
  }

  package let answers: Int
  package let lines: [Line]

  package init(answers: Int, lines: [Line]) { (self.answers, self.lines) = (answers, lines) }
}
