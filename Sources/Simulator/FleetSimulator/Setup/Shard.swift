/// One of several processes that share the devices of a run.
package struct Shard: Equatable, Sendable {
  /// Counted from 0.
  package let index: Int
  package let count: Int

  /// Nil when the index is not below the count.
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

  /// Reports whether the shard simulates a device, by its index among all devices of all fleets.
  func simulates(_ device: Int) -> Bool { device % count == index }

  /// Reads a number of digits only: no sign, no space.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  /// No cluster is larger; a larger number is a typing error.
  package static let countMax = 10_000
}

extension RunSetup {
  /// Returns the part of one shard: every `count`-th device of the whole run. Fleets remain, even when empty. A part that is
  /// to be added to others runs to its end even when an invariant is violated.
  package func part(_ shard: Shard, isEndedByViolation: Bool = false) -> RunSetup {
    var part = self
    if !isEndedByViolation { part.endingInvariants = [] }
    part.shard = shard
    part.counted = devicesOfWhole
    part.mapped = membersOnMap()
    var before = 0
    for index in fleets.indices {
      // They belong to the whole run and are counted once.
      if shard.index > 0 { part.fleets[index].droppedTrips = 0 }
      part.fleets[index].members = fleets[index].simulated.filter { shard.simulates(before + $0) }
      before += fleets[index].devices
    }
    return part
  }
}
