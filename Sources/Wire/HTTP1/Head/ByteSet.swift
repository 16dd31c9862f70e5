/// A set of ASCII bytes as two machine words. A computed constant of this kind folds into the code that asks; a table in
/// a global would cost a check for its lazy initialisation at every byte. Bytes above 127 are in no set.
struct ByteSet {
  let low: UInt64
  let high: UInt64

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word = byte & 64 == 0 ? low : high
    return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
  }

  /// tchar (RFC 9110 §5.6.2): method, field name, transfer coding, connection option.
  @inline(__always)
  static var token: ByteSet { ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

  /// What stands in a path: pchar and "/" (RFC 3986 §3.3), and "[", "]", "|", which browsers and the usual HTTP clients
  /// leave unescaped there. The percent sign is included; its digits are checked when the path is decoded.
  @inline(__always)
  static var path: ByteSet { ByteSet(low: 0x2FFF_FFF2_0000_0000, high: 0x57FF_FFFE_AFFF_FFFF) }

  /// What stands in a query: pchar, "/", "?" (RFC 3986 §3.4), and what the WHATWG URL rules leave unescaped in one.
  @inline(__always)
  static var query: ByteSet { ByteSet(low: 0xAFFF_FFF2_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF) }

  /// reg-name and port of an authority (RFC 3986 §3.2): unreserved, sub-delims, ":". No user
  /// information, and no escapes: a host that must be decoded before it can be compared helps nobody but an attacker.
  @inline(__always)
  static var authority: ByteSet { ByteSet(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

  /// bchars of a multipart boundary (RFC 2046 §5.1.1), space included.
  @inline(__always)
  static var boundary: ByteSet { ByteSet(low: 0xA7FF_FB81_0000_0000, high: 0x07FF_FFFE_87FF_FFFE) }
}
