package import Base

/// An outage of the store, for its operators: one notice when it begins and one when it ends, however many
/// jobs it refuses and however often it comes and goes.
package struct OutageAccount: Sendable {
  /// What there is to tell.
  package enum Change: Equatable, Sendable {
    case began(StoreOutage)
    /// After so long, with so many refused jobs.
    case ended(StoreOutage, lasted: Nanoseconds, refused: Int)
  }

  /// One that begins sooner after another is told when it has lasted until then; if it has not, its jobs count with the next.
  private static let quiet = Nanoseconds.seconds(10)

  private var current: (outage: StoreOutage, since: MonotonicInstant)?
  private var refused = 0
  private var told: MonotonicInstant?
  private var isTold = false

  package init() {}

  /// What the store says now, after a group of which so many jobs were refused.
  package mutating func note(_ outage: StoreOutage?, refused count: Int, now: MonotonicInstant) -> [Change] {
    refused += count
    var changes: [Change] = []
    if outage != current?.outage {
      if let current, isTold {
        changes.append(.ended(current.outage, lasted: now - current.since, refused: refused))
        (isTold, refused) = (false, 0)
      }
      current = outage.map { ($0, now) }
    }
    if let outage, !isTold, told.map({ now - $0 >= OutageAccount.quiet }) ?? true {
      (told, isTold) = (now, true)
      changes.append(.began(outage))
    }
    return changes
  }
}
