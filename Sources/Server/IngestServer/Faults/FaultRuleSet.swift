import Base
import Synchronization

/// All rules with their counts. A value: the same requests in the same order get the same faults, and the draws for one device
/// do not depend on other devices.
struct FaultRuleSet: Sendable {
  /// How many devices a rule counts individually. Further devices draw by the rule's common count.
  fileprivate static let devicesCounted = 100_000

  /// A rule and its counts.
  struct Entry: Sendable {
    fileprivate(set) var rule: FaultRule
    /// Requests that matched, whether or not they got the fault.
    fileprivate(set) var matched: UInt64 = 0
    /// Requests that got the fault.
    fileprivate(set) var hits: UInt64 = 0
    fileprivate var draws: [UInt64: UInt64] = [:]

    init(_ rule: FaultRule) { self.rule = rule }
  }

  private(set) var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Replaces the rules of the owner. Counts start at zero, unless those of unchanged rules are kept.
  mutating func replace(_ rules: [FaultRule], of owner: String, keepsCounts: Bool = false) {
    let before = entries.filter { $0.rule.owner.isExactly(owner) }
    entries.removeAll { $0.rule.owner.isExactly(owner) }
    entries += rules.map { rule in
      guard keepsCounts, var entry = before.first(where: { rule.continues($0.rule) }) else { return Entry(rule) }
      entry.rule = rule
      return entry
    }
  }

  /// Removes the rules of an owner, or all rules; returns how many it removed.
  mutating func clear(of owner: String?) -> Int {
    let before = entries.count
    entries.removeAll { owner == nil || $0.rule.owner.isExactly(owner) }
    return before - entries.count
  }

  /// Returns the fault of a request among those decided at these stages, by the first rule in the list that applies.
  mutating func decide(_ request: FaultRequest, at stages: ServerFault.Stages) -> AppliedFault? {
    for index in entries.indices where stages.contains(entries[index].rule.fault.kind.stage) {
      if entries[index].rule.concerns(request), let applied = entries[index].decide(for: request.device) {
        return applied
      }
    }
    return nil
  }

  /// Returns the fault of a handshake, by the first rule in the list that applies.
  mutating func decide(_ handshake: FaultHandshake) -> AppliedFault? {
    for index in entries.indices where entries[index].rule.concerns(handshake) {
      if let applied = entries[index].decide(for: handshake.host ?? "") { return applied }
    }
    return nil
  }
}

extension FaultRuleSet.Entry {
  /// Whether the fault applies to this occurrence of what the rule matches.
  fileprivate mutating func decide(for device: String) -> AppliedFault? {
    matched += 1
    guard matched > UInt64(rule.match.skip), rule.match.count.map({ hits < UInt64($0) }) ?? true else { return nil }
    var stream = nextStream(for: device)
    guard stream.chance(rule.match.share) else { return nil }
    hits += 1
    return AppliedFault(rule: rule.id, fault: rule.fault, delay: rule.fault.drawDelay(from: &stream))
  }

  /// Each request of a device has two draws: whether the fault applies, and the delay.
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

/// The fault rules of a running server. Without rules a request costs one flag check.
final class FaultBoard: Sendable {
  private let plan = Mutex(FaultRuleSet())
  private let hasRules = Atomic(false)
  private let hasTags = Atomic(false)
  private let hasRequestRules = Atomic(false)
  private let hasHandshakeRules = Atomic(false)

  var isEmpty: Bool { !hasRules.load(ordering: .acquiring) }

  /// Whether a rule needs the tags of the device.
  var asksForTags: Bool { hasTags.load(ordering: .acquiring) }

  /// Whether a rule needs the complete request.
  var concernsRequests: Bool { hasRequestRules.load(ordering: .acquiring) }

  /// Whether a rule concerns handshakes.
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

  /// Removes the rules that were set in this run, or all; returns their number.
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

  /// Returns the rules that were set in this run, or in any, in order, with their counts.
  func entries(of owner: String?) -> [FaultRuleSet.Entry] {
    plan.withLock { plan in plan.entries.filter { owner == nil || $0.rule.owner.isExactly(owner) } }
  }
}
