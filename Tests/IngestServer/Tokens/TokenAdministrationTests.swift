import Base
import JSON
import Store
import Testing

@testable import IngestServer

@Suite struct TokenAdministrationTests {
  private let harness: SessionHarness

  init() throws { harness = try SessionHarness { $0.authentication = .required } }

  private func post(_ what: String, _ body: String, run: String? = nil) throws -> TestAnswer {
    try harness.request("POST", "/admin/v1/tokens/\(what)", run.map { [("X-Run-Id", $0)] } ?? [], body: body)
  }

  @Test func expiringEndsAccessTokensAtOnceAndRefreshWorksAtOnce() throws {
    let first = try harness.register("a")
    #expect(try post("expire", #"{"device":"a"}"#).text == #"{"families":1}"#)
    #expect(try harness.upload(1, bearer: first.access).status == 401)
    // At the instant of the answer: a token's times have milliseconds, and the answer waits for the end of its own.
    let second = try harness.pair(harness.refresh(first.refresh))
    #expect(try harness.upload(1, bearer: second.access).status == 200)
    #expect(try harness.upload(1, bearer: first.access).status == 401)
  }

  /// RFC 6750 §3.1.
  @Test func ofATokenThatWasNotShownNothingIsSaid() throws {
    let challenge = #"Bearer realm="rollingroad""#
    #expect(try harness.upload(1).field("WWW-Authenticate") == challenge)
    let shown = try harness.upload(1, bearer: "x").field("WWW-Authenticate")
    #expect(shown?.hasPrefix(challenge + #", error="invalid_token""#) == true)
  }

