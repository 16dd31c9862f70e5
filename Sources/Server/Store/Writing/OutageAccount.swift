package import Base

/// Tracks outages of the store for its operators: one notice when an outage begins and one when it ends, however many jobs it
/// refuses and however often it recurs.
package struct OutageAccount: Sendable {
  /// The notices to report.
  package enum Change: Equatable, Sendable {
    case began(StoreOutage)
    /// With the duration of the outage and the number of refused jobs.
    case ended(StoreOutage, lasted: Nanoseconds, refused: Int)
  }

  /// An outage that begins sooner after another is reported when it lasts until then; otherwise its jobs count with the next.
  private static let quiet = Nanoseconds.seconds(10)

  private var current: (outage: StoreOutage, since: MonotonicInstant)?
  private var refused = 0
  private var told: MonotonicInstant?
  private var isTold = false

  package init() {}

  /// Returns the notices for the store's state after a group in which `count` jobs were refused.
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
