import Base
import TLS
import Testing

@testable import IngestServer

@Suite struct AccessTokenCodecTests {
  private let codec = AccessTokenCodec(key: Array(1...32), clockSkewAllowedMilliseconds: 5_000)
  private let issued = WallInstant(millisecondsSince1970: 1_800_000_000_000)
  private let expires = WallInstant(millisecondsSince1970: 1_800_000_060_000)

  private var token: AccessToken {
    AccessToken(
      scope: .device, subject: "phone \"1\"", family: 7, issuedAt: issued, expiresAt: expires)
  }

  private func outcome(_ text: String, at now: WallInstant? = nil) -> AccessTokenError? {
    do throws(AccessTokenError) {
      _ = try codec.decode(Array(text.utf8), now: now ?? issued)
      return nil
    } catch {
      return error
    }
  }

  /// A token with any header and payload, signed with any key.
  private func forged(_ header: String, _ payload: String, key: [UInt8] = Array(1...32)) -> String {
    var text: [UInt8] = []
    Base64URL.append(Array(header.utf8), to: &text)
    text.append(UInt8(ascii: "."))
    Base64URL.append(Array(payload.utf8), to: &text)
    let signature = Cryptography.hmacSHA256(key: key, text[...])
    text.append(UInt8(ascii: "."))
    Base64URL.append(signature, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The header that the codec writes, to be bent by the tests.
  private func header() throws -> String {
    let part = try #require(codec.encode(token).split(separator: ".").first)
    return String(decoding: try #require(Base64URL.decode(Array(part.utf8)[...])), as: UTF8.self)
  }

  @Test func aWrittenTokenIsReadBack() throws {
    #expect(try codec.decode(Array(codec.encode(token).utf8), now: issued) == token)
  }

  @Test func aTokenEndsAtItsExpiryPlusTheAllowedSkew() {
    let text = codec.encode(token)
    #expect(outcome(text, at: WallInstant(millisecondsSince1970: 1_800_000_064_999)) == nil)
    #expect(outcome(text, at: WallInstant(millisecondsSince1970: 1_800_000_065_000)) == .expired)
  }

  @Test func aTokenFromTheFutureIsAcceptedWithinTheSkewOnly() {
    let text = codec.encode(token)
    #expect(outcome(text, at: WallInstant(millisecondsSince1970: 1_799_999_995_000)) == nil)
    #expect(outcome(text, at: WallInstant(millisecondsSince1970: 1_799_999_994_999)) == .notYetValid)
  }

  @Test func everyChangedCharacterIsNoticed() {
    let text = Array(codec.encode(token))
    for index in text.indices {
      for replacement in ["A", "b", "_", ".", "=", " "] where text[index] != Character(replacement) {
        var changed = text
        changed[index] = Character(replacement)
        #expect(outcome(String(changed)) != nil, "character \(index) as '\(replacement)'")
      }
    }
  }

  @Test func everyTruncationIsNoticed() {
    let text = codec.encode(token)
    for length in 0..<text.count { #expect(outcome(String(text.prefix(length))) != nil, "\(length) characters") }
  }

  /// RFC 8725 §2.1: the attacks by way of the algorithm.
  @Test(arguments: ["none", "None", "hs256", "HS384", "RS256", ""])
  func anotherAlgorithmIsRefused(name: String) throws {
    let bent = try header().replacing("HS256", with: name)
    #expect(outcome(forged(bent, "{}")) == .wrongAlgorithm)
  }

  @Test func anUnsignedTokenIsRefused() {
    let parts = codec.encode(token).split(separator: ".")
    #expect(outcome("\(parts[0]).\(parts[1]).") == .wrongSignature)
    #expect(outcome("\(parts[0]).\(parts[1])") == .malformed)
  }

  @Test func anotherKeyIsNamedAsSuch() {
    let other = AccessTokenCodec(key: Array(2...33), clockSkewAllowedMilliseconds: 0)
    #expect(outcome(other.encode(token)) == .unknownKey)
    let parts = codec.encode(token).split(separator: ".")
    let signature = other.encode(token).split(separator: ".")[2]
    #expect(outcome("\(parts[0]).\(parts[1]).\(signature)") == .wrongSignature)
  }

  /// RFC 7515 §4.1.11.
  @Test func aCriticalExtensionIsRefused() throws {
    let bent = try header().dropLast() + ",\"crit\":[\"exp\"]}"
    #expect(outcome(forged(String(bent), "{}")) == .malformed)
  }

  @Test(arguments: [
    "{}", "[]", "1", "", "{\"scope\":\"root\"}",
    "{\"scope\":\"device\",\"sub\":1,\"family\":\"x\",\"iat\":1,\"exp\":2}",
    "{\"scope\":\"device\",\"sub\":\"a\",\"sub\":\"b\",\"family\":7,\"iat\":1,\"exp\":2}",
    "{\"scope\":\"device\",\"sub\":\"a\",\"family\":7,\"iat\":1,\"exp\":9223372036854775807}",
  ])
  func aSignedPayloadOfAnotherShapeIsRefused(payload: String) throws {
    #expect(outcome(forged(try header(), payload)) == .malformed)
  }

  @Test func aTokenWithoutAnEndIsRefusedAsSuch() throws {
    let endless = #"{"scope":"device","sub":"a","family":7,"iat":1800000000}"#
    #expect(outcome(forged(try header(), endless)) == .noExpiry)
    #expect(AccessTokenError.noExpiry.reason.hasPrefix("it has no exp;"))
  }

  private func payload(_ more: String) -> String {
    #"{"scope":"device","sub":"a","family":7,"iat":1800000000,"exp":1800000060"# + more + "}"
  }

  /// RFC 7519 §4.1.5.
  @Test func aTokenThatBeginsLaterIsRefusedUntilThen() throws {
    let text = forged(try header(), payload(#","nbf":1800000030"#))
    #expect(outcome(text) == .notYetValid)
    #expect(outcome(text, at: WallInstant(millisecondsSince1970: 1_800_000_024_999)) == .notYetValid)
    #expect(outcome(text, at: WallInstant(millisecondsSince1970: 1_800_000_025_000)) == nil)
    #expect(outcome(forged(try header(), payload(#","nbf":"soon""#))) == .malformed)
    #expect(outcome(forged(try header(), payload(#","nbf":1700000000"#))) == nil)
  }

  /// RFC 8725 §3.11.
  @Test(arguments: ["typ", "type", "token_type", "token_use"])
  func aTokenThatSaysItIsForSomethingElseIsRefused(claim: String) throws {
    #expect(outcome(forged(try header(), payload(#","\#(claim)":"refresh""#))) == .wrongType)
    #expect(outcome(forged(try header(), payload(#","\#(claim)":7"#))) == .wrongType)
    #expect(outcome(forged(try header(), payload(#","\#(claim)":"access""#))) == nil)
  }

  @Test func aHeaderOfAnotherTypeIsRefused() throws {
    #expect(outcome(forged(try header().replacing("\"JWT\"", with: "\"refresh+jwt\""), payload(""))) == .wrongType)
    #expect(outcome(forged(try header().replacing("\"JWT\"", with: "\"at+jwt\""), payload(""))) == nil)
  }

  @Test func base64HasOneSpellingOnly() {
    for count in 0...40 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
      var text: [UInt8] = []
      Base64URL.append(bytes, to: &text)
      #expect(Base64URL.decode(text[...]) == bytes)
    }
    #expect(Base64URL.decode(Array("QQ".utf8)[...]) == [0x41])
    for other in ["QR", "QQ==", "Q", "Q+", "QQ\n"] {
      #expect(Base64URL.decode(Array(other.utf8)[...]) == nil, "\(other)")
    }
  }
}
