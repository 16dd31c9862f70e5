import COpenSSL

/// What is taken from OpenSSL. A failure of these calls means that the library is broken or memory is exhausted; there
/// is nothing to fall back to.
package enum Cryptography {
  package static func hmacSHA256(key: [UInt8], _ message: ArraySlice<UInt8>) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(rr_sha256_length))
    let done = unsafe key.withUnsafeBytes { key in
      unsafe message.withUnsafeBytes { message in
        unsafe rr_hmac_sha256(key.baseAddress, key.count, message.baseAddress, message.count, &code)
      }
    }
    precondition(done == 1, "OpenSSL cannot compute an HMAC")
    return code
  }

  package static func sha256(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(rr_sha256_length))
    let done = unsafe message.withUnsafeBytes { unsafe rr_sha256($0.baseAddress, $0.count, &digest) }
    precondition(done == 1, "OpenSSL cannot compute a digest")
    return digest
  }

  static func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = unsafe rr_random_bytes(&bytes, count)
    precondition(done == 1, "OpenSSL has no randomness")
    return bytes
  }

  /// The time taken depends on the lengths alone.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe rr_equal_constant_time(left.baseAddress, right.baseAddress, left.count) == 1
      }
    }
  }
}

/// Base64 with the URL alphabet and without padding (RFC 4648 §5), as JSON Web Tokens write it.
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
  }

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil unless `text` is exactly what `append` would have written: a second spelling of the same bytes would be a
  /// second token with the same signature.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var buffer: UInt32 = 0
    var bits = 0
    for character in text {
      guard let value = value(of: character) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    guard buffer & (1 << UInt32(bits) - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
