extension Unicode.Scalar {
  var isLineTerminator: Bool { self == "\n" || self == "\r" || self == "\u{2028}" || self == "\u{2029}" }

  var isDigit: Bool { ("0"..."9").contains(self) }

  /// JSON5 §8: the white space and the line ends of ECMAScript 5.1.
  var isJSON5Space: Bool {
    switch self {
    case "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{FEFF}": true
    default: isLineTerminator || (!isASCII && properties.generalCategory == .spaceSeparator)
    }
  }

  var startsIdentifier: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "$", "_": return true
    default: break
    }
    guard !isASCII else { return false }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: return true
    default: return false
    }
  }

  var continuesIdentifier: Bool {
    if startsIdentifier || isDigit || self == "\u{200C}" || self == "\u{200D}" { return true }
    guard !isASCII else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return true
    default: return false
    }
  }

  var hexadecimalValue: UInt32? {
    switch self {
    case "0"..."9": value - 0x30
    case "a"..."f": value - 0x61 + 10
    case "A"..."F": value - 0x41 + 10
    default: nil
    }
  }

  /// For messages: what cannot be seen is told by its number.
  var shown: String {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
      "U+" + String(repeating: "0", count: max(0, 4 - String(value, radix: 16).count))
        + String(value, radix: 16, uppercase: true)
    default: "'\(self)'"
    }
  }
}
