import Base

/// What a record says, in 32 bytes: its time and its place as they are, quantities and extras as marks that tell whether two
/// are the same. For comparisons of what was sent with what is stored where there are very many of both.
package struct RecordContent: Equatable, Sendable {
  /// Milliseconds since 1970.
  private var time = RecordContent.noTime
  /// In units of the seventh decimal, about a centimetre; `Int32.min`: it says none.
  private var latitude = Int32.min
  private var longitude = Int32.min
  /// Sixteen bits for each of `RecordContent.quantities`; 0: it says none.
  private var marks: (first: UInt64, second: UInt64) = (0, 0)

  private static let (noTime, unreadTime) = (Int64.min, Int64.min + 1)

  /// With the extras as the last.
  private static let quantities = [
    "coords.accuracy", "coords.speed", "coords.heading", "coords.altitude", "odometer", "battery.level", "is_moving",
    "extras",
  ]

  /// Fields are looked for as in any entry of a store.
  package init(_ record: StoredRecord) {
    if record.isBare { return }
    if let value = record.value("timestamp"), !value.isNull {
      time = value.instant?.millisecondsSince1970 ?? RecordContent.unreadTime
    }
    latitude = record.value("coords.latitude")?.degrees ?? .min
    longitude = record.value("coords.longitude")?.degrees ?? .min
    for (index, name) in RecordContent.quantities.enumerated() {
      guard let value = record.value(name), let mark = name == "extras" ? value.markOfExtras : value.mark else {
        continue
      }
      if index < 4 {
        marks.first |= UInt64(mark) << (16 * index)
      } else {
        marks.second |= UInt64(mark) << (16 * index - 64)
      }
    }
  }

  /// What is sent: a record as JSON, whatever its template. Nil for what is not JSON.
  package init?(sent bytes: [UInt8]) {
    guard let value = StoredValue(bytes) else { return nil }
    self.init(StoredRecord(value, fields: []))
  }

  /// It says nothing at all.
  package var isEmpty: Bool { self == .empty }

  /// It has a time, which is none that can be compared: one without a zone, as a rule.
  package var hasUnreadTime: Bool { time == RecordContent.unreadTime }

  package static let empty = RecordContent()

  private init() {}

  package static func == (left: RecordContent, right: RecordContent) -> Bool {
    left.time == right.time && left.latitude == right.latitude && left.longitude == right.longitude
      && left.marks == right.marks
  }

  private var instant: Int64? { time > RecordContent.unreadTime ? time : nil }

  private func mark(_ index: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: index < 4 ? marks.first >> (16 * index) : marks.second >> (16 * index - 64))
  }

  /// What a stored one has otherwise, as half a sentence; nil where all that both say is the same.
  package func difference(from stored: RecordContent) -> String? {
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
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }
}

extension Int32 {
  fileprivate var asDegrees: Double { Double(self) / 10_000_000 }
}

extension Int64 {
  fileprivate var asInstant: String { WallInstant(exactly: self)?.iso8601Text ?? "\(self)" }
}

extension StoredValue {
  fileprivate var degrees: Int32? { double.flatMap { Int32(exactly: ($0 * 10_000_000).rounded()) } }

  /// Never 0. Quantities of records have two decimals; the order of keys and the spelling of numbers make no difference.
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

  /// No extras may be stored as null or as an empty object.
  fileprivate var markOfExtras: UInt16 {
    if case .object(let members) = self, members.isEmpty { return StoredValue.null.markOfExtras }
    return UInt16(1 + canonicalCode % 65_535)
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
