import Base
import Store

/// A store with a bug, around one without: it says of some batches what a good one would have said.
final class LyingStore: Store {
  enum Lie {
    /// From the n-th batch on each n-th one is acknowledged and forgotten.
    case forgetsBatch(each: Int)
    /// Batches are acknowledged first and committed three at a time; after each n-th it crashes, and those that waited are gone.
    case commitsLater(crashEach: Int)
    /// Of each n-th batch of several records the last is left out.
    case dropsLast(each: Int)
    /// Of batches with more records the last is left out.
    case dropsLastOfMany(above: Int)
    /// Of each n-th batch the last record is stored twice, a millisecond apart.
    case storesTwice(each: Int)
    /// Each n-th batch is stored, and said to have been a thousand times as large.
    case miscounts(each: Int)
    /// Tokens that were taken back go on being good.
    case takesAnyToken
  }

  private let honest: SQLiteStore
  private let lie: Lie
  private var batches = 0
  /// Acknowledged and not committed.
  private var waiting: [IngestBatch] = []
  /// What was left out, or stored twice.
  private(set) var violations: [UUID128] = []
  /// How many orders it has not obeyed.
  private(set) var disobeyed = 0

  private static let waitingMax = 3

  init(_ lie: Lie) throws {
    honest = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    self.lie = lie
  }

  var outage: StoreOutage? { honest.outage }
  var outageDetail: String? { honest.outageDetail }
  var evictedFromQuarantine: Int { honest.evictedFromQuarantine }
  func damageFound() { honest.damageFound() }

  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    group.map { job in
      switch job {
      case .ingest(let batch):
        batches += 1
        return ingest(batch, now: now)
      case .expireTokens where isTakingAnyToken, .revokeTokens where isTakingAnyToken:
        disobeyed += 1
        return .changed(1)
      case .read:
        commit(now: now)
        return honest.apply([job], now: now)[0]
      default: return honest.apply([job], now: now)[0]
      }
    }
  }

  private var isTakingAnyToken: Bool { if case .takesAnyToken = lie { true } else { false } }

  private func ingest(_ batch: IngestBatch, now: WallInstant) -> StoreResult {
    var batch = batch
    let accepted = batch.points.count
    switch lie {
    case .forgetsBatch(let each) where batches % each == 0:
      violations += batch.points.map(\.uuid)
      return .ingested(IngestReceipt(accepted: accepted))
    case .commitsLater(let each): return keepForLater(batch, crashEach: each, now: now)
    case .dropsLast(let each) where batches % each == 0 && accepted > 1:
      violations.append(batch.points.removeLast().uuid)
    case .dropsLastOfMany(let most) where accepted > most: violations.append(batch.points.removeLast().uuid)
    case .miscounts(let each) where batches % each == 0:
      _ = honest.apply([.ingest(batch)], now: now)
      return .ingested(IngestReceipt(accepted: 1_000 * accepted))
    case .storesTwice(let each) where batches % each == 0 && accepted > 0:
      var copy = batch.points[accepted - 1]
      copy.recordedAt += 1
      violations.append(copy.uuid)
      batch.points.append(copy)
    case .forgetsBatch, .dropsLast, .dropsLastOfMany, .storesTwice, .miscounts, .takesAnyToken: break
    }
    return honest.apply([.ingest(batch)], now: now)[0]
  }

  private func keepForLater(_ batch: IngestBatch, crashEach each: Int, now: WallInstant) -> StoreResult {
    waiting.append(batch)
    if batches % each == 0 {
      violations += waiting.flatMap { $0.points.map(\.uuid) }
      waiting = []
    } else if waiting.count == LyingStore.waitingMax {
      commit(now: now)
    }
    return .ingested(IngestReceipt(accepted: batch.points.count))
  }

  private func commit(now: WallInstant) {
    for batch in waiting { _ = honest.apply([.ingest(batch)], now: now) }
    waiting = []
  }

  func maintain(now: WallInstant) -> Bool { honest.maintain(now: now) }
  func close() { honest.close() }
}
