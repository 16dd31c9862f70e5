/// Goes through the entries of a stored block without copying those that nobody asked for.
struct JournalBlockReader: ~Copyable, ~Escapable {
  /// Where the texts of an entry lie.
  struct Place {
    let number: Int
    let receivedAt: Int64
    let durationMicroseconds: Int64
    let status: Int
    /// Of run, device, method, path, head, body, answer and fault; nil where there is none.
    let texts: InlineArray<8, Range<Int>?>

    var run: Range<Int>? { texts[0] }
    var device: Range<Int>? { texts[1] }
    var path: Range<Int>? { texts[3] }
  }

  private let bytes: Span<UInt8>
  private var offset = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Nil behind the last entry. Throws when the bytes are no entries, which only a damaged file makes them.
  mutating func next() throws(JournalDamage) -> Place? {
    guard offset < bytes.count else { return nil }
    guard bytes.count - offset >= JournalBlock.headBytes else { throw JournalDamage() }
    let number = Int(read() as UInt32)
    let receivedAt: Int64 = read()
    let duration: Int64 = read()
    let status = Int(read() as UInt32)
    let lengths = InlineArray<8, UInt32> { _ in read() }
    var texts = InlineArray<8, Range<Int>?>(repeating: nil)
    for index in lengths.indices where lengths[index] != JournalBlock.none {
      let length = Int(lengths[index])
      guard length <= bytes.count - offset else { throw JournalDamage() }
      texts[index] = offset..<offset + length
      offset += length
    }
    return Place(
      number: number, receivedAt: receivedAt, durationMicroseconds: duration, status: status, texts: texts)
  }

  func matches(_ place: Place, _ filter: JournalFilter) -> Bool {
    if let status = filter.status, place.status != status { return false }
    if let run = filter.run, !isEqual(place.run, run) { return false }
    if let device = filter.device, !isEqual(place.device, device) { return false }
    guard let prefix = filter.pathPrefix, let path = place.path else { return true }
    return isEqual(path.prefix(prefix.utf8.count), prefix)
  }

  func entry(at place: Place) -> JournalEntry {
    JournalEntry(
      run: text(place.texts[0]) ?? "", device: text(place.texts[1]), receivedAt: place.receivedAt,
      durationMicroseconds: place.durationMicroseconds, method: text(place.texts[2]) ?? "",
      path: text(place.texts[3]) ?? "", status: place.status, head: copy(place.texts[4]), body: copy(place.texts[5]),
      answer: copy(place.texts[6]), fault: text(place.texts[7]))
  }

  private func isEqual(_ range: Range<Int>?, _ text: String) -> Bool {
    guard let range, range.count == text.utf8.count else { return false }
    var index = range.lowerBound
    for byte in text.utf8 {
      guard bytes[index] == byte else { return false }
      index += 1
    }
    return true
  }

  private func text(_ range: Range<Int>?) -> String? { range.map { String(decoding: copy($0), as: UTF8.self) } }

  private func copy(_ range: Range<Int>?) -> [UInt8] {
    guard let range else { return [] }
    return [UInt8](capacity: range.count) { target in
      for index in range { target.append(bytes[index]) }
    }
  }

  private mutating func read<Number: FixedWidthInteger>() -> Number {
    var number: Number = 0
    for index in 0..<Number.bitWidth / 8 {
      number |= Number(truncatingIfNeeded: bytes[offset + index]) << Number(index * 8)
    }
    offset += Number.bitWidth / 8
    return number
  }
}
