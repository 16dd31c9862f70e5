import Base
import Scenario

/// The content of a record in 40 bytes: its time and place exactly, quantities and extras as marks for equality. Used to
/// compare very many sent and stored records.
package struct RecordContent: Equatable, Sendable {
  /// Milliseconds since 1970.
  private var time = RecordContent.noTime
  /// In units of 1e-7 degrees, about a centimetre; `Int32.min`: absent.
  private var latitude = Int32.min
  private var longitude = Int32.min
  /// Sixteen bits for each of `RecordContent.quantities`; 0: absent.
  private var marks: (first: UInt64, second: UInt64) = (0, 0)
  /// Marks of the event, the activity, the geofence's action and its name.
  private var words = RecordWords()

  private static let (noTime, unreadTime) = (Int64.min, Int64.min + 1)

  /// The extras are the last one.
  private static let quantities = [
    "coords.accuracy", "coords.speed", "coords.heading", "coords.altitude", "odometer", "battery.level", "is_moving",
    "extras",
  ]

  /// Finds fields as in any entry of a store.
  package init(_ record: StoredRecord) {
    if record.isBare { return }
    if let value = record.value("timestamp") {
      time = value.instant?.millisecondsSince1970 ?? (value.lacksZone ? RecordContent.unreadTime : RecordContent.noTime)
    }
    latitude = record.value("coords.latitude")?.degrees ?? .min
    longitude = record.value("coords.longitude")?.degrees ?? .min
    for (index, name) in RecordContent.quantities.enumerated() {
      guard let value = record.value(name), let mark = value.mark(of: name) else { continue }
      if index < 4 {
        marks.first |= UInt64(mark) << (16 * index)
      } else {
        marks.second |= UInt64(mark) << (16 * index - 64)
      }
    }
    words = RecordWords(record)
  }

  /// Reads a sent record as JSON, with any template. Nil for invalid JSON.
  package init?(sent bytes: [UInt8]) {
    guard let value = StoredValue(bytes) else { return nil }
    let record = StoredRecord(value, fields: [])
    self.init(record)
    words = RecordWords(sent: record)
  }

  /// Whether it has no content.
  package var isEmpty: Bool { self == .empty }

  /// Whether its time has no zone, so that it cannot be compared.
  package var hasUnreadTime: Bool { time == RecordContent.unreadTime }

  package static let empty = RecordContent()

  private init() {}

  package static func == (left: RecordContent, right: RecordContent) -> Bool {
    left.time == right.time && left.latitude == right.latitude && left.longitude == right.longitude
      && left.marks == right.marks && left.words == right.words
  }

  private var kind: Kind {
    Kind(event: words.event, activity: words.activity, extras: mark(RecordContent.quantities.count - 1))
  }

  private var instant: Int64? { time > RecordContent.unreadTime ? time : nil }

  private func mark(_ index: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: index < 4 ? marks.first >> (16 * index) : marks.second >> (16 * index - 64))
  }

  /// The readable fields of the record.
  private var said: Fields {
    var fields: Fields = []
    if instant != nil { fields.insert(.time) }
    if latitude != .min { fields.insert(.latitude) }
    if longitude != .min { fields.insert(.longitude) }
    for index in RecordContent.quantities.indices where mark(index) != 0 { fields.insert(.quantity(index)) }
    for word in RecordWords.Word.allCases where words.says(word) { fields.insert(.word(word)) }
    return fields
  }

  /// The fields that a store must not omit: without zero or `false`, which some JSON writers omit, and without -1,
  /// which means unknown.
  private var substance: Fields {
    var fields = said
    if latitude == 0 { fields.remove(.latitude) }
    if longitude == 0 { fields.remove(.longitude) }
    for index in RecordContent.quantities.indices where RecordContent.insubstantial.contains(mark(index)) {
      fields.remove(.quantity(index))
    }
    if words.isOfUnknownActivity { fields.remove(.word(.activity)) }
    return fields
  }

  private static let insubstantial = Set([StoredValue.number("0"), .number("-1")].compactMap(\.mark))

  /// Compares a sent record with a stored one.
  package func comparison(with stored: RecordContent) -> Comparison {
    var (shown, lacking) = (said.intersection(stored.said), substance.subtracting(stored.said))
    if stored.hasUnreadTime { lacking.remove(.time) }
    // A store may use a column of that name for something else, or have its own vocabulary.
    var reworded: Fields = []
    for word in RecordWords.Word.allCases where shown.contains(.word(word)) && words.isOther(word, than: stored.words) {
      reworded.insert(.word(word))
    }
    shown.subtract(reworded)
    lacking.formUnion(reworded)
    return Comparison(
      difference: difference(from: stored), kind: kind, shown: shown, lacking: lacking, reworded: reworded,
      hasUnreadTime: stored.hasUnreadTime)
  }

  /// Returns the differences of a stored record, as half a sentence; nil if all common fields are equal.
  private func difference(from stored: RecordContent) -> String? {
    var found: [String] = []
    func compare(_ name: String, _ sent: Int32, _ stored: Int32) {
      guard sent != .min, stored != .min, abs(Int64(sent) - Int64(stored)) > 1 else { return }
      found.append("\(name) \(stored.asDegrees) instead of \(sent.asDegrees)")
    }
    compare("latitude", latitude, stored.latitude)
    compare("longitude", longitude, stored.longitude)
    if let time = instant, let stored = stored.instant, time != stored {
      found.append("timestamp \(stored.asInstant) instead of \(time.asInstant)")
    }
    for (index, name) in RecordContent.quantities.enumerated() {
      let (mine, theirs) = (mark(index), stored.mark(index))
      if mine != 0, theirs != 0, mine != theirs { found.append("\(name) is not what was sent") }
    }
    found += words.differences(from: stored.words)
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }
}

