import Base
import Engine

/// A file of the zone database, TZif (RFC 9636).
enum ZoneFile {
  private static let headerLength = 44

  /// How many of each the header announces, in the order in which it does.
  private struct Counts {
    let utc, standard, leaps, times, types, characters: Int

    func length(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standard + utc
    }
  }

  /// Nil for what is no such file, and for one that counts leap seconds: no clock of a phone does.
  static func rules(in bytes: [UInt8]) -> ZoneRules? {
    var bytes = bytes[...]
    guard let version = version(bytes), let first = takeCounts(&bytes), first.leaps == 0 else { return nil }
    let firstLength = first.length(timeSize: 4)
    guard firstLength <= bytes.count else { return nil }
    // From version 2 on the same follows with times of 64 bits, and the rule for all years to come.
    guard version >= UInt8(ascii: "2") else { return rules(bytes, first, timeSize: 4, rule: nil) }
    bytes = bytes.dropFirst(firstLength)
    guard self.version(bytes) != nil, let second = takeCounts(&bytes), second.leaps == 0 else { return nil }
    let length = second.length(timeSize: 8)
    guard length <= bytes.count else { return nil }
    let footer = bytes.dropFirst(length).split(separator: UInt8(ascii: "\n")).first
    let text = footer.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let rule = ZoneRule(text)
    guard text.isEmpty || rule != nil else { return nil }
    return rules(bytes, second, timeSize: 8, rule: rule)
  }

  private static func version(_ bytes: ArraySlice<UInt8>) -> UInt8? {
    guard bytes.count >= headerLength, bytes.starts(with: Array("TZif".utf8)) else { return nil }
    return bytes[bytes.startIndex + 4]
  }

  private static func takeCounts(_ bytes: inout ArraySlice<UInt8>) -> Counts? {
    let numbers = stride(from: 20, to: headerLength, by: 4).map { Int(number(bytes, at: $0, size: 4)) }
    bytes = bytes.dropFirst(headerLength)
    // Far more than any zone has, and no sum of them overflows.
    guard numbers.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
    return Counts(
      utc: numbers[0], standard: numbers[1], leaps: numbers[2], times: numbers[3], types: numbers[4],
      characters: numbers[5])
  }

  private static func rules(
    _ block: ArraySlice<UInt8>, _ counts: Counts, timeSize: Int, rule: ZoneRule?
  ) -> ZoneRules? {
    let typesStart = counts.times * (timeSize + 1)
    let offsets = (0..<counts.types).map { Int(number(block, at: typesStart + $0 * 6, size: 4)) }
    let limit = ZoneRules.largestOffsetSeconds
    guard var before = offsets.first, offsets.allSatisfy({ $0.magnitude <= limit }) else { return nil }
    var transitions: [ZoneRules.Transition] = []
    for index in 0..<counts.times {
      let type = Int(block[block.startIndex + counts.times * timeSize + index])
      guard type < offsets.count else { return nil }
      let seconds = number(block, at: index * timeSize, size: timeSize)
      let (milliseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000)
      guard !isTooFar, let instant = WallInstant(exactly: milliseconds) else {
        if seconds < 0 { before = offsets[type] }
        continue
      }
      guard transitions.last.map({ $0.instant < instant }) ?? true else { return nil }
      transitions.append(ZoneRules.Transition(at: instant, offsetSeconds: offsets[type]))
    }
    return rule?.rules(before: before, after: transitions) ?? ZoneRules(offsetSeconds: before, transitions: transitions)
  }

  /// Signed, the most significant byte first; the place must be within the block.
  private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int, size: Int) -> Int64 {
    let start = bytes.startIndex + offset
    let isNegative = bytes[start] & 0x80 != 0
    return bytes[start..<start + size].reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}