  @Test func whereNoTokenIsCheckedAnExpiryClaimsNoEffect() throws {
    let harness = try SessionHarness()
    _ = try harness.register("a")
    let answer = try harness.request("POST", "/admin/v1/tokens/expire", body: #"{"device":"a"}"#)
    #expect(answer.status == 200)
    guard case .string(let note)? = try answer.json()["note"] else {
      Issue.record("no note: \(answer.text)")
      return
    }
    #expect(note.contains("--auth off") && note.contains("required"))
  }

  /// Each is good for its own purpose only.
  @Test func anAccessTokenIsNoRefreshTokenAndTheOtherWayRound() throws {
    let tokens = try harness.register("a")
    #expect(try harness.refresh(tokens.access).status == 401)
    let answer = try harness.upload(1, bearer: tokens.refresh)
    #expect(try answer.status == 401 && answer.errorCode == "token_malformed")
    #expect(try harness.upload(1, bearer: tokens.access).status == 200)
  }

  @Test(arguments: [
    (#"{"device":"a"}"#, 1), (#"{"family":1}"#, 1), (#"{"run":""}"#, 2), (#"{"run":"r"}"#, 1), (#"{"all":true}"#, 3),
    (#"{"device":"nobody"}"#, 0), (#"{"run":"none"}"#, 0),
  ])
  func aSelectionMeansSomeFamilies(body: String, count: Int) throws {
    _ = try harness.register("a")
    _ = try harness.register("b")
    _ = try harness.register("a", run: "r")
    #expect(try post("expire", body).text == #"{"families":\#(count)}"#)
    #expect(try post("revoke", body).text == #"{"families":\#(count)}"#)
  }

  @Test(arguments: [
    "{}", "", "[]", #"{"all":false}"#, #"{"all":1}"#, #"{"device":"a","all":true}"#, #"{"devise":"a"}"#,
  ])
  func aSelectionThatIsUnclearIsRefused(body: String) throws {
    _ = try harness.register("a")
    #expect(try post("revoke", body).status == 400)
  }

  @Test func aRevokedTokenIsTakenNowhere() throws {
    let a = try harness.register("a")
    let inRun = try harness.register("a", run: "r")
    #expect(try post("revoke", #"{"device":"a"}"#, run: "r").text == #"{"families":1}"#)
    #expect(try harness.upload(1, bearer: inRun.access, run: "r").errorCode == "token_revoked")
    #expect(try harness.refresh(inRun.refresh).errorCode == "token_revoked")
    #expect(try harness.upload(1, bearer: a.access).status == 200)
  }

  @Test func aDeviceWritesAsItselfOnly() throws {
    let a = try harness.register("a")
    #expect(try harness.upload(1, bearer: a.access, device: "b").status == 403)
    let inBody = try harness.upload(
      #"{"location":{"coords":{"latitude":1,"longitude":2}},"device_id":"b"}"#,
      [("Authorization", "Bearer \(a.access)")])
    #expect(inBody.status == 403)
    #expect(try harness.upload(1, bearer: a.access, run: "other").status == 403)
    #expect(try harness.reader.devices(limit: 10).elements.allSatisfy { $0.points == 0 })
  }

  @Test func forgedTokensAreRefusedAndStoreNothing() throws {
    let parts = try harness.register("a").access.split(separator: ".")
    var none: [UInt8] = []
    Base64URL.append(Array(#"{"alg":"none","typ":"JWT"}"#.utf8), to: &none)
    let foreign = AccessTokenCodec(key: Array(repeating: 9, count: 32), clockSkewAllowedMilliseconds: 0)
    let otherKey = foreign.encode(
      AccessToken(scope: .device, subject: "a", family: 1, issuedAt: harness.now, expiresAt: .latest))
    let own = AccessTokenCodec(key: Array(repeating: 7, count: 32), clockSkewAllowedMilliseconds: 0)
    let admin = own.encode(
      AccessToken(scope: .admin, subject: "a", family: 1, issuedAt: harness.now, expiresAt: .latest))
    let unknownFamily = own.encode(
      AccessToken(scope: .device, subject: "a", family: 99, issuedAt: harness.now, expiresAt: .latest))
    let none1 = String(decoding: none, as: UTF8.self)
    for forged in [
      "\(none1).\(parts[1]).", "\(none1).\(parts[1]).\(parts[2])", otherKey, admin, unknownFamily, "x", "",
    ] {
      let answer = try harness.upload(1, bearer: forged)
      #expect(answer.status == 401, "\(forged)")
      #expect(answer.field("WWW-Authenticate") != nil)
    }
    #expect(try harness.reader.devices(limit: 10).elements.isEmpty)
  }

  @Test(arguments: [ServerConfiguration.Authentication.optional, .required])
  func theDummyTokenGets406(mode: ServerConfiguration.Authentication) throws {
    let harness = try SessionHarness { $0.authentication = mode }
    #expect(try harness.upload(1, bearer: "DUMMY_TOKEN").status == 406)
  }

  @Test func allOfARunIsNothingOfAnother() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    let (here, there) = (try harness.register("a", run: "one"), try harness.register("a", run: "two"))
    #expect(try harness.request("POST", "/r/one/admin/v1/tokens/revoke", body: #"{"all":true}"#).status == 200)
    #expect(try harness.refresh(here.refresh).status == 401)
    #expect(try harness.refresh(there.refresh).status == 200)
    #expect(try harness.request("POST", "/admin/v1/tokens/revoke", body: #"{"all":true}"#).status == 200)
    #expect(try harness.refresh(there.refresh).status == 401)
  }

  @Test func administrationNeedsItsToken() throws {
    let harness = try SessionHarness { $0.adminToken = "secret" }
    for (method, path) in [
      ("POST", "/admin/v1/tokens/expire"), ("POST", "/admin/v1/tokens/revoke"),
      ("PUT", "/admin/v1/tokens/break-refresh"),
      ("POST", "/admin/v1/commands"), ("GET", "/admin/v1/devices/a/commands"), ("GET", "/admin/v1/devices/a/logs"),
    ] { #expect(try harness.request(method, path, body: "{}").status == 401, "\(path)") }
  }
}
