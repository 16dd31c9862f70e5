import ServerSupport
import Support
import Testing

@testable import IngestServer

@Suite struct JSONWebKeySetTests {
  private static let rsa = #"{"kty":"RSA","kid":"r","n":"\#(ForeignTokens.rsaModulus)","e":"AQAB"}"#
  private static let ec = """
    {"kty":"EC","crv":"P-256","kid":"e","use":"sig","alg":"ES256","key_ops":["verify"],\
    "x":"\(ForeignTokens.p256.0)","y":"\(ForeignTokens.p256.1)"}
    """
  private static let okp = #"{"kty":"OKP","crv":"Ed25519","kid":"o","x":"\#(ForeignTokens.ed25519)"}"#

  private func set(_ entries: String...) throws(KeySetError) -> JSONWebKeySet {
    try JSONWebKeySet(parsing: Array(TokenForge.set(entries).utf8))
  }

  private func key(_ set: JSONWebKeySet, _ name: String?, _ algorithm: SignatureAlgorithm) throws -> SignatureKey {
    guard case .found(let key) = set.find(name, for: algorithm) else { throw KeySetError("not found") }
    return key
  }

  private func problem(_ text: String) -> String? {
    do throws(KeySetError) {
      _ = try JSONWebKeySet(parsing: Array(text.utf8))
      return nil
    } catch { return error.description }
  }

  /// The signatures that the RFCs show, and one of a foreign library for the algorithm whose signatures differ each time.
  @Test(arguments: [
    (SignatureAlgorithm.rs256, ForeignTokens.rs256), (.es256, ForeignTokens.es256), (.edDSA, ForeignTokens.edDSA),
    (.ps256, ForeignTokens.ps256),
  ])
  func signaturesOfOthersAreVerified(algorithm: SignatureAlgorithm, text: String) throws {
    let pss = #"{"kty":"RSA","kid":"p","n":"\#(ForeignTokens.pssModulus)","e":"AQAB"}"#
    let set = try set(Self.rsa, Self.ec, Self.okp, pss)
    let names: [SignatureAlgorithm: String] = [.rs256: "r", .es256: "e", .edDSA: "o", .ps256: "p"]
    let key = try key(set, names[algorithm], algorithm)
    let token = try SignedToken(parsing: Array(text.utf8))
    #expect(token.algorithm == algorithm.rawValue)
    #expect(key.verifies(token.signature, of: token.signed, by: algorithm))
    #expect(!key.verifies(token.signature, of: token.signed.dropLast(), by: algorithm))
    #expect(!key.verifies([], of: token.signed, by: algorithm))
    for index in stride(from: 0, to: token.signature.count, by: 7) {
      var changed = token.signature
      changed[index] ^= 1
      #expect(!key.verifies(changed, of: token.signed, by: algorithm), "byte \(index)")
    }
    for other in SignatureAlgorithm.allCases where other != algorithm {
      #expect(!key.verifies(token.signature, of: token.signed, by: other), "\(other)")
    }
  }

  /// RFC 7518 §3.4: r and s, and neither less nor more; zero is none (SEC 1 §4.1.4).
  @Test func aSignatureOfZerosIsRefused() throws {
    let key = try key(set(Self.ec), "e", .es256)
    for count in [0, 63, 64, 65, 128] {
      #expect(!key.verifies([UInt8](repeating: 0, count: count), of: [1], by: .es256), "\(count) bytes")
    }
  }

  @Test(arguments: [SignatureAlgorithm.rs256, .ps256, .es256])
  func ownSignaturesAreVerifiedByThePublicKey(algorithm: SignatureAlgorithm) throws {
    let forge = TokenForge(algorithm)
    let key = try key(set(forge.entry()), "key-1", algorithm)
    let token = try SignedToken(parsing: Array(forge.token("{}").utf8))
    #expect(key.verifies(token.signature, of: token.signed, by: algorithm))
    let again = try #require(SignatureKey(privateBytes: forge.key.privateBytes))
    #expect(again.publicMembers.map(\.value) == forge.key.publicMembers.map(\.value))
    #expect(SignatureKey(privateBytes: forge.key.privateBytes + [0]) == nil)
    #expect(SignatureKey(privateBytes: forge.key.privateBytes.dropLast()) == nil)
  }

