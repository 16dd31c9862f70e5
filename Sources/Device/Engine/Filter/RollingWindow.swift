/// The last few numbers of a series.
struct RollingWindow<let capacity: Int>: Sendable {
  private var values = InlineArray<capacity, Double>(repeating: 0)
  private var next: UInt8 = 0
  private(set) var count: UInt8 = 0

  mutating func append(_ value: Double) {
    values[Int(next)] = value
    next = UInt8((Int(next) + 1) % capacity)
    count = UInt8(min(Int(count) + 1, capacity))
  }

  mutating func removeAll() {
    next = 0
    count = 0
  }

  /// Of the last `limit` values, or of as many as there are; nil when there are none.
  func mean(ofLast limit: Int = capacity) -> Double? {
    let used = min(Int(count), limit)
    guard used > 0 else { return nil }
    var sum = 0.0
    for age in 1...used { sum += values[(Int(next) + capacity - age) % capacity] }
    return sum / Double(used)
  }
}
