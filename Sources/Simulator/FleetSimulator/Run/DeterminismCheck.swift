/// Drives two runs that should be the same side by side, and finds where they part.
package enum DeterminismCheck {
  /// What two runs did not do alike.
  package struct Difference: Equatable, Sendable {
    /// The last event that both had; nil: they part at once.
    package let common: TraceEvent?
    /// The first that is not the same; nil when that run was over. Nil in both: all events are the same, and what was
    /// made of them is not.
    package let first: TraceEvent?
    package let second: TraceEvent?
  }

  /// How many events are compared at a time.
  private static let stretch = 4_096

  /// The report is that of `one`, which goes to its end in any case; the other one ends with the first difference. Both
  /// have a server inside.
  package static func run(
    _ one: FleetRun, beside other: FleetRun, progress: (Double, LedgerSums) -> Void = { _, _ in }
  ) throws -> (report: RunReport, difference: Difference?) {
    let both = [one, other]
    for run in both { run.site.trace.keepsEvents = true }
    var common: TraceEvent?
    var last = stretch
    var isOver = false
    while !isOver {
      isOver = try one.advance(toEvent: last, progress)
      let isOtherOver = try other.advance(toEvent: last)
      let events = both.map { $0.site.trace.takeKept() }
      let equal = zip(events[0], events[1]).prefix { $0 == $1 }.count
      if equal > 0 { common = events[0][equal - 1] }
      if equal < max(events[0].count, events[1].count) || isOver != isOtherOver {
        let parted = events.map { equal < $0.count ? $0[equal] : nil }
        one.site.trace.keepsEvents = false
        _ = try one.advance(toEvent: .max, progress)
        return (one.report(), Difference(common: common, first: parted[0], second: parted[1]))
      }
      last += stretch
    }
    let (report, repeated) = (one.report(), other.report())
    return (report, report == repeated ? nil : Difference(common: common, first: nil, second: nil))
  }
}
