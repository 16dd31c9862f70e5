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
  private let lies: [Lie]
  private var batches = 0
  private(set) var leftOut: Set<UUID128> = []
  private(set) var storedTwice: Set<UUID128> = []

  /// A batch that several would befall meets the first of them.
  convenience init(_ lies: Lie...) throws { try self.init(lies) }

  init(_ lies: [Lie]) throws {
    honest = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    self.lies = lies
  }

  var outage: StoreOutage? { honest.outage }

  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    group.map { job in
      guard case .ingest(var batch) = job else { return honest.apply([job], now: now)[0] }
      batches += 1
      let accepted = batch.points.count
      switch lies.first(where: { applies($0, to: accepted) }) {
      case .forgetsBatch:
        leftOut.formUnion(batch.points.map(\.uuid))
        return .ingested(IngestReceipt(accepted: accepted))
      case .dropsLast, .dropsLastOfMany: leftOut.insert(batch.points.removeLast().uuid)
      case .storesTwice:
        var copy = batch.points[accepted - 1]
        copy.recordedAt += 1
        storedTwice.insert(copy.uuid)
        batch.points.append(copy)
      case .miscounts:
        _ = honest.apply([job], now: now)
        return .ingested(IngestReceipt(accepted: 1_000 * accepted))
      case nil: break
      }
      return honest.apply([.ingest(batch)], now: now)[0]
    }
  }

  private func applies(_ lie: Lie, to records: Int) -> Bool {
    switch lie {
    case .forgetsBatch(let each): batches % each == 0
    case .dropsLast(let each): batches % each == 0 && records > 1
    case .dropsLastOfMany(let most): records > most
    case .miscounts(let each): batches % each == 0
    case .storesTwice(let each): batches % each == 0 && records > 0
    }
  }

  func maintain(now: WallInstant) -> Bool { honest.maintain(now: now) }
  func close() { honest.close() }
}
