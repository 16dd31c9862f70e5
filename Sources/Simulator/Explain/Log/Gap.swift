package import Base
import Contract

/// A period in which a phone made no record, and its cause.
package struct Gap: Equatable, Sendable {
  /// The cause of the gap.
  package enum Cause: String, CaseIterable, Sendable {
    case stationary, suspended, terminated
    case belowDistanceFilter = "below-distance-filter"
    case noFix = "no-fix"
    case rejected
    case notKept = "not-kept"
    case noPermission = "no-permission"
    case schedule
    case stopped
    case unknown
  }

  /// Whether the gap lies between two records or at an end of the log.
  package enum Edge: String, Sendable {
    case none, logBegins, logEnds
  }

  package var from: WallInstant
  package var to: WallInstant
  /// Nil where no log covers it.
  package var lines: ClosedRange<Int>?
  /// The log, or the evidence that there is no record.
  package var place: String
  package var edge: Edge
  /// The first one is the verdict; the others contributed.
  package var causes: [Cause]
  /// The figures behind the verdict, as half a sentence.
  package var reason: String
  package var evidence: [Evidence]

  package var milliseconds: Int64 { to.milliseconds(since: from) }
}

extension Gap {
  init(
    _ findings: GapWatch.Findings, endingAt end: WallInstant, line: Int, file: String, edge: Edge, _ state: LoggedState
  ) {
    from = findings.start
    to = end
    lines = findings.startLine...max(findings.startLine, line)
    place = file
    self.edge = edge
    evidence = findings.events.all
    let judgement = GapJudgement(findings, spanning: end.milliseconds(since: findings.start), state)
    causes = judgement.causes
    reason = judgement.reason
  }
}

/// Determines the cause of a gap.
private struct GapJudgement {
  private(set) var causes: [Gap.Cause] = []
  private(set) var reason = ""

  /// The number of distance filters beyond which a phone that has moved should have received a position.
  private static let filtersMax = 2.0
  private static let usualAccuracy = 20.0

  init(_ findings: GapWatch.Findings, spanning span: Int64, _ state: LoggedState) {
    let mode = GapJudgement.mode(most: findings.milliseconds)
    switch mode {
    case .denied: tell(.noPermission, "location was not permitted")
    case .scheduledOff: tell(.schedule, "the schedule had turned tracking off")
    case .off: tell(.stopped, "tracking was stopped")
    case .atRest: tell(.stationary, "the phone was at rest, and the SDK turns location off then")
    case .unknown: tell(.unknown, "the log does not tell what the phone was doing; a log of the level verbose does")
    case .moving: judgeMotion(findings, spanning: span, state)
    }
    if findings.ended > 0 {
      add(.terminated, "the process was ended and another one began")
    }
    if findings.suspended > 0 {
      add(.suspended, "iOS suspended the app for \(StoryText.span(milliseconds: findings.suspended))")
    }
    if findings.events.count(of: .regionExit) > 0, mode == .atRest, findings.suspended > 0,
      let metres = GapJudgement.metres(findings)
    {
      reason += "; it was \(StoryText.metres(metres)) away when the exit of the stationary region came"
    }
  }

  private static func mode(most milliseconds: [LoggedState.Mode: Int64]) -> LoggedState.Mode {
    let order: [LoggedState.Mode] = [.moving, .atRest, .scheduledOff, .off, .denied, .unknown]
    return order.max { (milliseconds[$0] ?? -1) < (milliseconds[$1] ?? -1) } ?? .unknown
  }

  private mutating func judgeMotion(_ findings: GapWatch.Findings, spanning span: Int64, _ state: LoggedState) {
    let stop = findings.events.count(of: .stopFired) > 0 ? "; it ends with the stop of the trip" : ""
    let rejected = findings.events.count(of: .rejected)
    let unrecorded = findings.events.count(of: .unrecorded)
    if rejected > 0 {
      tell(.rejected, "\(StoryText.count(rejected, "position")) came and \(rejected == 1 ? "was" : "were") refused")
      if state.followsSignificantChanges { add(.noFix, "and nothing else between: significant changes only") }
    } else if unrecorded > 0 {
      tell(.notKept, "\(StoryText.count(unrecorded, "position")) came and became no record")
    } else if state.followsSignificantChanges {
      let way = GapJudgement.metres(findings).map { ", and the next one is \(StoryText.metres($0)) away" } ?? ""
      tell(.noFix, "significant changes only: the system told of no new position" + way)
    } else if let metres = GapJudgement.metres(findings) {
      judge(metres, findings, spanning: span, state, stop)
    } else if findings.ended > span / 2 {
      tell(.terminated, "the process had ended")
    } else {
      tell(.noFix, "location was on and no position came" + stop)
    }
  }

  private mutating func judge(
    _ metres: Double, _ findings: GapWatch.Findings, spanning span: Int64, _ state: LoggedState, _ stop: String
  ) {
    let filter = findings.distanceFilter ?? state.distanceFilter ?? 0
    let slack = (findings.accuracy ?? 0) + (findings.lastAccuracy ?? 0)
    let far = max(filter * GapJudgement.filtersMax, GapJudgement.usualAccuracy) + slack
    let way = "\(StoryText.metres(metres)) from the record before"
    if findings.ended > span / 2 {
      tell(.terminated, "the process had ended; the next record is \(way)")
    } else if metres <= far {
      tell(
        .belowDistanceFilter,
        "moving, location on; the next position is \(way), \(GapJudgement.words(filter, then: findings.nextDistanceFilter))"
          + stop)
    } else if state.platform == .ios, findings.longestQuiet > span / 2 {
      tell(.suspended, "the next position is \(way), and the app wrote no line for most of the time" + stop)
    } else {
      tell(.noFix, "location was on, the next position is \(way), and none came between" + stop)
    }
  }

  private static func words(_ filter: Double, then next: Double?) -> String {
    guard let next, next != filter else { return "the distance filter is \(StoryText.metres(filter))" }
    return "the distance filter was \(StoryText.metres(filter)), then \(StoryText.metres(next))"
  }

  private static func metres(_ findings: GapWatch.Findings) -> Double? {
    guard let from = findings.place, let to = findings.lastPlace else { return nil }
    return from.distanceMetres(to: to)
  }

  private mutating func tell(_ cause: Gap.Cause, _ words: String) {
    causes = [cause]
    reason = words
  }

  private mutating func add(_ cause: Gap.Cause, _ words: String) {
    guard !causes.contains(cause) else { return }
    causes.append(cause)
    reason += "; " + words
  }
}
