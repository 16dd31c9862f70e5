/// Equality of content, ignoring the order of keys and the notation of numbers.
extension StoredValue {
  package func equals(_ other: StoredValue) -> Bool {
    switch (self, other) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.number(let left), .number(let right)):
      return WrittenNumber(left) == WrittenNumber(right) || isNear(left, right)
    case (.text(let left), .text(let right)): return left.unicodeScalars.elementsEqual(right.unicodeScalars)
    case (.list(let left), .list(let right)): return left.elementsEqual(right) { $0.equals($1) }
    case (.object(let left), .object(let right)):
      return left.count == right.count && left.allSatisfy { member in other[member.key]?.equals(member.value) ?? false }
    case (.null, _), (.bool, _), (.number, _), (.text, _), (.list, _), (.object, _): return false
    }
  }

  /// Fractions are compared as doubles, integers by all their digits.
  private func isNear(_ left: String, _ right: String) -> Bool {
    guard WrittenNumber(left).isFraction || WrittenNumber(right).isFraction, let left = Double(left) else {
      return false
    }
    return left == Double(right)
  }

  /// Returns the difference from what was sent, as `extras.id: 9007199254740992 instead of 9007199254740993`; nil without one.
  package func difference(from sent: StoredValue, at place: String) -> String? {
    if equals(sent) { return nil }
    if case .object(let members) = sent, case .object = self {
      for member in members {
        let inner = "\(place).\(member.key)"
        guard let mine = self[member.key] else { return "\(inner) is missing" }
        if let difference = mine.difference(from: member.value, at: inner) { return difference }
      }
      return "\(place) has more keys than were sent"
    }
    if case .text(let mine) = self, case .text(let theirs) = sent, let form = StoredField.otherForm(mine, theirs) {
      return "\(place): \(form)"
    }
    return "\(place): \(shown.shortened(60)) instead of \(sent.shown.shortened(60))"
  }
}

/// A number as digits and exponent, independent of its notation.
private struct WrittenNumber: Equatable {
  private let isNegative: Bool
  private let digits: [UInt8]
  private let exponent: Int

  /// With a greater one every number is infinite or zero as a double.
  private static let exponentMax = 1_000_000

  init(_ text: String) {
    var (mantissa, exponent) = (Array(text.utf8), 0)
    if let e = mantissa.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      let written = String(decoding: mantissa[(e + 1)...], as: UTF8.self)
      let (least, greatest) = (-WrittenNumber.exponentMax, WrittenNumber.exponentMax)
      exponent = Int(written).map { min(max($0, least), greatest) } ?? (written.hasPrefix("-") ? least : greatest)
      mantissa.removeSubrange(e...)
    }
    if let point = mantissa.firstIndex(of: UInt8(ascii: ".")) {
      exponent -= mantissa.count - point - 1
      mantissa.remove(at: point)
    }
    var digits = Array(mantissa.filter { $0 >= 0x30 }.drop { $0 == 0x30 })
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    isNegative = mantissa.first == UInt8(ascii: "-") && !digits.isEmpty
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  var isFraction: Bool { exponent < 0 }
  /// A canonical text of an integer.
  var wholeText: String { (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + "e\(exponent)" }
}

extension String {
  /// A canonical text: an integer by its digits, a fraction as a double.
  var canonicalNumber: String {
    let number = WrittenNumber(self)
    return number.isFraction ? Double(self).map { "\($0)" } ?? self : number.wholeText
  }
}
