extension UInt8 {
  static var tab: UInt8 { 0x09 }
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var quote: UInt8 { 0x22 }
  static var percent: UInt8 { 0x25 }
  static var comma: UInt8 { 0x2C }
  static var hyphen: UInt8 { 0x2D }
  static var dot: UInt8 { 0x2E }
  static var slash: UInt8 { 0x2F }
  static var colon: UInt8 { 0x3A }
  static var semicolon: UInt8 { 0x3B }
  static var equalSign: UInt8 { 0x3D }
  static var question: UInt8 { 0x3F }
  static var backslash: UInt8 { 0x5C }
  static var delete: UInt8 { 0x7F }

  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  var isBlank: Bool { self == .space || self == .tab }
  /// CTL without the horizontal tab: never part of a field value, a reason phrase or a quoted string.
  var isForbiddenControl: Bool { (self < .space && self != .tab) || self == .delete }

  /// 0...15, or nil.
  var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
