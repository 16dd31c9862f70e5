import Base
import JSON

/// The public keys of an issuer (RFC 7517 §5). Keys for another use, or of an unknown kind, are ignored; symmetric ones always
/// are, so that no public value is ever used as a secret.
package struct JSONWebKeySet: Sendable {
  /// One key with its name and algorithm.
  private struct Member: Sendable {
    let name: String?
    let algorithm: SignatureAlgorithm?
    let key: SignatureKey
  }

  /// The result of a search.
  package enum Lookup {
    case found(SignatureKey)
    /// A key has this name, but is not for the algorithm.
    case otherAlgorithm
    case absent
  }

  static let bytesMax = 262_144
  package static let keysMax = 100
  static let nameBytesMax = 256

  private let entries: [Member]

  package init(parsing bytes: [UInt8]) throws(KeySetError) {
    guard bytes.count <= Self.bytesMax else {
      throw KeySetError("the key set is longer than \(Self.bytesMax) bytes")
    }
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: bytes.span) } catch {
      throw KeySetError("the key set is not JSON: \(error)")
    }
    guard case .array(let list)? = document["keys"] else {
      throw KeySetError("the key set has no list \"keys\" (RFC 7517 §5)")
    }
    guard list.count <= Self.keysMax else { throw KeySetError("the key set has more than \(Self.keysMax) keys") }
    let entries = list.compactMap(Self.entry)
    guard !entries.isEmpty else {
      let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw KeySetError("the key set has no usable signature key (\(list.count.of("key")); algorithms: \(algorithms))")
    }
    for (index, entry) in entries.enumerated() {
      let isTwice = entries[..<index].contains { $0.name == entry.name && $0.key.family == entry.key.family }
      if isTwice, let name = entry.name { throw KeySetError("two keys of the set are named \"\(name)\"") }
    }
    self.entries = entries
  }

  package var count: Int { entries.count }

  /// A token without a key name belongs to the only key that can have signed it (RFC 7515 §4.1.4).
  package func find(_ name: String?, for algorithm: SignatureAlgorithm) -> Lookup {
    let fitting = entries.filter {
      $0.key.family == algorithm.family && ($0.algorithm == nil || $0.algorithm == algorithm)
    }
    guard let name else { return fitting.count == 1 ? .found(fitting[0].key) : .absent }
    if let entry = fitting.first(where: { $0.name == name }) { return .found(entry.key) }
    return entries.contains { $0.name == name } ? .otherAlgorithm : .absent
  }

  /// Returns nil for a key to ignore.
  private static func entry(_ value: JSONValue) -> Member? {
    guard value["use"].map({ $0 == .string("sig") }) ?? true, allowsVerifying(value["key_ops"]) else { return nil }
    var name: String?
    switch value["kid"] {
    case nil: break
    case .string(let text)? where text.utf8.count <= nameBytesMax: name = text
    default: return nil
    }
    var algorithm: SignatureAlgorithm?
    if let said = value["alg"] {
      guard case .string(let text) = said, let known = SignatureAlgorithm(rawValue: text) else { return nil }
      algorithm = known
    }
    guard let key = key(value), algorithm == nil || algorithm?.family == key.family else { return nil }
    return Member(name: name, algorithm: algorithm, key: key)
  }

  private static func allowsVerifying(_ operations: JSONValue?) -> Bool {
    switch operations {
    case nil: true
    case .array(let list)?: list.contains(.string("verify"))
    default: false
    }
  }

  /// Reads a key (RFC 7518 §6.2 and §6.3, RFC 8037 §2).
  private static func key(_ value: JSONValue) -> SignatureKey? {
    switch (value["kty"], value["crv"]) {
    case (.string("RSA")?, _):
      guard let modulus = bytes(value["n"]), let exponent = bytes(value["e"]) else { return nil }
      return SignatureKey(rsaModulus: modulus, exponent: exponent)
    case (.string("EC")?, .string("P-256")?):
      guard let x = bytes(value["x"]), let y = bytes(value["y"]) else { return nil }
      return SignatureKey(p256: x, y)
    case (.string("OKP")?, .string("Ed25519")?):
      return bytes(value["x"]).flatMap { SignatureKey(ed25519: $0) }
    default: return nil
    }
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard case .string(let text)? = value, !text.isEmpty else { return nil }
    return Base64URL.decode(Array(text.utf8)[...])
  }
}

/// A sentence that tells why a key set cannot be used.
package struct KeySetError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
