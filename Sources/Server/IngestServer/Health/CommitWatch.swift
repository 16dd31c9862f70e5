import Base
import Store

/// Counts effects of commits that no answer reports, and notifies the operator at most once a minute. Used by the writer's
/// thread only.
struct CommitWatch {
  private static let quietMilliseconds: Int64 = 60_000

  private let metrics: ServerMetrics
  /// Whether receipts are counted here. The devices of a proxy get the answers of another server, so only receipts show what
  /// this one has stored.
  private let countsReceipts: Bool
  private let notify: (ServerNotice) -> Void
  private var evictedFromQuarantine = 0
  private var told: WallInstant?

  init(_ metrics: ServerMetrics, countsReceipts: Bool, notify: @escaping (ServerNotice) -> Void) {
    (self.metrics, self.countsReceipts, self.notify) = (metrics, countsReceipts, notify)
  }

  mutating func committed(_ results: [StoreResult], evictedFromQuarantine count: Int, now: WallInstant) {
    if countsReceipts {
      for case .ingested(let receipt) in results { metrics.stored(receipt) }
    }
    metrics.evictedFromQuarantine(count)
    evictedFromQuarantine += count
    guard evictedFromQuarantine > 0, isTime(now) else { return }
    notify(.evictedFromQuarantine(evictedFromQuarantine))
    (evictedFromQuarantine, told) = (0, now)
  }

  /// Also true when the clock was set back.
  private func isTime(_ now: WallInstant) -> Bool {
    guard let told else { return true }
    return now < told || now.milliseconds(since: told) >= CommitWatch.quietMilliseconds
  }
}
