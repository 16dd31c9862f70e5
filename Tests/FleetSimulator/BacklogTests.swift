import Base
import Testing

@testable import FleetSimulator

/// What waits in a device, beside a plain list of it.
@Suite struct BacklogTests {
  private func uuid(_ row: Int64) -> UUID128 { UUID128(high: 7, low: UInt64(row)) }

  @Test(arguments: [1, 2, 3] as [UInt64], [true, false])
  func theOldestIsTheOneThatIsLeft(seed: UInt64, newestFirst: Bool) {
    var stream = RandomStream(seed: seed, device: 0, concern: 0)
    var (backlog, model): (Backlog, [Int64]) = (Backlog(), [])
    var next: Int64 = 1
    for _ in 0..<2_000 {
      if stream.index(below: 3) > 0 || model.isEmpty {
        next += 1 + Int64(stream.index(below: 2))
        backlog.append(
          Backlog.Record(
            row: next, uuid: uuid(next), insertedAt: MonotonicInstant(nanoseconds: next), ageBefore: .zero,
            faults: 1 << UInt64(next % 60)))
        model.append(next)
      } else if stream.index(below: 8) == 0 {
        let row = model.remove(at: stream.index(below: model.count))
        #expect(backlog.remove(row: row)?.row == row)
      } else {
        let batch = newestFirst ? Array(model.suffix(5).reversed()) : Array(model.prefix(5))
        let faults = batch.reduce(0) { $0 | 1 << UInt64($1 % 60) }
        #expect(backlog.sent(batch.map(uuid)) == faults)
        for row in batch {
          let record = backlog.remove(row: row)
          #expect(record?.uuid == uuid(row) && record?.requests ?? 0 > 0)
        }
        model.removeAll { batch.contains($0) }
      }
      #expect(backlog.remove(row: next + 1) == nil && backlog.sent([uuid(next + 1)]) == 0)
      #expect(backlog.count == model.count && backlog.oldest?.row == model.first)
    }
  }
}