  /// RFC 7517 §4.2, §4.3, §5: keys for something else are left out.
  @Test(arguments: [
    #""use":"enc","#, #""use":7,"#, #""key_ops":["sign"],"#, #""key_ops":"verify","#, #""alg":"RSA-OAEP","#,
    #""alg":"ES256","#, #""alg":"RS512","#, #""alg":null,"#,
  ])
  func aKeyForSomethingElseIsLeftOut(member: String) throws {
    let entry = "{" + member + Self.rsa.dropFirst()
    let set = try set(entry, Self.ec)
    #expect(set.count == 1)
    guard case .absent = set.find("r", for: .rs256) else { return #expect(Bool(false), "\(member)") }
  }

  /// RFC 8725 §3.2: what can be read by all is no secret.
  @Test func aSymmetricKeyIsNeverOne() throws {
    let secret = #"{"kty":"oct","kid":"r","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75"}"#
    #expect(try set(secret, Self.ec).count == 1)
    #expect(problem(TokenForge.set([secret]))?.contains("no usable signature key (1 key;") == true)
  }

  @Test(arguments: [
    #"{"kty":"RSA","n":"AQAB","e":"AQ"}"#, #"{"kty":"RSA","n":"AQAB","e":"Ag"}"#,
    #"{"kty":"RSA","n":"AQ==","e":"AQAB"}"#,
    #"{"kty":"RSA","e":"AQAB"}"#, #"{"kty":"RSA","n":7,"e":"AQAB"}"#, #"{"kty":"RSA","n":"","e":"AQAB"}"#,
    #"{"kty":"RSA","n":"\#(String(repeating: "u", count: 1_368))","e":"AQAB"}"#,
    #"{"kty":"EC","crv":"P-256","x":"AQAB","y":"AQAB"}"#, #"{"kty":"EC","crv":"P-384","x":"AQAB","y":"AQAB"}"#,
    #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#,
    #"{"kty":"OKP","crv":"Ed25519","x":"AQAB"}"#,
    #"{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
    "{}", "[]", "7", #""RSA""#, "null",
  ])
  func whatIsNoKeyIsLeftOut(entry: String) throws {
    #expect(try set(entry, Self.okp).count == 1, "\(entry)")
    #expect(problem(TokenForge.set([entry])) != nil)
  }

  @Test func setsBeyondTheLimitsAreRefused() {
    let many = [String](repeating: Self.okp, count: JSONWebKeySet.keysMax + 1)
    #expect(problem(TokenForge.set(many))?.contains("more than 100 keys") == true)
    let long = TokenForge.set([Self.okp]) + String(repeating: " ", count: JSONWebKeySet.bytesMax)
    #expect(problem(long)?.contains("longer than 262144 bytes") == true)
    let name = String(repeating: "k", count: JSONWebKeySet.nameBytesMax + 1)
    #expect(problem(TokenForge.set([Self.okp.replacing("\"o\"", with: "\"\(name)\"")])) != nil)
    #expect(problem(TokenForge.set([Self.okp.replacing("\"o\"", with: "7")])) != nil)
  }

  @Test func anAmbiguousSetIsRefused() {
    #expect(problem(TokenForge.set([Self.okp, Self.okp]))?.contains("two keys of the set are named \"o\"") == true)
    // RFC 7517 §4.5 allows one name for alternatives of different kinds.
    #expect(problem(TokenForge.set([Self.okp, Self.rsa.replacing("\"r\"", with: "\"o\"")])) == nil)
  }

  /// RFC 8259 §4 leaves open what a second key means; one reader's choice would be another's attack.
  @Test func aKeyOfJSONThatOccursTwiceIsRefused() {
    let twice = Self.okp.dropLast() + #","kid":"other"}"#
    #expect(problem(TokenForge.set([String(twice)]))?.contains("not JSON") == true)
    #expect(problem(#"{"keys":[],"keys":[]}"#) != nil)
  }

  @Test func everyTruncationIsRefused() {
    let text = TokenForge.set([Self.rsa, Self.ec])
    for length in 0..<text.count { #expect(problem(String(text.prefix(length))) != nil, "\(length) characters") }
  }

  @Test func aTokenWithoutANameNeedsAnOnlyKey() throws {
    #expect(throws: Never.self) { try key(set(Self.rsa, Self.ec), nil, .rs256) }
    let two = try set(Self.rsa, Self.rsa.replacing("\"r\"", with: "\"s\""))
    guard case .absent = two.find(nil, for: .rs256) else { return #expect(Bool(false)) }
    guard case .otherAlgorithm = two.find("r", for: .es256) else { return #expect(Bool(false)) }
  }

  /// RFC 7517 §4.4, RFC 8725 §3.1: a key that names its algorithm is for no other, also where another would fit.
  @Test func aKeyIsForTheAlgorithmThatItNames() throws {
    let named = try set(Self.rsa.replacing("{", with: #"{"alg":"RS256","#))
    #expect(throws: Never.self) { try key(named, "r", .rs256) }
    guard case .otherAlgorithm = named.find("r", for: .ps256) else { return #expect(Bool(false)) }
    guard case .absent = named.find(nil, for: .ps256) else { return #expect(Bool(false)) }
  }

  @Test func mutatedSetsAndTokensNeverTrap() {
    #expect(TokenFuzz().run(seed: 1, iterations: 0..<3_000) == nil)
  }
}
