import Base
import Contract
import JSON
import Support
import Synchronization
import Testing

@testable import IngestServer

@Suite struct KeyRingTests {
  private let start = WallInstant(millisecondsSince1970: 1_800_000_000_000)

  private func at(_ seconds: Int64) -> WallInstant { start.advanced(byMilliseconds: seconds * 1_000) }

  private func names(_ ring: KeyRing, at now: WallInstant) -> [String] {
    guard case .array(let keys)? = ring.publicSet(at: now)["keys"] else { return [] }
    return keys.compactMap { if case .string(let name)? = $0["kid"] { name } else { nil } }
  }

  private func verifies(_ ring: KeyRing, _ text: String) throws -> Bool {
    try ring.verify(SignedToken(parsing: Array(text.utf8))) != nil
  }

  @Test func aReplacedKeyStaysUntilItsTokensAreOver() throws {
    let ring = try KeyRing(.es256, keep: .seconds(300), interval: nil, at: start)
    let old = ring.sign(["a": .integer(1)], at: start)
    let first = names(ring, at: start)
    #expect(try ring.rotate(at: at(10)) == 2)
    #expect(names(ring, at: at(10)).last == first.first && names(ring, at: at(10)).count == 2)
    #expect(try verifies(ring, old) && verifies(ring, ring.sign(["a": .integer(1)], at: at(11))))
    #expect(names(ring, at: at(310)).count == 2)
    #expect(names(ring, at: at(311)).count == 1)
    #expect(try !verifies(ring, old))
  }

  @Test func anIntervalRotatesByItself() throws {
    let ring = try KeyRing(.es256, keep: .seconds(100), interval: .seconds(60), at: start)
    let first = names(ring, at: at(59))
    #expect(names(ring, at: start) == first && first.count == 1)
    let token = ring.sign(["a": .integer(1)], at: at(60))
    #expect(names(ring, at: at(60)).count == 2)
    #expect(try SignedToken(parsing: Array(token.utf8)).keyName == names(ring, at: at(60)).first)
  }

  /// What is asked meanwhile is signed by the key in use.
  @Test func anIntervalMakesItsKeyAside() throws {
    let aside = Mutex<[@Sendable () -> Void]>([])
    let ring = try KeyRing(.es256, keep: .seconds(100), interval: .seconds(60), at: start) { work in
      aside.withLock { $0.append(work) }
    }
    let first = names(ring, at: start)
    for second in 60..<63 {
      let token = ring.sign(["a": .integer(1)], at: at(Int64(second)))
      #expect(try SignedToken(parsing: Array(token.utf8)).keyName == first.first)
    }
    let works = aside.withLock { $0 }
    #expect(works.count == 1 && names(ring, at: at(63)) == first)
    works.first?()
    #expect(names(ring, at: at(63)).count == 2)
    // An administrator may have rotated them meanwhile.
    _ = ring.sign([:], at: at(130))
    _ = try ring.rotate(at: at(131))
    aside.withLock { $0 }.last?()
    #expect(names(ring, at: at(131)).count == 3 && aside.withLock { $0.count } == 2)
  }

  @Test func aTokenOfAnotherRingIsNotKnown() throws {
    let ring = try KeyRing(.es256, keep: .seconds(1), interval: nil, at: start)
    let other = try KeyRing(.rs256, keep: .seconds(1), interval: nil, at: start, in: .stock)
    #expect(try !verifies(ring, other.sign([:], at: start)))
    let forge = TokenForge(.es256, name: names(ring, at: start).first)
    #expect(throws: AccessTokenError.wrongSignature) { try verifies(ring, forge.token("{}")) }
    let rsa = TokenForge(.rs256, name: names(ring, at: start).first)
    #expect(throws: AccessTokenError.wrongAlgorithm) { try verifies(ring, rsa.token("{}")) }
  }

