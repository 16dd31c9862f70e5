import Database
package import Store

/// Finds where two runs that should be the same part.
package enum DeterminismCheck {
  /// The first event that is not the same; nil on one side when that run has ended.
  package struct Difference: Equatable, Sendable {
    package let first: TraceEvent?
    package let second: TraceEvent?
  }

  /// Runs both, and when their checkpoints differ both again, to keep the events of the first stretch that does.
  package static func difference(
    between one: RunSetup, and other: RunSetup, store: () throws -> any Store
  ) throws -> Difference? {
    let runs = [try FleetRun(one, store: store()), try FleetRun(other, store: store())]
    let reports = try runs.map { try $0.run() }
    if reports[0] == reports[1] { return nil }
    let checkpoints = runs.map(\.checkpoints)
    let stretch = zip(checkpoints[0], checkpoints[1]).prefix { $0 == $1 }.count
    let range = stretch * Trace.interval..<(stretch + 1) * Trace.interval
    let events = try [one, other].map { setup in
      let run = try FleetRun(setup, store: store(), recording: range)
      _ = try run.run()
      return run.recorded
    }
    let equal = zip(events[0], events[1]).prefix { $0 == $1 }.count
    return Difference(
      first: equal < events[0].count ? events[0][equal] : nil,
      second: equal < events[1].count ? events[1][equal] : nil)
  }
}
