internal import COpenSSL

/// The functions used from OpenSSL. A failure of these calls means that the library is broken or memory is exhausted; there is
/// no fallback.
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

  package static func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = unsafe rr_random_bytes(&bytes, count)
    precondition(done == 1, "OpenSSL has no randomness")
    return bytes
  }

  /// Compares in constant time; the time depends only on the lengths.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe rr_equal_constant_time(left.baseAddress, right.baseAddress, left.count) == 1
      }
    }
  }
}
