import Base
import JSON
import ServerSupport
import Support
import TLS
import Testing

@testable import IngestServer

/// Uploads with tokens of another issuer, whose keys are in a file.
@Suite struct ForeignIssuerTests {
  private let folder: TemporaryFolder
  private let forge = TokenForge(.es256)
  private let harness: SessionHarness

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Array(TokenForge.set([forge.entry()]).utf8), to: "keys.json")
    harness = try Self.harness(folder) { _ in }
  }

  private static func harness(
    _ folder: TemporaryFolder, mode: ServerConfiguration.Authentication = .required,
    _ change: (inout ForeignIssuerSettings) -> Void
  ) throws -> SessionHarness {
    try SessionHarness { configuration in
      configuration.authentication = mode
      var settings = ForeignIssuerSettings(.file(folder.file("keys.json")))
      settings.issuer = "https://login.example"
      settings.audience = "phones"
      change(&settings)
      configuration.foreignIssuer = settings
    }
  }

  /// The harness begins at 1785263663.
  private func claims(_ more: String = "", expires: Int = 1_785_267_263, subject: String = #","sub":"phone-1""#)
    -> String
  {
    #"{"iss":"https://login.example","aud":"phones","iat":1785263663,"exp":\#(expires)\#(subject)\#(more)}"#
  }

  private func refused(_ token: String, _ harness: SessionHarness? = nil) throws -> String? {
    let answer = try (harness ?? self.harness).upload(1, bearer: token)
    guard answer.status == 401 else { return "status \(answer.status)" }
    let challenge = answer.field("WWW-Authenticate") ?? ""
    #expect(
      challenge.hasPrefix(#"Bearer realm="rollingroad", error="invalid_token", error_description=""#), "\(challenge)")
    return try answer.errorCode
  }

  @Test func aTokenOfTheIssuerNamesItsDevice() throws {
    #expect(try harness.upload(1, bearer: forge.token(claims())).status == 200)
    #expect(try harness.request("GET", "/admin/v1/devices/phone-1").status == 200)
    #expect(try harness.upload(2, bearer: forge.token(claims()), device: "other").errorCode == "wrong_device")
    // The server's own go on beside them.
    #expect(try harness.upload(3, bearer: harness.register("own").access).status == 200)
  }

  @Test func everyClaimIsChecked() throws {
    let right = claims()
    let cases = [
      (right.replacing("login.example", with: "login.example/"), "token_wrongIssuer"),
      (right.replacing(#""iss":"https://login.example","#, with: ""), "token_wrongIssuer"),
      (right.replacing(#""phones""#, with: #""cars""#), "token_wrongAudience"),
      (right.replacing(#""phones""#, with: #"["cars","vans"]"#), "token_wrongAudience"),
      (right.replacing(#""aud":"phones","#, with: ""), "token_wrongAudience"),
      (right.replacing(#""aud":"phones""#, with: #""client_id":"cars""#), "token_wrongAudience"),
      (claims(subject: ""), "token_noDevice"), (claims(subject: #","sub":7"#), "token_noDevice"),
      (claims(subject: #","sub":"""#), "token_noDevice"),
      (claims(expires: 1_785_263_658), "token_expired"),
      (claims(#","nbf":1785263669"#), "token_notYetValid"), (claims(#","nbf":"now""#), "token_malformed"),
      (right.replacing(#""iat":1785263663"#, with: #""iat":1785263669"#), "token_notYetValid"),
      (right.replacing(#","exp":1785267263"#, with: ""), "token_noExpiry"),
      (right.replacing("1785267263", with: "null"), "token_malformed"),
      (claims(#","token_use":"id""#), "token_wrongType"), (claims(#","typ":"Refresh""#), "token_wrongType"),
      (claims(#","exp":9999999999"#), "token_malformed"), ("[]", "token_malformed"),
    ]
    for (claims, code) in cases { #expect(try refused(forge.token(claims)) == code, "\(claims)") }
    for good in [
      claims(expires: 1_785_263_659), claims(#","nbf":1785263668"#), claims(#","token_use":"access""#),
      claims(#","typ":"Bearer""#),
      right.replacing(#""phones""#, with: #"["cars","phones"]"#),
      right.replacing(#""aud":"phones""#, with: #""client_id":"phones""#),
    ] { #expect(try harness.upload(1, bearer: forge.token(good)).status == 200, "\(good)") }
  }

  /// RFC 8725 §2.1: a header that names no algorithm, or that of a key that everybody has.
  @Test func theAlgorithmIsThatOfTheKey() throws {
    let right = claims()
    for name in ["none", "None", "nOnE", "", "RS256", "PS256", "EdDSA", "ES384", "HS384", "es256"] {
      let header = #"{"alg":"\#(name)","typ":"JWT","kid":"key-1"}"#
      #expect(try refused(forge.token(right, header: header)) == "token_wrongAlgorithm", "\(name)")
      #expect(try refused(TokenForge.signedPart(header, right) + ".") == "token_wrongAlgorithm", "\(name), unsigned")
    }
    for header in [#"{"kid":"key-1"}"#, #"{"alg":["ES256"],"kid":"key-1"}"#, #"{"alg":null,"kid":"key-1"}"#] {
      #expect(try refused(forge.token(right, header: header)) == "token_wrongAlgorithm", "\(header)")
    }
  }

  /// The public key in all spellings as the secret of HS256, with its name and with that of the server's own key.
  @Test func aPublicKeyIsNoSecret() throws {
    let rsa = TokenForge(.rs256, name: "rsa")
    try folder.write(Array(TokenForge.set([forge.entry(), rsa.entry()]).utf8), to: "keys.json")
    let own = try harness.register("own").access
    let ownHeader = try #require(Base64URL.decode(Array(own.utf8).split(separator: UInt8(ascii: "."))[0]))
    let secrets = [rsa.entry(), rsa.key.publicMembers[1].value, TokenForge.set([rsa.entry()]), ""].map {
      Array($0.utf8)
    }
    for header in [#"{"alg":"HS256","kid":"rsa"}"#, #"{"alg":"HS256"}"#, String(decoding: ownHeader, as: UTF8.self)] {
      for secret in secrets {
        let signed = TokenForge.signedPart(header, claims())
        let token = signed + "." + Base64URL.encode(Cryptography.hmacSHA256(key: secret, Array(signed.utf8)[...]))
        let code = try refused(token)
        #expect(code == "token_unknownKey" || code == "token_wrongSignature", "\(header): \(code ?? "")")
      }
    }
  }

  @Test func theNameOfTheKeyIsANameOnly() throws {
    let right = claims()
    let names = [
      (#""other""#, "token_unknownKey"), (#""""#, "token_unknownKey"), (#""KEY-1""#, "token_unknownKey"),
      (#""../../../dev/null""#, "token_unknownKey"), (#""key-1' OR '1'='1""#, "token_unknownKey"),
      (#""key-1\u0000""#, "token_unknownKey"), (#""/proc/self/environ""#, "token_unknownKey"),
      (#""\#(String(repeating: "k", count: 257))""#, "token_malformed"), ("7", "token_malformed"),
      ("null", "token_malformed"),
      (#"["key-1"]"#, "token_malformed"), (#"{"kid":"key-1"}"#, "token_malformed"),
    ]
    for (name, code) in names {
      #expect(try refused(forge.token(right, header: #"{"alg":"ES256","kid":\#(name)}"#)) == code, "\(name)")
    }
    let attacker = TokenForge(.es256)
    #expect(try refused(attacker.token(right)) == "token_wrongSignature")
    // RFC 8725 §3.10: a key that the token brings along or points at is not used.
    for member in [#""jwk":\#(attacker.entry())"#, #""jku":"https://evil.example/keys""#, #""x5u":"file:///tmp/cert""#]
    {
      let header = #"{"alg":"ES256","kid":"key-1",\#(member)}"#
      #expect(try refused(attacker.token(right, header: header)) == "token_wrongSignature", "\(member)")
    }
    #expect(
      try refused(forge.token(right, header: #"{"alg":"ES256","kid":"key-1","crit":["exp"]}"#)) == "token_malformed")
    #expect(
      try refused(forge.token(right, header: #"{"alg":"none","alg":"ES256","kid":"key-1"}"#)) == "token_malformed")
    // The only key of the set needs no name.
    #expect(try harness.upload(1, bearer: forge.token(right, header: #"{"alg":"ES256"}"#)).status == 200)
  }

  @Test func aWeakKeyIsNamedAsSuch() throws {
    let weak = #"{"kty":"RSA","kid":"weak","n":"\#(ForeignTokens.weakModulus)","e":"AQAB"}"#
    try folder.write(Array(TokenForge.set([weak]).utf8), to: "keys.json")
    #expect(try refused(ForeignTokens.weak) == "token_weakKey")
  }

  @Test func everyChangedCharacterAndEveryTruncationIsNoticed() throws {
    let text = Array(forge.token(claims()))
    for index in text.indices {
      var changed = text
      changed[index] = text[index] == "A" ? "B" : "A"
      #expect(try refused(String(changed))?.hasPrefix("token_") == true, "character \(index)")
      guard index > 0 else { continue }
      #expect(try refused(String(text[..<index]))?.hasPrefix("token_") == true, "\(index) characters")
    }
  }

  @Test func aClaimCanNameTheDeviceOrLeaveItToTheRequest() throws {
    let claimed = try Self.harness(folder) { $0.deviceClaim = "https://acme.example/device" }
    #expect(try refused(forge.token(claims()), claimed) == "token_noDevice")
    let token = forge.token(claims(#","https://acme.example/device":"tracker-9""#))
    #expect(try claimed.upload(1, bearer: token).status == 200)
    #expect(try claimed.request("GET", "/admin/v1/devices/tracker-9").status == 200)

    let open = try Self.harness(folder) { $0.deviceClaim = nil }
    #expect(try open.upload(1, bearer: forge.token(claims(subject: "")), device: "said").status == 200)
    #expect(try open.request("GET", "/admin/v1/devices/said").status == 200)
  }

  @Test func withoutIssuerAndAudienceAnyWillDo() throws {
    let open = try Self.harness(folder) { ($0.issuer, $0.audience) = (nil, nil) }
    #expect(try open.upload(1, bearer: forge.token(#"{"sub":"a","exp":1785267263}"#)).status == 200)
  }

  @Test func optionalTakesNoneAndRefusesABadOne() throws {
    let optional = try Self.harness(folder, mode: .optional) { _ in }
    #expect(try optional.upload(1).status == 200)
    #expect(try refused(forge.token(claims(expires: 1)), optional) == "token_expired")
  }

  /// Commands go out with any answer to a device that has proven who it is (SDK §10.3).
  @Test func aTokenThatIsOnlyTooOldNamesItsDevice() throws {
    #expect(try harness.upload(1, bearer: forge.token(claims())).status == 200)
    #expect(try harness.order(#"{"commands":[["stop"]]}"#, for: "phone-1").status == 200)
    let answer = try harness.upload(2, bearer: forge.token(claims(expires: 1_785_263_000)))
    #expect(try answer.errorCode == "token_expired")
    #expect(try answer.commands == #"[["stop"]]"#)
  }

  @Test func aChangedFileCountsAndABrokenOneDoesNot() throws {
    let next = TokenForge(.rs256, name: "key-2")
    #expect(try refused(next.token(claims())) == "token_unknownKey")
    try folder.write(Array(TokenForge.set([forge.entry(), next.entry()]).utf8), to: "keys.json")
    #expect(try harness.upload(1, bearer: next.token(claims())).status == 200)
    #expect(try harness.upload(2, bearer: forge.token(claims())).status == 200)
    try folder.write(Array("{".utf8), to: "keys.json")
    #expect(try harness.upload(3, bearer: next.token(claims())).status == 200)
    try folder.write(Array(TokenForge.set([next.entry()]).utf8), to: "keys.json")
    #expect(try refused(forge.token(claims())) == "token_unknownKey")
  }

  /// What has begun is ended: the folder and its threads are free.
  @Test func aStartThatFailsLeavesTheFolderFree() throws {
    var configuration = ServerConfiguration.loopback(data: folder.file("data"))
    configuration.authentication = .required
    configuration.foreignIssuer = ForeignIssuerSettings(.file(folder.file("missing.json")))
    #expect(throws: ServerError.self) { _ = try IngestServer(configuration) }
    configuration.foreignIssuer = nil
    let server = try IngestServer(configuration)
    server.stop()
  }

  @Test func aServerRefusesKeysThatCannotBeRead() throws {
    var configuration = ServerConfiguration.loopback()
    configuration.foreignIssuer = ForeignIssuerSettings(.file(folder.file("missing.json")))
    #expect(throws: ServerError.self) { _ = try IngestServer(configuration) }
    configuration.authentication = .required
    do throws(ServerError) {
      _ = try IngestServer(configuration)
    } catch { #expect(error.description.contains("missing.json cannot be read"), "\(error)") }
  }
}
