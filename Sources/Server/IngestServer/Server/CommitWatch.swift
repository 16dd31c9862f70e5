import Base
import Store

/// What commits bring that no answer says: counted, and told to the operator at most once a minute. Of the writer's thread.
struct CommitWatch {
  private static let quietMilliseconds: Int64 = 60_000

  private let metrics: ServerMetrics
  /// A proxy's devices have answers of another server: what is kept here only the receipts say.
  private let countsReceipts: Bool
  private let notify: (ServerNotice) -> Void
  private var crowdedOut = 0
  private var told: WallInstant?

  init(_ metrics: ServerMetrics, countsReceipts: Bool, notify: @escaping (ServerNotice) -> Void) {
    (self.metrics, self.countsReceipts, self.notify) = (metrics, countsReceipts, notify)
  }

  mutating func committed(_ results: [StoreResult], crowdedOut count: Int, now: WallInstant) {
    if countsReceipts {
      for case .ingested(let receipt) in results { metrics.stored(receipt) }
    }
    metrics.crowdedOut(count)
    crowdedOut += count
    guard crowdedOut > 0, isTime(now) else { return }
    notify(.crowdedOut(crowdedOut))
    (crowdedOut, told) = (0, now)
  }

  /// Also when the clock was set back.
  private func isTime(_ now: WallInstant) -> Bool {
    guard let told else { return true }
    return now < told || now.milliseconds(since: told) >= CommitWatch.quietMilliseconds
  }
}
