import Base
import JSON

@testable import IngestServer

/// Makes tokens and key sets as an issuer does, and as an attacker may.
struct TokenForge {
  let algorithm: SignatureAlgorithm
  let name: String?
  let key: SignatureKey

  init(_ algorithm: SignatureAlgorithm = .es256, name: String? = "key-1") {
    (self.algorithm, self.name) = (algorithm, name)
    key = SignatureKey.make(algorithm.family)
  }

  /// The claims as a JSON text; the header is the usual one unless one is given.
  func token(_ claims: String, header: String? = nil) -> String {
    let kid = name.map { #","kid":"\#($0)""# } ?? ""
    let header = header ?? #"{"alg":"\#(algorithm.rawValue)","typ":"JWT"\#(kid)}"#
    let signed = Self.signedPart(header, claims)
    return signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)[...], by: algorithm))
  }

  static func signedPart(_ header: String, _ claims: String) -> String {
    Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
  }

  /// The key as a set has it, with further members in front.
  func entry(_ more: String = "") -> String {
    let kid = name.map { #""kid":"\#($0)","# } ?? ""
    let members = key.publicMembers.map { #""\#($0.name)":"\#($0.value)""# }
    return "{" + more + kid + members.joined(separator: ",") + "}"
  }

  static func set(_ entries: [String]) -> String { #"{"keys":[\#(entries.joined(separator: ","))]}"# }
}