extension RecordContent {
  /// Fields of a record.
  package struct Fields: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let time = Fields(rawValue: 1)
    package static let latitude = Fields(rawValue: 2)
    package static let longitude = Fields(rawValue: 4)
    static let extras = quantity(quantities.count - 1)
    static func quantity(_ index: Int) -> Fields { Fields(rawValue: 8 << UInt16(index)) }
    static func word(_ word: RecordWords.Word) -> Fields {
      Fields.quantity(quantities.count + word.rawValue)
    }

    /// The compared fields that belong to a kept field.
    init(of field: KeptField) {
      let path =
        switch field {
        case .speed, .heading, .altitude, .accuracy: "coords.\(field.rawValue)"
        case .battery: "battery.level"
        case .activity: RecordWords.Word.activity.name
        default: field.rawValue
        }
      self.init(
        indices: Fields.names.indices.filter { Fields.names[$0] == path || Fields.names[$0].hasPrefix("\(path).") })
    }

    /// The fields with these indices in the list of names.
    init(indices: [Int]) { self.init(rawValue: indices.reduce(0) { $0 | 1 << UInt16($1) }) }

    /// The names in order.
    static let names =
      ["timestamp", "latitude", "longitude"] + quantities + RecordWords.Word.allCases.map(\.name)

    package var text: String {
      Fields.names.indices.filter { rawValue >> UInt16($0) & 1 == 1 }.map { Fields.names[$0] }.joined(separator: ", ")
    }
  }

  /// What stores may treat records by: marks of the event, the activity and the extras of a sent record.
  struct Kind: Hashable, Sendable {
    let event: UInt16
    let activity: UInt16
    let extras: UInt16
  }

  /// The comparison of a sent record with its stored form.
  package struct Comparison: Sendable {
    /// The differences, as half a sentence; nil if all common fields are equal.
    package let difference: String?
    let kind: Kind
    /// The fields that both have.
    let shown: Fields
    /// The sent fields that are not stored, or not readable, with those of which the store has a word of its own.
    let lacking: Fields
    let reworded: Fields
    let hasUnreadTime: Bool
  }
}

extension Int32 {
  fileprivate var asDegrees: Double { Double(self) / 10_000_000 }
}

extension Int64 {
  fileprivate var asInstant: String { WallInstant(exactly: self)?.iso8601Text ?? "\(self)" }
}

extension StoredValue {
  /// Whether it begins like a date, so that a text that is not a time with a zone is a time without one.
  fileprivate var lacksZone: Bool {
    guard let text = string?.utf8, text.count >= 10, !text.starts(with: "0000".utf8) else { return false }
    return zip(text, "0000-00-00".utf8).allSatisfy { byte, form in
      form == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : true
    }
  }

  fileprivate var degrees: Int32? { double.flatMap { Int32(exactly: ($0 * 10_000_000).rounded()) } }

  /// Flags may be stored as texts.
  fileprivate func mark(of name: String) -> UInt16? {
    switch name {
    case "extras": markOfExtras
    case "is_moving": flag.map { StoredValue.bool($0).mark } ?? mark
    default: mark
    }
  }

  /// Never 0. Quantities are compared with two decimals; the order of keys and the notation of numbers are ignored.
  fileprivate var mark: UInt16? {
    let code: UInt64
    switch self {
    case .null: return nil
    case .bool(let flag): code = FNV1a.hash(flag ? "100" : "0")
    case .number, .text:
      guard let number = double, let hundredths = Int64(exactly: (number * 100).rounded()) else { return nil }
      code = FNV1a.hash("\(hundredths)")
    case .list, .object: return nil
    }
    return UInt16(1 + code % 65_535)
  }

  /// Null and an empty object are absent extras, as null is an absent quantity.
  fileprivate var markOfExtras: UInt16? {
    switch self {
    case .null: nil
    case .object(let members) where members.isEmpty: nil
    default: UInt16(1 + canonicalCode % 65_535)
    }
  }

  private var canonicalCode: UInt64 {
    switch self {
    case .null: return 1
    case .bool(let flag): return flag ? 2 : 3
    case .number(let digits): return FNV1a.hash("n" + digits.canonicalNumber)
    case .text(let text): return FNV1a.hash("t" + text)
    case .list(let elements): return elements.reduce(5) { $0 &* 31 &+ $1.canonicalCode }
    case .object(let members):
      return members.reduce(7) { $0 &+ FNV1a.hash($1.key) &* ($1.value.canonicalCode | 1) }
    }
  }
}
