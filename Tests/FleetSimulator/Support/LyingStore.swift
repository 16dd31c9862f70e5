import Base
import Store

/// A store with a bug, around one without: it says of some batches what a good one would have said.
final class LyingStore: Store {
  enum Lie {
    /// From the n-th batch on each n-th one is acknowledged and forgotten.
    case forgetsBatch(each: Int)
    /// Of each n-th batch of several records the last is left out.
    case dropsLast(each: Int)
    /// Of batches with more records the last is left out.
    case dropsLastOfMany(above: Int)
    /// Of each n-th batch the last record is stored twice, a millisecond apart.
    case storesTwice(each: Int)
    /// Each n-th batch is stored, and said to have been a thousand times as large.
    case miscounts(each: Int)
  }

  private let honest: SQLiteStore
  private let lie: Lie
  private var batches = 0
  /// What was left out, or stored twice.
  private(set) var victims: [UUID128] = []

  init(_ lie: Lie) throws {
    honest = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    self.lie = lie
  }

  var outage: StoreOutage? { honest.outage }

  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    group.map { job in
      guard case .ingest(var batch) = job else { return honest.apply([job], now: now)[0] }
      batches += 1
      let accepted = batch.points.count
      switch lie {
      case .forgetsBatch(let each) where batches % each == 0:
        victims += batch.points.map(\.uuid)
        return .ingested(IngestReceipt(accepted: accepted))
      case .dropsLast(let each) where batches % each == 0 && accepted > 1:
        victims.append(batch.points.removeLast().uuid)
      case .storesTwice(let each) where batches % each == 0 && accepted > 0:
        var copy = batch.points[accepted - 1]
        copy.recordedAt += 1
        victims.append(copy.uuid)
        batch.points.append(copy)
      case .miscounts(let each) where batches % each == 0:
        _ = honest.apply([job], now: now)
        return .ingested(IngestReceipt(accepted: 1_000 * accepted))
      case .dropsLastOfMany(let most) where accepted > most: victims.append(batch.points.removeLast().uuid)
      case .forgetsBatch, .dropsLast, .dropsLastOfMany, .storesTwice, .miscounts: break
      }
      return honest.apply([.ingest(batch)], now: now)[0]
    }
  }

  func maintain(now: WallInstant) -> Bool { honest.maintain(now: now) }
  func close() { honest.close() }
}
