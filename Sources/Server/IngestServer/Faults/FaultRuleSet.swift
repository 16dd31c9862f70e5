import Base
import Synchronization

/// All rules with what they have done so far. A value: the same requests in the same order meet the same faults, and the
/// draws for one device do not depend on what other devices do.
struct FaultRuleSet: Sendable {
  /// Devices whose requests a rule counts one by one. Those beyond draw by the rule's common count.
  fileprivate static let devicesCounted = 100_000

  /// A rule and what it has met.
  struct Entry: Sendable {
    fileprivate(set) var rule: FaultRule
    /// Requests that matched, whatever became of them.
    fileprivate(set) var matched: UInt64 = 0
    /// Requests that met the fault.
    fileprivate(set) var hits: UInt64 = 0
    fileprivate var draws: [UInt64: UInt64] = [:]

    init(_ rule: FaultRule) { self.rule = rule }
  }

  private(set) var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Puts the rules in place of those of the same owner. Counts start at zero, unless they are kept where a rule says what
  /// it said before.
  mutating func replace(_ rules: [FaultRule], of owner: String, keepsCounts: Bool = false) {
    let before = entries.filter { $0.rule.owner.isExactly(owner) }
    entries.removeAll { $0.rule.owner.isExactly(owner) }
    entries += rules.map { rule in
      guard keepsCounts, var entry = before.first(where: { rule.continues($0.rule) }) else { return Entry(rule) }
      entry.rule = rule
      return entry
    }
  }

  /// Takes away the rules of an owner, or of all, and says how many there were.
  mutating func clear(of owner: String?) -> Int {
    let before = entries.count
    entries.removeAll { owner == nil || $0.rule.owner.isExactly(owner) }
    return before - entries.count
  }

  /// The fault that meets a request, of those that are decided at these stages; the first rule in the list that decides so.
  mutating func decide(_ request: FaultRequest, at stages: ServerFault.Stages) -> AppliedFault? {
    for index in entries.indices where stages.contains(entries[index].rule.fault.kind.stage) {
      if entries[index].rule.concerns(request), let applied = entries[index].decide(for: request.device) {
        return applied
      }
    }
    return nil
  }

  /// The fault that meets a handshake: of the first rule in the list that decides so.
  mutating func decide(_ handshake: FaultHandshake) -> AppliedFault? {
    for index in entries.indices where entries[index].rule.concerns(handshake) {
      if let applied = entries[index].decide(for: handshake.host ?? "") { return applied }
    }
    return nil
  }
}

extension FaultRuleSet.Entry {
  /// What the rule concerns is met or is not.
  fileprivate mutating func decide(for device: String) -> AppliedFault? {
    matched += 1
    guard matched > UInt64(rule.match.skip), rule.match.count.map({ hits < UInt64($0) }) ?? true else { return nil }
    var stream = nextStream(for: device)
    guard stream.chance(rule.match.share) else { return nil }
    hits += 1
    return AppliedFault(rule: rule.id, fault: rule.fault, delay: rule.fault.drawDelay(from: &stream))
  }

  /// Two draws belong to each request of a device: whether, and how long.
  private mutating func nextStream(for device: String) -> RandomStream {
    let hash = FNV1a.hash(device)
    var n = matched
    if draws[hash] != nil || draws.count < FaultRuleSet.devicesCounted {
      n = draws[hash, default: 0]
      draws[hash] = n + 1
    }
    return RandomStream(seed: rule.seed, device: hash, concern: FNV1a.hash(rule.id), n: 2 * n)
  }
}

extension ServerFault {
  fileprivate func drawDelay(from stream: inout RandomStream) -> Nanoseconds {
    switch self {
    case .delay(let range), .delayAfterCommit(let range), .slowHandshake(let range):
      .milliseconds(range.lowerBound + Int64(stream.integer(below: UInt64(range.upperBound - range.lowerBound) + 1)))
    case .dribble(_, let pause): .milliseconds(pause)
    default: .zero
    }
  }
}

/// The plan of a running server. Without rules a request costs one look at a flag.
final class FaultBoard: Sendable {
  private let plan = Mutex(FaultRuleSet())
  private let hasRules = Atomic(false)
  private let hasTags = Atomic(false)
  private let hasRequestRules = Atomic(false)
  private let hasHandshakeRules = Atomic(false)

  var isEmpty: Bool { !hasRules.load(ordering: .acquiring) }

  /// Whether a rule wants to know the tags of the device.
  var asksForTags: Bool { hasTags.load(ordering: .acquiring) }

  /// Whether a rule decides by the whole request what becomes of it.
  var concernsRequests: Bool { hasRequestRules.load(ordering: .acquiring) }

  /// Whether a rule is about handshakes.
  var concernsHandshakes: Bool { hasHandshakeRules.load(ordering: .acquiring) }

  func decide(_ handshake: FaultHandshake) -> AppliedFault? { plan.withLock { $0.decide(handshake) } }

  func decide(_ request: FaultRequest, at stages: ServerFault.Stages) -> AppliedFault? {
    plan.withLock { $0.decide(request, at: stages) }
  }

  func replace(_ rules: [FaultRule], of owner: String, keepsCounts: Bool = false) {
    plan.withLock { plan in
      plan.replace(rules, of: owner, keepsCounts: keepsCounts)
      noteKinds(of: plan)
    }
  }

  /// Takes the rules away that were set in this run, or all; says how many there were.
  func clear(run: String?) -> Int {
    plan.withLock { plan in
      let count = plan.clear(of: run)
      noteKinds(of: plan)
      return count
    }
  }

  private func noteKinds(of plan: FaultRuleSet) {
    hasRules.store(!plan.isEmpty, ordering: .releasing)
    hasTags.store(plan.entries.contains { $0.rule.match.tag != nil }, ordering: .releasing)
    let kinds = plan.entries.filter(\.rule.isEnabled).map(\.rule.fault.kind)
    hasRequestRules.store(kinds.contains { $0.stage == .body }, ordering: .releasing)
    hasHandshakeRules.store(kinds.contains(where: \.isOfHandshake), ordering: .releasing)
  }

  /// The rules that were set in this run, or in any, in their order, with their counts.
  func entries(of owner: String?) -> [FaultRuleSet.Entry] {
    plan.withLock { plan in plan.entries.filter { owner == nil || $0.rule.owner.isExactly(owner) } }
  }
}
