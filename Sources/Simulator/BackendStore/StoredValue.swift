package import Base
import JSON
package import Scenario

/// A JSON value as written: numbers keep their digits, and texts may be invalid for strict readers. Used to compare what was
/// sent with what is stored.
package indirect enum StoredValue: Sendable {
  case null
  case bool(Bool)
  /// The literal digits.
  case number(String)
  case text(String)
  case list([StoredValue])
  case object([(key: String, value: StoredValue)])

  /// Nil if it is not even structurally JSON.
  package init?(_ bytes: [UInt8]) {
    let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth, isStructureOnly: true)
    var reader = JSONReader(bytes.span, limits: limits)
    do throws(JSONError) {
      self = try StoredValue.read(from: &reader, bytes)
      try reader.finish()
    } catch { return nil }
  }

  /// Interprets a binary column: JSON, a uuid, or otherwise its hexadecimal digits.
  init(stored bytes: [UInt8]) {
    if let first = bytes.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let text = String(validating: bytes, as: UTF8.self)
    {
      self = .text(text)
    } else if bytes.count == 16 {
      let words = bytes.reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
        words = (words.high << 8 | words.low >> 56, words.low << 8 | UInt64(byte))
      }
      var text: [UInt8] = []
      UUID128(high: words.high, low: words.low).append(upperCaseTextTo: &text)
      self = .text(String(decoding: text, as: UTF8.self))
    } else {
      self = .text(bytes.map { $0.zeroPadded(to: 2, radix: 16) }.joined())
    }
  }

  /// Whether the bytes are the beginning of an object that is not complete yet.
  static func isBeginningOfObject(_ bytes: [UInt8]) -> Bool {
    guard bytes.first == UInt8(ascii: "{") else { return false }
    var reader = JSONReader(
      bytes.span, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth, isStructureOnly: true))
    do throws(JSONError) {
      _ = try StoredValue.read(from: &reader, bytes)
      return false
    } catch { return error.code == .unexpectedEnd }
  }

  private static func read(from reader: inout JSONReader, _ bytes: [UInt8]) throws(JSONError) -> StoredValue {
    switch try reader.peek() {
    case .null:
      try reader.readNull()
      return .null
    case .true, .false: return .bool(try reader.readBool())
    case .number: return .number(String(decoding: bytes[try reader.readNumber().range], as: UTF8.self))
    case .string: return .text(text(bytes[try reader.readText().range]))
    case .array:
      var elements: [StoredValue] = []
      try reader.enterArray()
      while try reader.nextElement() { elements.append(try read(from: &reader, bytes)) }
      return .list(elements)
    case .object:
      var members = MemberList()
      try reader.enterObject()
      while let key = try reader.nextKey() {
        let name = text(bytes[key.range])
        members.set(name, to: try read(from: &reader, bytes))
      }
      return .object(members.members)
    }
  }

  /// Decodes the text between the quotes: unpaired surrogates become U+FFFD, as in UTF-8 readers.
  private static func text(_ raw: ArraySlice<UInt8>) -> String {
    guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
    var (units, plain): ([UInt16], [UInt8]) = ([], [])
    var result = ""
    func flush() {
      result += String(decoding: plain, as: UTF8.self) + String(decoding: units, as: UTF16.self)
      (plain, units) = ([], [])
    }
    var rest = raw
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        if !units.isEmpty { flush() }
        plain.append(byte)
        continue
      }
      if escape == UInt8(ascii: "u"), let unit = UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) {
        if !plain.isEmpty { flush() }
        units.append(unit)
        rest = rest.dropFirst(4)
      } else {
        if !units.isEmpty { flush() }
        plain.append(meaning(of: escape))
      }
    }
    flush()
    return result
  }

  private static func meaning(of escape: UInt8) -> UInt8 {
    switch escape {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    default: escape
    }
  }
}

/// Collects the members of an object; of a key that comes twice the last value counts.
private struct MemberList {
  private(set) var members: [(key: String, value: StoredValue)] = []
  /// The places by key once there are many: a list under keys has as many members as records, an entry has few.
  private var places: [ExactText: Int] = [:]

  private static let few = 32

