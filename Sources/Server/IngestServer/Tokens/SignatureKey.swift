import Base
import COpenSSL

/// An algorithm that signs with a private key and verifies with a public one (RFC 7518 §3.1, RFC 8037 §3.1).
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
  case rs256 = "RS256"
  case ps256 = "PS256"
  case es256 = "ES256"
  case edDSA = "EdDSA"

  /// The kind of key that it requires.
  var family: SignatureKey.Family {
    switch self {
    case .rs256, .ps256: .rsa
    case .es256: .p256
    case .edDSA: .ed25519
    }
  }

  fileprivate var number: Int32 {
    switch self {
    case .rs256: Int32(rr_rs256)
    case .ps256: Int32(rr_ps256)
    case .es256: Int32(rr_es256)
    case .edDSA: Int32(rr_eddsa)
    }
  }
}

/// A key of OpenSSL. Safe to use from several threads at once.
@safe
package final class SignatureKey: @unchecked Sendable {
  enum Family: Equatable, Sendable {
    case rsa, p256, ed25519
  }

  let family: Family
  private let pointer: OpaquePointer

  private init?(_ family: Family, _ pointer: OpaquePointer?) {
    guard let pointer = unsafe pointer else { return nil }
    self.family = family
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// Returns nil when the numbers do not form a key. The cost of verifying grows with the cube of the length.
  convenience init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
    guard modulus.count <= Self.modulusBytesMax, (1...8).contains(exponent.count), let last = exponent.last,
      last & 1 == 1, exponent.count > 1 || last > 1
    else { return nil }
    let pointer = unsafe modulus.withUnsafeBytes { modulus in
      unsafe exponent.withUnsafeBytes { exponent in
        unsafe rr_rsa_public(modulus.baseAddress, modulus.count, exponent.baseAddress, exponent.count)
      }
    }
    unsafe self.init(.rsa, pointer)
  }

  /// Returns nil when the point is not on the curve.
  convenience init?(p256 x: [UInt8], _ y: [UInt8]) {
    guard x.count == 32, y.count == 32 else { return nil }
    let point = [4] + x + y
    let pointer = unsafe point.withUnsafeBytes { unsafe rr_p256_public($0.baseAddress) }
    unsafe self.init(.p256, pointer)
  }

  convenience init?(ed25519 bytes: [UInt8]) {
    guard bytes.count == rr_ed25519_length else { return nil }
    let pointer = unsafe bytes.withUnsafeBytes { unsafe rr_ed25519_public($0.baseAddress) }
    unsafe self.init(.ed25519, pointer)
  }

  private static let modulusBytesMax = 1_024

  /// RFC 7518 §3.3 requires 2048 bits for RSA; the curves are long enough.
  var isWeak: Bool { unsafe family == .rsa && EVP_PKEY_get_bits(pointer) < 2_048 }

  /// Returns whether this key has signed the message. False when it is not a key for the algorithm.
  package func verifies(_ signature: [UInt8], of message: ArraySlice<UInt8>, by algorithm: SignatureAlgorithm) -> Bool {
    guard family == algorithm.family else { return false }
    return unsafe signature.withUnsafeBytes { signature in
      unsafe message.withUnsafeBytes { message in
        unsafe rr_verify(
          pointer, algorithm.number, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
      }
    }
  }
}

/// Private keys.
extension SignatureKey {
  /// Generates a key: RSA with 2048 bits, or P-256.
  static func make(_ family: Family) -> SignatureKey {
    let key =
      switch family {
      case .rsa: unsafe SignatureKey(.rsa, rr_rsa_key())
      case .p256: unsafe SignatureKey(.p256, rr_p256_key())
      case .ed25519: preconditionFailure("no issuer here signs with Ed25519")
      }
    guard let key else { preconditionFailure("OpenSSL cannot make a key") }
    return key
  }

  /// Reads `privateBytes`; nil when they are not a private key of a known kind.
  convenience init?(privateBytes bytes: [UInt8]) {
    let pointer = unsafe bytes.withUnsafeBytes { unsafe rr_key_of_bytes($0.baseAddress, $0.count) }
    guard let pointer = unsafe pointer else { return nil }
    switch unsafe EVP_PKEY_get_base_id(pointer) {
    case EVP_PKEY_RSA: unsafe self.init(.rsa, pointer)
    case EVP_PKEY_EC: unsafe self.init(.p256, pointer)
    default:
      unsafe EVP_PKEY_free(pointer)
      return nil
    }
  }

  /// The complete private key, as PKCS #8.
  var privateBytes: [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = unsafe rr_key_bytes(pointer, &bytes)
    guard let start = unsafe bytes, count > 0 else { preconditionFailure("OpenSSL cannot write a key") }
    defer { unsafe rr_free(start) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  func sign(_ message: ArraySlice<UInt8>, by algorithm: SignatureAlgorithm) -> [UInt8] {
    precondition(family == algorithm.family, "the key is one of the algorithm")
    var signature = [UInt8](repeating: 0, count: Self.modulusBytesMax)
    let count = unsafe message.withUnsafeBytes { message in
      unsafe rr_sign(pointer, algorithm.number, message.baseAddress, message.count, &signature, signature.count)
    }
    precondition(count > 0, "OpenSSL cannot sign")
    return Array(signature.prefix(count))
  }

  /// The members of a JSON Web Key with the public key (RFC 7518 §6.2.1, §6.3.1).
  var publicMembers: [(name: StaticString, value: String)] {
    switch family {
    case .rsa: [("kty", "RSA"), ("n", number("n")), ("e", number("e"))]
    case .p256: [("kty", "EC"), ("crv", "P-256"), ("x", number("qx")), ("y", number("qy"))]
    case .ed25519: preconditionFailure("no issuer here signs with Ed25519")
    }
  }

  private func number(_ name: String) -> String {
    var bytes = [UInt8](repeating: 0, count: Self.modulusBytesMax)
    let count = unsafe rr_key_number(pointer, name, &bytes, bytes.count)
    precondition(count > 0, "OpenSSL knows the numbers of its keys")
    return Base64URL.encode(Array(bytes.prefix(count)))
  }
}
