extension Span<UInt8> {
  /// Byte for byte, case-sensitive.
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in indices where unsafe text.utf8Start[index] != self[index] { return false }
    return true
  }

  /// Field names ignore case (RFC 9110 §5.1), however either side is written.
  func isSameName(_ name: StaticString) -> Bool {
    guard count == name.utf8CodeUnitCount else { return false }
    for index in indices {
      let other = unsafe name.utf8Start[index]
      let isLetter = (self[index] | 0x20) &- UInt8(ascii: "a") < 26
      guard self[index] == other || (isLetter && self[index] ^ other == 0x20) else { return false }
    }
    return true
  }

  /// Case of ASCII letters ignored, as for field names, codings and options. `text` is written in lower case and holds
  /// letters, digits and the punctuation from "-" to ":"; the bytes of the span hold no controls. Then setting the bit
  /// that tells the cases apart makes exactly the equal ones equal, and eight bytes can be compared at once.
  package func equals(lowercase text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    guard count >= 8 else {
      for index in indices where unsafe text.utf8Start[index] != self[index] | 0x20 { return false }
      return true
    }
    let pattern = unsafe UnsafeRawPointer(text.utf8Start)
    var index = 0
    while true {
      let theirs = unsafe UInt64(littleEndian: pattern.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      if unsafe word(at: index) | 0x2020_2020_2020_2020 != theirs { return false }
      if index == count - 8 { return true }
      index = min(index + 8, count - 8)
    }
  }

  /// The first line feed in `start..<end`. Eight bytes at a time: incomplete heads are searched again at every arrival.
  func firstLineFeed(from start: Int, to end: Int) -> Int? {
    precondition(start >= 0 && end <= count, "search beyond the bytes")
    var index = start
    while index &+ 8 <= end {
      let difference = unsafe word(at: index) ^ 0x0A0A_0A0A_0A0A_0A0A
      let hits = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      // A borrow can only raise flags above the first true one, so the lowest flag is always right.
      if hits != 0 { return index + hits.trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < end {
      if self[index] == .lineFeed { return index }
      index &+= 1
    }
    return nil
  }

  /// The first byte in `start..<end` that is below space or DEL; `end` when there is none.
  @inline(__always)
  func firstControl(from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count, "search beyond the bytes")
    var index = start
    while index &+ 8 <= end {
      let eight = unsafe word(at: index)
      let seven = eight & 0x7F7F_7F7F_7F7F_7F7F
      let notLow = seven &+ 0x6060_6060_6060_6060
      let delete = seven &+ 0x0101_0101_0101_0101
      let hits = (~notLow | delete) & ~eight & 0x8080_8080_8080_8080
      if hits != 0 { return index &+ hits.trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < end {
      let byte = self[index]
      if byte < .space || byte == .delete { return index }
      index &+= 1
    }
    return end
  }

  /// The first byte in `start..<end` that is not in `ByteSet.token`; `end` when there is none. Field names are letters
  /// and hyphens, which are passed eight at a time; whatever else comes is looked up.
  @inline(__always)
  func firstNonToken(from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count, "search beyond the bytes")
    var index = start
    while index < end {
      if index &+ 8 <= end {
        let eight = unsafe word(at: index)
        let lower = (eight | 0x2020_2020_2020_2020) & 0x7F7F_7F7F_7F7F_7F7F
        let fromA = lower &+ 0x1F1F_1F1F_1F1F_1F1F
        let beyondZ = lower &+ 0x0505_0505_0505_0505
        let notHyphen = ((eight & 0x7F7F_7F7F_7F7F_7F7F) ^ 0x2D2D_2D2D_2D2D_2D2D) &+ 0x7F7F_7F7F_7F7F_7F7F
        let others = ((~fromA | beyondZ) & notHyphen | eight) & 0x8080_8080_8080_8080
        if others == 0 {
          index &+= 8
          continue
        }
        index &+= others.trailingZeroBitCount >> 3
      }
      guard ByteSet.token.contains(self[index]) else { return index }
      index &+= 1
    }
    return end
  }

  /// Eight bytes, the first one lowest. Whoever asks has made sure that they are there.
  @unsafe @inline(__always)
  private func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
  }
}