  mutating func set(_ key: String, to value: StoredValue) {
    if let place = places.isEmpty ? members.firstIndex(where: { $0.key.isExactly(key) }) : places[ExactText(key)] {
      members[place].value = value
      return
    }
    members.append((key, value))
    if members.count == MemberList.few {
      for (place, member) in members.enumerated() { places[ExactText(member.key)] = place }
    } else if members.count > MemberList.few {
      places[ExactText(key)] = members.count - 1
    }
  }
}

extension StoredValue {
  package subscript(key: String) -> StoredValue? {
    if case .object(let members) = self { members.first { $0.key.isExactly(key) }?.value } else { nil }
  }

  /// Returns the value at a path such as `coords.latitude`.
  package func value(at path: String) -> StoredValue? {
    var value = self
    for name in path.split(separator: ".") {
      guard let next = value[String(name)] else { return nil }
      value = next
    }
    return value
  }

  /// Returns all values that a JSON path leads to.
  package func values(along path: ArraySlice<JSONStep>) -> [StoredValue] {
    switch path.first {
    case nil: return [self]
    case .member(let name)?: return opened[name]?.values(along: path.dropFirst()) ?? []
    case .element(let index)?:
      guard case .list(let elements) = opened, elements.indices.contains(index) else { return [] }
      return elements[index].values(along: path.dropFirst())
    case .quotient(let divisor)?:
      // -1 says that the device does not know (SDK §5.1).
      return double.map { [$0 == -1 ? self : .number("\($0 / Double(divisor))")] } ?? []
    case .utc?: return [isTimeWithoutZone ? string.map { .text($0 + "Z") } ?? self : self]
    case .everyElement?: return opened.elements.flatMap { $0.values(along: path.dropFirst()) }
    }
  }

  /// The elements of a list, or the members of an object of objects and lists, which is a list under keys (RFC 9535 §2.3.2.2).
  private var elements: [StoredValue] {
    switch self {
    case .list(let elements): return elements
    case .object(let members):
      let values = members.map { $0.value.under($0.key) }
      return values.allSatisfy(\.isContainer) ? values : []
    case .null, .bool, .number, .text: return []
    }
  }

  /// Returns the value that a list has under a key. A uuid there is that of a record without another one.
  func under(_ key: String) -> StoredValue {
    guard case .object(let members) = self, UUID128(stored: key.utf8.span) != nil,
      StoredRecord(self, fields: []).uuid == nil
    else { return self }
    return .object([("uuid", .text(key))] + members)
  }

  private var isContainer: Bool {
    switch self {
    case .list, .object: true
    case .null, .bool, .number, .text: false
    }
  }

  /// The parsed value of a text that is itself JSON, as in stores of complete bodies.
  package var opened: StoredValue {
    guard case .text(let text) = self, let first = text.first, "{[".contains(first) else { return self }
    return StoredValue(Array(text.utf8)) ?? self
  }

  package var isNull: Bool { if case .null = self { true } else { false } }

  package var double: Double? {
    switch self {
    case .number(let digits): Double(digits)
    case .text(let text): Double(text)
    case .null, .bool, .list, .object: nil
    }
  }

  package var string: String? { if case .text(let text) = self { text } else { nil } }

  /// The instant in a usual notation: ISO 8601 with a zone, or a number of seconds, milliseconds, microseconds or nanoseconds.
  package var instant: WallInstant? {
    switch self {
    case .text(let text):
      if let instant = WallInstant(iso8601: text.utf8.span) { return instant }
      let spelled = StoredValue.spelledOut(StoredValue.withoutBlanks(text))
      if spelled != text, let instant = WallInstant(iso8601: spelled.utf8.span) { return instant }
      return Double(text).flatMap(StoredValue.instant)
    case .number(let digits): return Double(digits).flatMap(StoredValue.instant)
    case .null, .bool, .list, .object: return nil
    }
  }

