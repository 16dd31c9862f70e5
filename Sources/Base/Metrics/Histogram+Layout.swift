extension Histogram {
  /// 2,048 is the first power of two that keeps 3 digits apart with unit steps: 2 × 10³ values.
  private static let unitSlotsLog2 = 11

  /// Half of the unit slots: the slots of each further doubling.
  private static let slotsPerDoublingLog2 = unitSlotsLog2 - 1

  static func slot(of value: UInt64) -> Int {
    let doubling = UInt64.bitWidth - unitSlotsLog2 - (value | (1 << unitSlotsLog2 - 1)).leadingZeroBitCount
    return doubling << slotsPerDoublingLog2 + Int(value >> UInt64(doubling))
  }

  static func lowestValue(inSlot slot: Int) -> UInt64 {
    let doubling = doubling(ofSlot: slot)
    return UInt64(slot - doubling << slotsPerDoublingLog2) << UInt64(doubling)
  }

  static func highestValue(inSlot slot: Int) -> UInt64 {
    lowestValue(inSlot: slot) + (1 << UInt64(doubling(ofSlot: slot)) - 1)
  }

  private static func doubling(ofSlot slot: Int) -> Int { max(0, slot >> slotsPerDoublingLog2 - 1) }
}
