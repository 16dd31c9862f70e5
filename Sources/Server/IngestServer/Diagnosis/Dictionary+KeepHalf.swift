extension Dictionary {
  /// Makes room in a full table: removes the half of its entries whose values come last. Removing one at a time would sort the
  /// table at each new entry.
  mutating func keepHalf(first isBefore: (Value, Value) -> Bool) {
    let kept = sorted { isBefore($0.value, $1.value) }.prefix(count / 2)
    self = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
