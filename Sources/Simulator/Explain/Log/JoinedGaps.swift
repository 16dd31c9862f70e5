import Base

/// The gaps of a phone with several logs: where none of them has a record.
extension RecordJoin {
  func gapsInLogs(above milliseconds: Int64) -> [Gap] {
    let logs = logs.filter { $0.recordCount > 0 }
    let spans = logs.compactMap(\.span)
    // Times of which some are local do not belong together.
    guard logs.count > 1, spans.count == logs.count, Set(logs.map(\.zone.isKnown)).count == 1,
      let begin = spans.map(\.lowerBound).min(), let end = spans.map(\.upperBound).max()
    else { return logs.flatMap(\.gaps) }
    let pieces = logs.flatMap { $0.gaps + $0.shortEdges }
    let bounds = [begin] + logs.flatMap(\.recordTimes).sorted() + [end]
    let last = bounds.count - 2
    return zip(bounds, bounds.dropFirst()).enumerated().compactMap { index, bounds in
      guard bounds.1.milliseconds(since: bounds.0) > milliseconds else { return nil }
      let edge: Gap.Edge = index == 0 ? .logBegins : index == last ? .logEnds : .none
      return Gap(from: bounds.0, to: bounds.1, edge, of: pieces, in: spans)
    }
  }
}

extension Gap {
  /// Joins what logs tell of the time between two records, as the gaps and the edges of each by itself.
  fileprivate init(
    from start: WallInstant, to end: WallInstant, _ edge: Edge, of pieces: [Gap], in spans: [ClosedRange<WallInstant>]
  ) {
    let parts = pieces.filter { $0.from < end && $0.to > start }.sorted { $0.from < $1.from }
    let wholes = parts.filter { $0.from <= start && $0.to >= end }
    if let whole = wholes.first(where: { $0.causes.first != .unknown }) ?? wholes.first {
      self = whole
    } else {
      self.init(
        from: start, to: end, lines: parts.count == 1 ? parts[0].lines : nil, place: "between two logs", edge: edge,
        causes: [], reason: "", evidence: parts.flatMap(\.evidence))
      join(parts, untold: Gap.milliseconds(from: start, to: end, outside: spans))
    }
    (from, to, self.edge) = (start, end, edge)
    evidence.removeAll { one in one.time.map { $0 < start || $0 > end } ?? false }
  }

  /// The longest part gives the verdict.
  private mutating func join(_ parts: [Gap], untold: Int64) {
    if !parts.isEmpty {
      place = parts.map { part in
        parts.count > 1 ? part.place + (part.lines.map { ":\($0.lowerBound)-\($0.upperBound)" } ?? "") : part.place
      }.joined(separator: ", ")
    }
    var told = parts.map { ($0.milliseconds, $0.causes, $0.reason) }
    if untold > 0 { told.append((untold, [.unknown], "no log tells of \(StoryText.span(milliseconds: untold)) of it")) }
    for (_, causes, reason) in told.sorted(by: { $0.0 > $1.0 }) {
      self.causes += causes.filter { !self.causes.contains($0) }
      self.reason += (self.reason.isEmpty ? "" : "; ") + reason
    }
  }

  /// How much of a time no log covers.
  private static func milliseconds(
    from start: WallInstant, to end: WallInstant, outside spans: [ClosedRange<WallInstant>]
  ) -> Int64 {
    var (reached, outside) = (start, Int64(0))
    for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) where span.upperBound > reached {
      guard span.lowerBound < end else { break }
      outside += max(0, span.lowerBound.milliseconds(since: reached))
      reached = span.upperBound
    }
    return outside + max(0, end.milliseconds(since: reached))
  }
}
