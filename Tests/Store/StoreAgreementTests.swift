import Base
import PostgresStore
import Store
import Support
import Testing

/// The same jobs give the same answers from both stores, whatever stands beside them in a group.
@Suite(.enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct StoreAgreementTests {
  /// A store, and the numbers that it gave to what the jobs have made so far.
  fileprivate struct Side {
    let store: any Store
    var orders: [Int64] = []
    var families: [Int64] = []

    /// The answers without the store's own numbers.
    mutating func apply(_ jobs: [(Side) -> StoreJob], now: WallInstant) -> [String] {
      let jobs = jobs.map { $0(self) }
      let results = store.apply(jobs, now: now)
      for case .queued(let id, true) in results { orders.append(id) }
      for case .family(let id) in results { families.append(id) }
      return results.map { text(of: $0) }
    }

    private func order(_ id: Int64) -> String { orders.firstIndex(of: id).map { "order \($0)" } ?? "no order" }

    private func text(of result: StoreResult) -> String {
      switch result {
      case .ingested(let receipt):
        let commands = receipt.commands.map { order($0.id) + " \($0.command)" }
        return
          "\(receipt.accepted) \(receipt.duplicate) \(receipt.quarantined) \(commands) \(receipt.confirmed.map(order).sorted())"
      case .queued(let id, let isNew): return "queued \(order(id)) \(isNew)"
      case .commands(let commands): return "\(commands.map { order($0.id) + " \($0.command)" })"
      case .family(let id): return "family \(families.firstIndex(of: id) ?? -1)"
      case .rotated(let id): return "rotated \(families.firstIndex(of: id) ?? -1)"
      case .rotatedBefore(let id, let answer): return "before \(families.firstIndex(of: id) ?? -1) \(answer)"
      case .tooManyCommands, .changed, .refused, .unavailable: return "\(result)"
      }
    }
  }

  /// Makes jobs that meet each other: few devices, few tags, few tokens.
  private struct Jobs {
    var random: SeededGenerator
    var now = Sample.noon
    var orderCount = 0
    var familyCount = 0
    var tokens: [UUID128] = []
    var tokenCount = 0
    var seen: Set<DeviceIdentity> = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func device() -> DeviceIdentity {
      Sample.device(random.index(below: 3), run: random.index(below: 2) == 0 ? "" : "test\0\u{10FFFF}")
    }

    private mutating func credential() -> TokenCredential? {
      guard familyCount > 0, random.index(below: 3) == 0 else { return nil }
      return TokenCredential(
        family: Int64(random.index(below: familyCount)),
        issuedAt: now.advanced(byMilliseconds: -Int64(random.index(below: 60_000))),
        isBinding: random.index(below: 3) > 0)
    }

    private mutating func batch() -> IngestBatch {
      let device = device()
      seen.insert(device)
      let numbers = (0..<random.index(below: 12)).map { _ in random.index(below: 300) }
      var batch = Sample.batch(
        device, numbers,
        at: { number in
          switch number % 10 {
          case 0: 0
          case 1: Sample.noon.millisecondsSince1970 - Int64(number) * Sample.day / 100
          case 2: Sample.noon.millisecondsSince1970 + Int64(number) * Sample.day / 20
          default: Sample.noon.millisecondsSince1970 + Int64(number) * 3_000
          }
        }, received: now, parameters: random.index(below: 3) == 0 ? "" : "{\"n\":\(random.index(below: 3))}")
      for index in batch.points.indices {
        batch.points[index].isMoving = random.index(below: 3) == 0 ? nil : random.index(below: 2) == 0
        batch.points[index].odometer = random.index(below: 2) == 0 ? nil : Double(random.index(below: 5) * 500)
        if random.index(below: 3) == 0 { batch.points[index].event = random.index(below: 2) == 0 ? nil : "a\0b" }
      }
      if random.index(below: 4) == 0, let first = batch.points.first {
        batch.quarantined = (0..<2).map { _ in
          QuarantinedItem(
            identity: Sample.uuid(random.index(below: 20)), reason: "json", detail: "\0", record: first.record)
        }
      }
      batch.commandLimit = random.index(below: 4)
      return batch
    }

    private mutating func order() -> QueuedCommand {
      let target: QueuedCommand.Target =
        switch random.index(below: 4) {
        case 0: .everyone(run: device().run)
        case 1: .tag("tag\(random.index(below: 2))", run: device().run)
        default: .device(device())
        }
      let proof: CommandProof? =
        switch random.index(below: 4) {
        case 0: .motionChange(isMoving: random.index(below: 2) == 0)
        case 1: .odometer(metres: Double(random.index(below: 3) * 500))
        default: nil
        }
      return QueuedCommand(
        target: target, command: [UInt8(random.index(below: 256))],
        expiresAt: now.advanced(byMilliseconds: Int64(random.index(below: 300_000))),
        deduplicationKey: random.index(below: 2) == 0 ? nil : "key\(random.index(below: 2))", proof: proof)
    }

    private mutating func token() -> UUID128 {
      tokenCount += 1
      tokens.append(UUID128(high: 77, low: UInt64(tokenCount)))
      return tokens[tokens.count - 1]
    }

    private mutating func rotation() -> TokenRotation {
      let presented = tokens.isEmpty ? Sample.uuid(1) : tokens[max(0, tokens.count - 1 - random.index(below: 6))]
      let stays = random.index(below: 6) == 0
      return TokenRotation(
        presented: presented, successor: stays ? presented : token(), answer: [UInt8(random.index(below: 256))],
        expiresAt: now.advanced(byMilliseconds: Int64(random.index(below: 600_000))))
    }

    private mutating func selection() -> TokenSelection {
      switch random.index(below: 6) {
      case 0: .all
      case 1: .run(device().run)
      case 2: .family(Int64(max(1, familyCount)))
      default: .device(device())
      }
    }

    mutating func next() -> (Side) -> StoreJob {
      switch random.index(below: 100) {
      case 0..<40:
        var batch = batch()
        let credential = credential()
        return { side in
          batch.credential = credential.map { side.translated($0) }
          return .ingest(batch)
        }
      case 40..<52:
        let order = order()
        return { _ in .queue(order) }
      case 52..<58:
        guard let device = seen.sorted(by: { ($0.run, $0.name) < ($1.run, $1.name) }).first else { return next() }
        let limit = random.index(below: 3)
        return { _ in .takeCommands(device, limit: limit) }
      case 58..<68: return delivery()
      case 68..<72:
        let (device, tags) = (device(), (0..<random.index(below: 3)).map { "tag\($0)" })
        seen.insert(device)
        return { _ in .setTags(device, tags) }
      case 72..<76:
        familyCount += 1
        let family = TokenFamily(
          device: device(), refresh: token(),
          expiresAt: now.advanced(byMilliseconds: Int64(random.index(below: 600_000))))
        return { _ in .beginFamily(family) }
      case 76..<84:
        let rotation = rotation()
        return { _ in .rotate(rotation) }
      case 84..<88:
        let (device, credential) = (device(), credential())
        guard let credential else { return next() }
        return { .checkToken(device, $0.translated(credential)) }
      default: return rare()
      }
    }

    private mutating func delivery() -> (Side) -> StoreJob {
      let (device, isReturned) = (device(), random.index(below: 2) == 0)
      let places = (0..<4).map { max(0, orderCount - 1 - $0) }
      return { side in
        let ids = places.compactMap { side.orders.indices.contains($0) ? side.orders[$0] : nil }
        return isReturned ? .returnCommands(device, ids: ids) : .markDelivered(device, ids: ids)
      }
    }

    private mutating func rare() -> (Side) -> StoreJob {
      switch random.index(below: 14) {
      case 0, 1:
        let selection = selection()
        return { .revokeTokens($0.translated(selection)) }
      case 2, 3:
        let selection = selection()
        return { .expireTokens($0.translated(selection)) }
      case 4, 5:
        let log = UploadedLog(device: device(), receivedAt: now, fileName: "log\0", bytes: [1])
        seen.insert(log.device)
        return { _ in .keepLog(log) }
      case 6...9:
        let device = device()
        seen.remove(device)
        return { _ in .delete(device) }
      case 10, 11:
        let (run, limit) = (device().run, random.index(below: 5))
        return { _ in .clearQuarantine(QuarantineSelection(run: run, reason: "json"), limit: limit) }
      case 12:
        let run = device().run
        seen = seen.filter { $0.run != run }
        return { _ in .reset(run: run) }
      default:
        guard random.index(below: 3) == 0 else { return next() }
        seen = []
        return { _ in .reset(run: nil) }
      }
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func theAnswersAreTheSame(seed: UInt64) throws {
    var configuration = StoreConfiguration(folder: ":memory:")
    configuration.limits.openOrders = 12
    configuration.limits.partitions = 8
    var sqlite = Side(store: try SQLiteStore(configuration))
    var postgres = Side(store: try PostgresStore(at: try PostgresCluster.shared.get().place(), configuration))
    var jobs = Jobs(seed: seed)
    for step in 0..<60 {
      jobs.now = jobs.now.advanced(byMilliseconds: Int64(jobs.random.index(below: 40_000)))
      let group = (0..<1 + jobs.random.index(below: 12)).map { _ in jobs.next() }
      let expected = sqlite.apply(group, now: jobs.now)
      let found = postgres.apply(group, now: jobs.now)
      try #require(found == expected, "seed \(seed) step \(step)")
      jobs.orderCount = sqlite.orders.count
      guard jobs.random.index(below: 5) == 0 else { continue }
      while sqlite.store.maintain(now: jobs.now) {}
      while postgres.store.maintain(now: jobs.now) {}
    }
    #expect(sqlite.store.outage == nil && postgres.store.outage == nil)
  }
}

extension StoreAgreementTests.Side {
  /// A family by the order in which it was made, in the store's own numbers.
  fileprivate func translated(_ credential: TokenCredential) -> TokenCredential {
    var credential = credential
    let place = Int(credential.family)
    credential.family = families.indices.contains(place) ? families[place] : 1_000_000
    return credential
  }

  fileprivate func translated(_ selection: TokenSelection) -> TokenSelection {
    guard case .family = selection else { return selection }
    return .family(families.last ?? 1_000_000)
  }
}
