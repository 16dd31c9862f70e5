/// A histogram of times with logarithmic steps, a power of two of steps per doubling. Its memory depends on the
/// largest value only.
package struct StepSpread: Equatable, Sendable {
  /// The binary logarithm of the number of steps per doubling.
  package let bits: Int
  /// The counts by step, from 0.
  package private(set) var counts: [Int]

  /// Four steps per doubling: enough for a line in a chart.
  package static let coarse = StepSpread(bits: 2)
  /// 64 steps per doubling: a step is at most 1.6 % wide.
  package static let fine = StepSpread(bits: 6)

  /// More doublings than any run needs.
  private static let doublingsMax = 40

  var slotsMax: Int { StepSpread.doublingsMax << bits }

  package init(bits: Int, counts: [Int] = []) { (self.bits, self.counts) = (bits, counts) }

  package var count: Int { counts.reduce(0, +) }

  package mutating func record(milliseconds: Double) { record(microseconds: UInt64(max(milliseconds, 0) * 1_000)) }

  package mutating func record(microseconds: UInt64) {
    let slot = min(slot(of: microseconds), slotsMax - 1)
    if counts.count <= slot { counts += Array(repeating: 0, count: slot + 1 - counts.count) }
    counts[slot] += 1
  }

  package mutating func add(_ other: StepSpread) {
    precondition(bits == other.bits, "spreads of one kind have the same steps")
    if counts.count < other.counts.count {
      counts += Array(repeating: 0, count: other.counts.count - counts.count)
    }
    for (slot, count) in other.counts.enumerated() { counts[slot] += count }
  }

  /// Returns a percentile in milliseconds, interpolated within its step. Nil without values.
  package func percentile(_ share: Double) -> Double? {
    let total = count
    guard total > 0 else { return nil }
    let rank = max(1, Int((share / 100 * Double(total)).rounded(.up)))
    var passed = 0
    for (slot, count) in counts.enumerated() {
      guard passed + count < rank else {
        let bounds = bounds(of: slot)
        let place = (Double(rank - passed) - 0.5) / Double(count)
        return bounds.lowerBound + place * (bounds.upperBound - bounds.lowerBound)
      }
      passed += count
    }
    return nil
  }

  /// Returns the number of values above a level in milliseconds, assuming equal spacing within its step.
  package func count(above level: Double) -> Double {
    var above = 0.0
    for (slot, count) in counts.enumerated() where count > 0 {
      let bounds = bounds(of: slot)
      let width = bounds.upperBound - bounds.lowerBound
      let share =
        bounds.lowerBound > level ? 1 : width > 0 ? max(0, min(1, (bounds.upperBound - level) / width)) : 0
      above += share * Double(count)
    }
    return above
  }

  /// The sums of all values and of their squares, each at the middle of its step.
  package var sums: (values: Double, squares: Double) {
    var sums = (values: 0.0, squares: 0.0)
    for (slot, count) in counts.enumerated() where count > 0 {
      let value = middle(of: slot)
      sums = (sums.values + Double(count) * value, sums.squares + Double(count) * value * value)
    }
    return sums
  }

  /// Returns the middle of a step in milliseconds.
  package func middle(of slot: Int) -> Double {
    let bounds = bounds(of: slot)
    return (bounds.lowerBound + bounds.upperBound) / 2
  }

  /// Returns the step of a time; whole microseconds below two doublings have one step each.
  private func slot(of microseconds: UInt64) -> Int {
    guard microseconds >> UInt64(bits) > 0 else { return Int(microseconds) }
    let doubling = 63 - bits - microseconds.leadingZeroBitCount
    return doubling << bits + Int(microseconds >> UInt64(doubling))
  }

  /// Returns the bounds of a step in milliseconds.
  private func bounds(of slot: Int) -> ClosedRange<Double> {
    let steps = 1 << bits
    guard slot >= 2 * steps else { return Double(slot) / 1_000...Double(slot) / 1_000 }
    let (doubling, step) = (slot >> bits - 1, slot & (steps - 1) + steps)
    let width = Double(1 << UInt64(doubling)) / 1_000
    return Double(step) * width...Double(step + 1) * width
  }
}
