package import Base
import Scenario

/// Searches an entry of a store for a value under any name, because a value under an unknown name is not missing.
extension StoredValue {
  /// Returns a path to an equal value, as `$.geometry.coordinates[1]`; nil without one. Values that occur in many fields by
  /// coincidence are not searched.
  package func place(of sought: StoredValue) -> String? {
    sought.isDistinctive ? place(of: sought, at: "$", depth: 0) : nil
  }

  /// Returns a path to a uuid under any name; lists are skipped, as they may hold other records.
  package func place(of uuid: UUID128) -> String? { member(at: "$", depth: 0) { $0.uuid == uuid } }

  /// Returns a path to one of these uuids under any name, also in a list.
  package func place(ofAny uuids: Set<UUID128>) -> String? {
    member(at: "$", depth: 0, intoLists: true) { $0.uuid.map(uuids.contains) ?? false }
  }

  /// Returns a path to a time in any notation; lists are skipped, as they may hold other records.
  package func place(of instant: WallInstant) -> String? { member(at: "$", depth: 0) { $0.instant == instant } }

  /// The path to the first uuid under any name.
  var pathOfUUID: String? { member(at: "$", depth: 0) { $0.uuid != nil } }

  private func member(
    at path: String, depth: Int, intoLists: Bool = false, where isSought: (StoredValue) -> Bool
  ) -> String? {
    if isSought(self) { return path }
    guard depth < StoredValue.depthMax else { return nil }
    switch opened {
    case .object(let members):
      for (name, member) in members {
        let inner = path + JSONStep.member(name).text
        let found = member.member(at: inner, depth: depth + 1, intoLists: intoLists, where: isSought)
        if let found { return found }
      }
    case .list(let elements) where intoLists:
      for (index, element) in elements.enumerated() {
        let inner = "\(path)[\(index)]"
        let found = element.member(at: inner, depth: depth + 1, intoLists: intoLists, where: isSought)
        if let found { return found }
      }
    case .null, .bool, .number, .text, .list: break
    }
    return nil
  }

  private static let (depthMax, elementsMax) = (8, 64)
  /// The tolerance for equal numbers.
  private static let tolerance = 1e-5
  /// Degrees may be stored as integers with one of these scales.
  private static let scales = [1.0] + StoredField.partsOfDegrees

  private var isDistinctive: Bool {
    switch self {
    case .number(let digits): Double(digits).map { abs($0) > 0.1 && $0 != $0.rounded() } ?? false
    case .text(let text): text.utf8.count > 2
    case .object(let members): !members.isEmpty
    case .list(let elements): !elements.isEmpty
    case .null, .bool: false
    }
  }

  private func place(of sought: StoredValue, at path: String, depth: Int) -> String? {
    guard depth < StoredValue.depthMax else { return nil }
    let value = opened
    if value.shows(sought) { return path }
    switch value {
    case .object(let members):
      for (name, member) in members {
        let inner = path + JSONStep.member(name).text
        if let found = member.place(of: sought, at: inner, depth: depth + 1) { return found }
      }
    case .list(let elements):
      for (index, element) in elements.prefix(StoredValue.elementsMax).enumerated() {
        if let found = element.place(of: sought, at: "\(path)[\(index)]", depth: depth + 1) { return found }
      }
    case .null, .bool, .number, .text: break
    }
    return nil
  }

  private func shows(_ sought: StoredValue) -> Bool {
    guard case .number(let digits) = sought, let number = Double(digits) else { return equals(sought) }
    func isSame(_ mine: Double) -> Bool {
      StoredValue.scales.contains { abs(mine / $0 - number) <= StoredValue.tolerance * abs(number) }
    }
    switch self {
    case .number(let mine): return Double(mine).map(isSame) ?? false
    case .text(let text): return text.numbers.contains(where: isSame) || text.doublesOfHex.contains(where: isSame)
    case .null, .bool, .list, .object: return false
    }
  }
}

extension String {
  /// The numbers in a text, as in `POINT(-116.3 45.5)`.
  fileprivate var numbers: [Double] {
    utf8.split { byte in
      let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      return !isDigit && byte != UInt8(ascii: "-") && byte != UInt8(ascii: ".")
    }.compactMap { Double(Substring($0)) }
  }

  /// The doubles in hexadecimal bytes, as in the well-known binary form of a point.
  fileprivate var doublesOfHex: [Double] {
    let digits = Array(utf8)
    guard (42...512).contains(digits.count), digits.count.isMultiple(of: 2) else { return [] }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[start...(start + 1)], as: UTF8.self), radix: 16) else { return [] }
      bytes.append(byte)
    }
    return (0...(bytes.count - 8)).flatMap { start in
      let word = bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return [Double(bitPattern: word), Double(bitPattern: word.byteSwapped)]
    }
  }
}
