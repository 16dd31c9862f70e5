/// The serialized form: one byte for the format, then unsigned LEB128 numbers. Range, overflow count, minimum, maximum, high
/// and low half of the sum, number of filled slots, and for each filled slot the gap since the previous one and its count.
/// Every histogram has exactly one such form, and the decoder accepts no other.
extension Histogram {
  private static let format: UInt8 = 1

  package func serialize(into bytes: inout [UInt8]) {
    bytes.append(Histogram.format)
    bytes.append(leb128: highestTrackableValue)
    bytes.append(leb128: overflowCount)
    bytes.append(leb128: minimum ?? 0)
    bytes.append(leb128: maximum ?? 0)
    bytes.append(leb128: UInt64(truncatingIfNeeded: sum >> 64))
    bytes.append(leb128: UInt64(truncatingIfNeeded: sum))
    bytes.append(leb128: UInt64(slots.count { $0 > 0 }))
    var next = 0
    for slot in slots.indices where slots[slot] > 0 {
      bytes.append(leb128: UInt64(slot - next))
      bytes.append(leb128: slots[slot])
      next = slot + 1
    }
  }

  /// Reads the output of `serialize`. `bytes` must contain exactly one histogram.
  package init(serialized bytes: Span<UInt8>) throws(HistogramError) {
    guard bytes.count > 0 else { throw .truncated(offset: 0) }
    guard bytes[0] == Histogram.format else { throw .unknownFormat(bytes[0]) }
    var reader = LEB128Reader(offset: 1)
    let highest = try reader.next(in: bytes)
    guard highest > 0 else { throw .invalidField(offset: 1) }
    self.init(highestTrackableValue: highest)
    overflowCount = try reader.next(in: bytes)
    let least = try reader.next(in: bytes)
    largest = try reader.next(in: bytes)
    let sumHigh = try reader.next(in: bytes)
    sum = UInt128(sumHigh) << 64 | UInt128(try reader.next(in: bytes))
    try readSlots(from: bytes, with: &reader)
    guard reader.offset == bytes.count else { throw .trailingBytes(offset: reader.offset) }
    smallest = count == 0 && least == 0 ? .max : least
    guard isPossible else { throw .contradiction }
  }

  private mutating func readSlots(from bytes: Span<UInt8>, with reader: inout LEB128Reader) throws(HistogramError) {
    let filled = try reader.next(in: bytes)
    count = overflowCount
    var next = 0
    for _ in 0..<filled {
      let offset = reader.offset
      let gap = try reader.next(in: bytes)
      guard gap < UInt64(slots.count - next) else { throw .invalidField(offset: offset) }
      let countOffset = reader.offset
      let slotCount = try reader.next(in: bytes)
      guard slotCount > 0 else { throw .invalidField(offset: countOffset) }
      next += Int(gap) + 1
      slots[next - 1] = slotCount
      let (total, overflow) = count.addingReportingOverflow(slotCount)
      guard !overflow && total <= Histogram.mergedCountLimit else { throw .tooManyValues }
      count = total
    }
    guard count <= Histogram.mergedCountLimit else { throw .tooManyValues }
  }

  /// Whether some sequence of values results in these fields.
  private var isPossible: Bool {
    guard count > 0 else { return smallest == .max && largest == 0 && sum == 0 }
    let first = slots.firstIndex { $0 > 0 }
    let last = slots.lastIndex { $0 > 0 }
    let minimumFits = first.map { $0 == slotIfTracked(smallest) } ?? (smallest > highestTrackableValue)
    let maximumFits = overflowCount > 0 ? largest > highestTrackableValue : last == slotIfTracked(largest)
    return minimumFits && maximumFits && smallest <= largest && sumIsPossible
  }

  private func slotIfTracked(_ value: UInt64) -> Int? {
    value <= highestTrackableValue ? Histogram.slot(of: value) : nil
  }

  /// Whether the sum is possible: one value is the minimum, one is the maximum, every other lies anywhere in its slot between
  /// the two.
  private var sumIsPossible: Bool {
    var least: UInt128 = 0
    var greatest: UInt128 = 0
    for slot in slots.indices where slots[slot] > 0 {
      least += UInt128(slots[slot]) * UInt128(leastValue(inSlot: slot))
      greatest += UInt128(slots[slot]) * UInt128(greatestValue(inSlot: slot))
    }
    if overflowCount > 0 {
      least += UInt128(overflowCount) * UInt128(leastValue(inSlot: nil))
      greatest += UInt128(overflowCount) * UInt128(largest)
    }
    least += UInt128(largest - leastValue(inSlot: slotIfTracked(largest)))
    greatest -= UInt128(greatestValue(inSlot: slotIfTracked(smallest)) - smallest)
    return least <= sum && sum <= greatest
  }

  /// Returns the least value of a slot; nil stands for the values above the range.
  private func leastValue(inSlot slot: Int?) -> UInt64 {
    max(smallest, slot.map(Histogram.lowestValue) ?? highestTrackableValue + 1)
  }

  private func greatestValue(inSlot slot: Int?) -> UInt64 {
    min(largest, slot.map(Histogram.highestValue) ?? .max)
  }
}

/// Unsigned LEB128 (DWARF 5 §7.6): seven bits per byte, least significant first; the top bit is set if another byte follows. A
/// number has one form only, the shortest.
struct LEB128Reader {
  private(set) var offset: Int

  init(offset: Int) { self.offset = offset }

  mutating func next(in bytes: Span<UInt8>) throws(HistogramError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard offset < bytes.count else { throw .truncated(offset: start) }
      let byte = bytes[offset]
      let bits = UInt64(byte & 0x7F)
      let isTooLarge = shift == 63 && byte > 1
      let isNotShortest = shift > 0 && byte == 0
      guard !isTooLarge && !isNotShortest else { throw .invalidField(offset: start) }
      value |= bits << shift
      offset += 1
      if byte < 0x80 { return value }
      shift += 7
    }
  }
}

extension [UInt8] {
  mutating func append(leb128 value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