  /// RFC 8725 §3.1: each key is used with one algorithm, also where another would fit it.
  @Test func aKeyIsForOneAlgorithm() throws {
    let folder = try TemporaryFolder()
    let key = VirtualSigningKeys.key(.rsa, number: 0)
    let entry = #"[{"key":"\#(Base64URL.encode(key.privateBytes))","made":1800000000000}]"#
    try folder.write(Array(entry.utf8), to: "identity.keys")
    let ring = try KeyRing(.rs256, keep: .seconds(1), interval: nil, at: start, in: .folder(folder.path))
    for (name, isRight) in [("RS256", true), ("PS256", false)] {
      let algorithm = try #require(SignatureAlgorithm(rawValue: name))
      let header = #"{"alg":"\#(name)","typ":"JWT","kid":"\#(names(ring, at: start)[0])"}"#
      let signed = TokenForge.signedPart(header, "{}")
      let token = signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)[...], by: algorithm))
      if isRight {
        #expect(try verifies(ring, token))
      } else {
        #expect(throws: AccessTokenError.wrongAlgorithm) { try verifies(ring, token) }
      }
    }
  }

  @Test func keysOutliveTheProcess() throws {
    let folder = try TemporaryFolder()
    let ring = try KeyRing(.rs256, keep: .seconds(300), interval: nil, at: start, in: .folder(folder.path))
    let token = ring.sign(["a": .integer(1)], at: start)
    _ = try ring.rotate(at: at(1))
    let again = try KeyRing(.rs256, keep: .seconds(300), interval: nil, at: at(2), in: .folder(folder.path))
    #expect(try verifies(again, token))
    #expect(names(again, at: at(2)) == names(ring, at: at(2)))
    // Another provider signs by another algorithm; what the former one has signed is still good.
    let other = try KeyRing(.es256, keep: .seconds(300), interval: nil, at: at(3), in: .folder(folder.path))
    #expect(try verifies(other, token) && names(other, at: at(3)).count == 3)
  }

  @Test(arguments: ["{}", "[{}]", "[", #"[{"key":"AQAB","made":1}]"#, #"[{"key":7,"made":1}]"#])
  func aFileWithoutKeysIsRefused(text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(text.utf8), to: "identity.keys")
    #expect(throws: ServerError.self) {
      _ = try KeyRing(.es256, keep: .seconds(1), interval: nil, at: start, in: .folder(folder.path))
    }
  }

  /// What is published can be read by a server like this one.
  @Test func aSetDoesNotOutgrowItsReaders() throws {
    let app = try ProviderApp(.own) { $0.accessSeconds = 300 }
    for count in 2...100 {
      #expect(try app.harness.request("POST", "/admin/v1/tokens/rotate-keys").text == #"{"keys":\#(count)}"#)
    }
    #expect(try app.harness.request("POST", "/admin/v1/tokens/rotate-keys").errorCode == "too_many_keys")
    #expect(try JSONWebKeySet(parsing: app.harness.request("GET", "/.well-known/jwks.json").body).count == 100)
    app.harness.advance(seconds: 400)
    #expect(try app.harness.request("POST", "/admin/v1/tokens/rotate-keys").text == #"{"keys":2}"#)
  }

  /// Making one of RSA takes longer than a loop may be away.
  @Test func aLoopMakesNoKey() throws {
    let app = try ProviderApp(.keycloak)
    app.harness.send(SessionHarness.bytes("POST", "/admin/v1/tokens/rotate-keys"), commits: false)
    #expect(app.harness.takeSent().isEmpty)
    app.harness.read()
    #expect(try app.harness.answer()?.text == #"{"keys":2}"#)
  }

  @Test func rotatingOverHTTPKeepsTheTokens() throws {
    let app = try ProviderApp(.keycloak)
    _ = try app.logIn("phone-1")
    let before = try app.harness.request("GET", "/realms/rollingroad/protocol/openid-connect/certs").body
    #expect(try app.harness.request("POST", "/admin/v1/tokens/rotate-keys").text == #"{"keys":2}"#)
    #expect(try app.upload(1).status == 200)
    #expect(try app.refresh().status == 200)
    #expect(try app.upload(2).status == 200)
    // A backend that has the set of before does not know the new key.
    let token = try SignedToken(parsing: Array(app.accessToken.utf8))
    guard case .absent = try JSONWebKeySet(parsing: before).find(token.keyName, for: .rs256) else {
      return #expect(Bool(false))
    }
    app.harness.advance(seconds: 306)
    let after = try app.harness.request("GET", "/realms/rollingroad/protocol/openid-connect/certs").body
    #expect(try JSONWebKeySet(parsing: after).count == 1)
  }
}
