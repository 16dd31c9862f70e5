/// One of several processes that share the devices of a run.
package struct Shard: Equatable, Sendable {
  /// From 0 on.
  package let index: Int
  package let count: Int

  /// Nil when the index is not one of the count's.
  package init?(index: Int, count: Int) {
    guard count >= 1, count <= Shard.countMax, (0..<count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// `0/4` to `3/4`; nil for anything else.
  package init?(text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Shard.number(parts[0]), let count = Shard.number(parts[1]) else { return nil }
    self.init(index: index, count: count)
  }

  package var text: String { "\(index)/\(count)" }

  /// Digits alone: no sign, no space.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  /// Beyond it nobody's cluster goes, and a slip of the finger does.
  package static let countMax = 10_000
}

extension RunSetup {
  /// What one shard simulates: every `count`-th device of the whole file. Fleets stay, even when nobody of them is left.
  package func part(_ shard: Shard) -> RunSetup {
    var part = self
    // Every part goes to its end, or they would not add up to a whole.
    part.endingInvariants = []
    var before = 0
    for index in fleets.indices {
      part.fleets[index].members = fleets[index].simulated.filter { (before + $0) % shard.count == shard.index }
      before += fleets[index].devices
    }
    return part
  }
}