  /// Returns a time of ISO 8601 as RFC 3339 writes it: with the seconds that Java leaves out where they are 0, with a point for a
  /// comma, with the hyphens and colons of a basic form, and without the name of a zone behind its offset (RFC 9557 §4.1).
  private static func spelledOut(_ text: String) -> String {
    var bytes = Array(text.utf8)
    if bytes.last == UInt8(ascii: "]"), let name = bytes.firstIndex(of: UInt8(ascii: "[")) {
      bytes.removeSubrange(name...)
    }
    let basic = "yyyymmddThhmm".utf8.count
    if bytes.count > basic, bytes[8] == UInt8(ascii: "T"), !bytes[..<8].contains(UInt8(ascii: "-")) {
      if bytes.count > basic + 2, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[basic] {
        bytes.insert(UInt8(ascii: ":"), at: basic)
      }
      for (place, mark) in [(11, ":"), (6, "-"), (4, "-")] { bytes.insert(contentsOf: mark.utf8, at: place) }
    }
    let (minute, second) = ("yyyy-mm-ddThh:mm".utf8.count, "yyyy-mm-ddThh:mm:ss".utf8.count)
    if bytes.count > minute, bytes[13] == UInt8(ascii: ":"), "Z+-".utf8.contains(bytes[minute]) {
      bytes.insert(contentsOf: ":00".utf8, at: minute)
    }
    if bytes.count > second, bytes[second] == UInt8(ascii: ",") { bytes[second] = UInt8(ascii: ".") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Removes blanks between date, time and zone, and the zone's letters, as Ruby and Go write them: `2026-11-28 12:20:20
  /// UTC`, `2026-11-28 12:20:20 +0000 UTC`.
  private static func withoutBlanks(_ text: String) -> String {
    guard text.contains(" ") else { return text }
    var parts = text.split(separator: " ")
    if let zone = parts.last, parts.count > 1, zone == "UTC" || zone == "GMT" {
      parts.removeLast()
      let hasOffset = parts.last.map { $0.hasPrefix("+") || $0.hasPrefix("-") } ?? false
      if !hasOffset { parts.append("Z") }
    }
    guard let date = parts.first, parts.count > 1 else { return text }
    return date + (date.contains("T") ? "" : "T") + parts.dropFirst().joined()
  }

  /// Whether it is a date and time without a zone, which does not define an instant.
  package var isTimeWithoutZone: Bool {
    guard instant == nil, let string else { return false }
    return StoredValue.text(string + "Z").instant != nil
  }

  private static func instant(_ number: Double) -> WallInstant? {
    guard let unit = EpochUnit(of: number) else { return nil }
    return Int64(exactly: (number * unit.milliseconds).rounded()).flatMap { WallInstant(exactly: $0) }
  }

  /// Whether it is false or 0, as in a column that does not allow null.
  package var isZero: Bool {
    if case .bool(let flag) = self { return !flag }
    return double == 0
  }

  /// The value as a flag, as databases and texts write it.
  package var flag: Bool? {
    switch self {
    case .bool(let flag): flag
    case .number(let digits), .text(let digits):
      switch digits.lowercased() {
      case "1", "true", "t", "yes", "y": true
      case "0", "false", "f", "no", "n": false
      default: nil
      }
    case .null, .list, .object: nil
    }
  }

  /// The unit of a numeric time.
  package var epochUnit: EpochUnit? {
    if case .text(let text) = self, Double(text) == nil { return nil }
    return double.flatMap { EpochUnit(of: $0) }
  }

  /// The value in one line, for messages.
  package var shown: String {
    switch self {
    case .null: return "null"
    case .bool(let flag): return "\(flag)"
    case .number(let digits): return digits
    case .text(let text):
      var writer = JSONWriter(capacity: text.utf8.count + 2)
      writer.value(text)
      return String(decoding: writer.bytes, as: UTF8.self)
    case .list(let elements): return "[" + elements.map(\.shown).joined(separator: ",") + "]"
    case .object(let members):
      return "{" + members.map { "\"\($0.key)\":\($0.value.shown)" }.joined(separator: ",") + "}"
    }
  }
}

extension String {
  /// Truncates the text to `count` characters.
  package func shortened(_ count: Int) -> String { self.count <= count ? self : prefix(count - 1) + "…" }
}

/// The unit of times since 1970, derived from their size. In each unit, the times from 1973 to 2128 are recognized.
package enum EpochUnit: Sendable {
  case seconds, milliseconds, microseconds, nanoseconds

  init?(of number: Double) {
    switch abs(number) {
    case ..<1e11: self = .seconds
    case ..<1e14: self = .milliseconds
    case ..<1e17: self = .microseconds
    case ..<5e18: self = .nanoseconds
    default: return nil
    }
  }

  fileprivate var milliseconds: Double {
    switch self {
    case .seconds: 1_000
    case .milliseconds: 1
    case .microseconds: 0.001
    case .nanoseconds: 0.000_001
    }
  }
}
