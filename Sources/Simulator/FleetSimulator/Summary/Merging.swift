import Base

/// Figures of shards that cannot be of one run.
package struct MergeError: Error, Equatable, Sendable {
  package let message: String
}

extension Figure {
  /// What both count together.
  package mutating func add(_ other: Figure) throws(MergeError) {
    switch (self, other) {
    case (.counter(let count), .counter(let more)): self = .counter(count + more)
    case (.rate(let hits, let total), .rate(let moreHits, let more)):
      self = .rate(hits: hits + moreHits, of: total + more)
    case (.gauge(var series), .gauge(let more)):
      series.add(more)
      self = .gauge(series)
    case (.trend(var spread), .trend(let more)):
      guard spread.resolution == more.resolution else { throw MergeError(message: "trends of different resolution") }
      do throws(HistogramError) { try spread.histogram.merge(more.histogram) } catch {
        throw MergeError(message: "histograms that do not add up: \(error)")
      }
      self = .trend(spread)
    case (.counter, _), (.rate, _), (.gauge, _), (.trend, _): throw MergeError(message: "figures of different kinds")
    }
  }
}

extension LevelSeries {
  /// A series that ended keeps its last level.
  package mutating func add(_ other: LevelSeries) {
    let count = max(levels.count, other.levels.count)
    levels = (0..<count).map { index in
      (levels.isEmpty ? 0 : levels[min(index, levels.count - 1)])
        + (other.levels.isEmpty ? 0 : other.levels[min(index, other.levels.count - 1)])
    }
  }
}

extension Timeline {
  /// Marks are the same in all shards: they are kept once.
  package mutating func add(_ other: Timeline) throws(MergeError) {
    guard width == other.width else { throw MergeError(message: "timelines of different widths") }
    let (last, otherLast) = (intervals.last, other.intervals.last)
    for index in 0..<max(intervals.count, other.intervals.count) {
      if index == intervals.count { intervals.append(Interval(levelsOf: last)) }
      intervals[index].add(index < other.intervals.count ? other.intervals[index] : Interval(levelsOf: otherLast))
    }
    for mark in other.marks where !marks.contains(mark) { marks.append(mark) }
    marks.sort { ($0.from, $0.name) < ($1.from, $1.name) }
  }
}

extension Timeline.Interval {
  /// An interval in which nothing happened after one in which something did.
  init(levelsOf last: Timeline.Interval?) {
    self.init()
    backlog = last?.backlog ?? 0
    active = last?.active ?? 0
    moving = last?.moving ?? 0
  }

  package mutating func add(_ other: Timeline.Interval) {
    created += other.created
    delivered += other.delivered
    uploads += other.uploads
    failed += other.failed
    bytes += other.bytes
    backlog += other.backlog
    active += other.active
    moving += other.moving
    uploadDuration.add(other.uploadDuration)
    deliveryLatency.add(other.deliveryLatency)
  }
}
