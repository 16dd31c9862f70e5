/// A slow judge of JSON texts, written straight from the grammar of RFC 8259 and apart from the reader: numbers and
/// escapes by tables of states, UTF-8 by asking the standard library whether a beginning can still become a character.
package struct JSONReference {
  /// What becomes of a text. An offset is that of the first byte at which the text cannot be continued to a valid one;
  /// for the last two it is the start of the value.
  package enum Verdict: Equatable {
    case valid
    case endsTooEarly
    case malformed(at: Int)
    case tooDeep(at: Int)
    case numberTooLarge(at: Int)
  }

  private struct Refusal: Error { let verdict: Verdict }

  package private(set) var verdict = Verdict.valid
  /// The keys and string values of a valid text in their order, without escapes.
  package private(set) var strings: [String] = []
  /// The numbers of a valid text in their order.
  package private(set) var numbers: [Double] = []

  private let bytes: [UInt8]
  private let maxDepth: Int
  private var position = 0

  package static func judge(_ bytes: [UInt8], maxDepth: Int = 32) -> Verdict {
    JSONReference(bytes, maxDepth: maxDepth).verdict
  }

  package init(_ bytes: [UInt8], maxDepth: Int = 32) {
    self.bytes = bytes
    self.maxDepth = maxDepth
    do throws(Refusal) {
      try value(depth: 0)
      whiteSpace()
      if position < bytes.count { verdict = .malformed(at: position) }
    } catch {
      verdict = error.verdict
    }
  }

  private var next: Character? { position < bytes.count ? Character(Unicode.Scalar(bytes[position])) : nil }

  /// The byte here cannot stand here, or there is none.
  private var refusal: Refusal {
    Refusal(verdict: position < bytes.count ? .malformed(at: position) : .endsTooEarly)
  }

  private mutating func whiteSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  private mutating func require(_ byte: Character) throws(Refusal) {
    guard next == byte else { throw refusal }
    position += 1
  }

  private mutating func value(depth: Int) throws(Refusal) {
    whiteSpace()
    switch next {
    case "{", "[":
      if depth == maxDepth { throw Refusal(verdict: .tooDeep(at: position)) }
      if next == "{" {
        try members(closing: "}") { reference throws(Refusal) in
          try reference.string()
          reference.whiteSpace()
          try reference.require(":")
          try reference.value(depth: depth + 1)
        }
      } else {
        try members(closing: "]") { reference throws(Refusal) in try reference.value(depth: depth + 1) }
      }
    case "\"": try string()
    case "t": for letter in "true" { try require(letter) }
    case "f": for letter in "false" { try require(letter) }
    case "n": for letter in "null" { try require(letter) }
    default: try number()
    }
  }

  private mutating func members(
    closing: Character, _ member: (inout JSONReference) throws(Refusal) -> Void
  ) throws(Refusal) {
    position += 1
    whiteSpace()
    if next == closing {
      position += 1
      return
    }
    while true {
      whiteSpace()
      try member(&self)
      whiteSpace()
      if next == closing {
        position += 1
        return
      }
      try require(",")
    }
  }

  /// number = [ minus ] int [ frac ] [ exp ], as states and what leads from one to the other.
  private static let numberStates: [String: [(bytes: String, state: String)]] = [
    "start": [("-", "minus"), ("0", "zero"), ("123456789", "int")],
    "minus": [("0", "zero"), ("123456789", "int")],
    "zero": [(".", "point"), ("eE", "e")],
    "int": [("0123456789", "int"), (".", "point"), ("eE", "e")],
    "point": [("0123456789", "frac")],
    "frac": [("0123456789", "frac"), ("eE", "e")],
    "e": [("+-", "sign"), ("0123456789", "exp")],
    "sign": [("0123456789", "exp")],
    "exp": [("0123456789", "exp")],
  ]

  private mutating func number() throws(Refusal) {
    let start = position
    var state = "start"
    while let byte = next, let step = Self.numberStates[state]?.first(where: { $0.bytes.contains(byte) }) {
      state = step.state
      position += 1
    }
    guard ["zero", "int", "frac", "exp"].contains(state) else { throw refusal }
    // Behind a leading zero the grammar has no digit, and neither has anything that may follow a number.
    if state == "zero", let byte = next, "0123456789".contains(byte) { throw refusal }
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
      throw Refusal(verdict: .numberTooLarge(at: start))
    }
    numbers.append(number)
  }

  /// What may follow a backslash, one class of bytes after the other; the first way that fits is taken.
  private static let escapes: [[String]] = {
    let hex = "0123456789ABCDEFabcdef"
    let notD = "0123456789ABCEFabcef"
    return [
      ["\"\\/bfnrt"],
      ["u", notD, hex, hex, hex],
      ["u", "Dd", "01234567", hex, hex],
      ["u", "Dd", "89ABab", hex, hex, "\\", "u", "Dd", "CDEFcdef", hex, hex],
    ]
  }()

  private mutating func string() throws(Refusal) {
    try require("\"")
    let start = position
    while let byte = next, byte != "\"" {
      if byte == "\\" {
        try escape()
      } else if bytes[position] < 0x20 {
        throw refusal
      } else {
        try character()
      }
    }
    strings.append(Self.unescaped(bytes[start..<position]))
    try require("\"")
  }

  /// By way of UTF-16, in which an escaped surrogate is a code unit like any other.
  private static func unescaped(_ content: ArraySlice<UInt8>) -> String {
    let short: [Character: UInt16] = ["b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "\"": 34, "\\": 92, "/": 47]
    var units: [UInt16] = []
    var rest = Array(String(decoding: content, as: UTF8.self).unicodeScalars.map(Character.init))[...]
    while let character = rest.popFirst() {
      if character != "\\" {
        units += Array(character.utf16)
      } else if let letter = rest.popFirst(), let unit = short[letter] {
        units.append(unit)
      } else {
        units.append(UInt16(String(rest.prefix(4)), radix: 16) ?? 0)
        rest = rest.dropFirst(4)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  private mutating func escape() throws(Refusal) {
    position += 1
    let start = position
    var ways = Self.escapes
    while true {
      let index = position - start
      if ways.contains(where: { $0.count == index }) { return }
      ways = ways.filter { way in next.map { way[index].contains($0) } ?? false }
      if ways.isEmpty { throw refusal }
      position += 1
    }
  }

  /// One character in UTF-8: a byte is in order as long as some continuation completes the sequence.
  private mutating func character() throws(Refusal) {
    let start = position
    while true {
      guard position < bytes.count, Self.canBecomeCharacter(Array(bytes[start...position])) else { throw refusal }
      position += 1
      if String(validating: bytes[start..<position], as: UTF8.self) != nil { return }
    }
  }

  private static func canBecomeCharacter(_ beginning: [UInt8]) -> Bool {
    if String(validating: beginning, as: UTF8.self)?.unicodeScalars.count == 1 { return true }
    guard beginning.count < 4 else { return false }
    // The ranges of second bytes begin and end at these.
    return [0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF].contains { canBecomeCharacter(beginning + [$0]) }
  }
}
