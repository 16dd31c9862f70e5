import Base

/// An explanation for people: the verdict, the evidence, the advice.
package struct ExplanationText {
  private let explanation: Explanation
  private let clock: PhoneClock

  /// The number of stories with the same words that are reported.
  private static let likeMax = 3

  package init(_ explanation: Explanation) {
    self.explanation = explanation
    clock = PhoneClock(explanation.zone)
  }

  package var text: String {
    var lines = [explanation.verdict]
    let evidence = explanation.stories.flatMap(\.evidence) + explanation.gaps.flatMap(\.evidence)
    if !evidence.isEmpty { lines.append("times are those of \(clock.name)") }
    for gap in explanation.gaps { lines += [""] + self.lines(of: gap) }
    let isOne = if case .record = explanation.subject { true } else { false }
    for (story, like) in shown(explanation.stories) {
      lines.append("")
      if !isOne { lines.append("record \(story.uuid.text): \(story.words)") }
      lines += self.lines(of: story.evidence)
      if like > 0 { lines.append("  and \(StoryText.count(like, "record")) more: \(story.words); --json has all") }
    }
    if !explanation.notes.isEmpty { lines += [""] + explanation.notes.map { "note: \($0)" } }
    let advice = explanation.advice
    if !advice.isEmpty { lines += ["", "what to do"] + advice.map { "  \($0)" } }
    return lines.joined(separator: "\n")
  }

  /// Returns the first stories of each kind; the last of these with the number of further similar ones.
  private func shown(_ stories: [RecordStory]) -> [(story: RecordStory, like: Int)] {
    var counts: [String: Int] = [:]
    for story in stories { counts[story.words, default: 0] += 1 }
    var told: [String: Int] = [:]
    return stories.compactMap { story in
      let place = told[story.words, default: 0] + 1
      told[story.words] = place
      guard place <= Self.likeMax else { return nil }
      return (story, place == Self.likeMax ? (counts[story.words] ?? 0) - place : 0)
    }
  }

  private func lines(of gap: Gap) -> [String] {
    let edge =
      switch gap.edge {
      case .none: ""
      case .logBegins: ", before the first record of the log"
      case .logEnds: ", behind the last record of the log"
      }
    let span =
      "\(clock.full(gap.from)) – \(clock.end(gap.to, after: gap.from)), \(StoryText.span(milliseconds: gap.milliseconds))"
    let causes = gap.causes.map(\.words).joined(separator: "; ")
    let place = gap.place + (gap.lines.map { ":\($0.lowerBound)-\($0.upperBound)" } ?? "")
    return ["\(span): never recorded, \(causes)\(edge)  (\(place))", "  \(gap.reason)"] + lines(of: gap.evidence)
  }

  private func lines(of evidence: [Evidence]) -> [String] {
    let rows = evidence.map { one in
      (time: one.time.map(clock.time) ?? "now", place: one.line.map { "\(one.place):\($0)" } ?? one.place, one)
    }
    let width = min(40, rows.map(\.place.count).max() ?? 0)
    return rows.map { row in
      let time = row.time + String(repeating: " ", count: max(0, 12 - row.time.count))
      let place = row.place + String(repeating: " ", count: max(0, width - row.place.count))
      return "  \(time)  \(place)  \(row.2.words)" + (row.2.quote.isEmpty ? "" : "  | \(row.2.quote)")
    }
  }
}

/// Instants in the local time of the phone's user.
struct PhoneClock {
  private let zone: LogZone

  init(_ zone: LogZone) { self.zone = zone }

  /// `UTC−04:00`.
  var name: String {
    let minutes = zone.offsetMinutes
    guard minutes != 0 else { return "UTC" }
    let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
    let zone = "UTC\(minutes < 0 ? "−" : "+")\(hours.zeroPadded(to: 2)):\(rest.zeroPadded(to: 2))"
    return "the phone, \(zone)"
  }

  /// `14:34:52.600`.
  func time(_ instant: WallInstant) -> String { String(text(of: instant).dropFirst(11).dropLast()) }

  /// `2026-07-28 14:34:52.600`.
  func full(_ instant: WallInstant) -> String { "\(text(of: instant).prefix(10)) \(time(instant))" }

  /// Includes the date only if it differs.
  func end(_ instant: WallInstant, after start: WallInstant) -> String {
    text(of: instant).prefix(10) == text(of: start).prefix(10) ? time(instant) : full(instant)
  }

  private func text(of instant: WallInstant) -> String {
    let local = instant.millisecondsSince1970 + Int64(zone.offsetMinutes) * 60_000
    return (WallInstant(exactly: local) ?? instant).iso8601Text
  }
}
