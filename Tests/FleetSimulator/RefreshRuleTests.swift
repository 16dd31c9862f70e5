import Base
import Contract
import Engine
import Host
import JSON
import Scenario
import Testing
import Upload

@testable import FleetSimulator
@testable import Oracle

/// I22, I29: a phone that asks for tokens at the wrong time or in the wrong form, or does not keep them, is found out.
@Suite struct RefreshRuleTests {
  /// After a 401, or where the token has expired (SDK §11.2.1, §11.5).
  @Test(arguments: [(401, -1, false), (403, -1, true), (200, -1, true), (200, 100, true), (200, 50, false)])
  func aRefreshHasAReason(status: Int, expires: Double, isFound: Bool) {
    let stage = RefreshRuleTests.phone { $0.expires = expires }
    stage.pass(seconds: 60)
    stage.end(stage.send([stage.insert()]), status: status)
    RefreshRuleTests.refresh(stage)
    #expect(RefreshRuleTests.isFound("follows no 401", stage) == isFound)
  }

  /// The first 401 of a flush makes the phone ask for new tokens (SDK §11.2.1, §11.2.4).
  @Test(arguments: ["never", "asked", "again", "killed", "configured", "late", "other status"])
  func aRefusalIsFollowedByARefresh(phone: String) {
    let stage = RefreshRuleTests.phone()
    stage.pass(seconds: 60)
    if phone == "again" { RefreshRuleTests.refresh(stage) }
    let request = stage.send([stage.insert()], secondsAgo: phone == "again" ? 1 : 0)
    stage.pass(seconds: phone == "late" ? 70 : 1)
    stage.end(request, status: phone == "other status" ? 403 : 401)
    switch phone {
    case "asked": RefreshRuleTests.refresh(stage)
    case "killed": stage.tell(.killed(isReboot: false))
    case "configured": stage.tell(.configured(RefreshRuleTests.configuration { $0.accessToken = "own" }))
    default: break
    }
    stage.wait(10)
    #expect(RefreshRuleTests.isFound("no refresh has followed", stage) == (phone == "never"))
  }

  enum Form: CaseIterable { case right, url, method, json, noHeader, oldToken, placeholder, noUploadHeader }

  /// A form with the refresh token, the refresh headers with the access token, and the headers of uploads (SDK §11.2).
  @Test(arguments: Form.allCases) func aRefreshHasTheFormOfTheConfiguration(_ form: Form) {
    let stage = RefreshRuleTests.phone()
    stage.pass(seconds: 60)
    stage.end(stage.send([stage.insert()]), status: 401)
    var headers = [
      NameValuePair("Content-Type", form == .json ? ContentType.json : ContentType.form),
      NameValuePair("Authorization", form == .oldToken ? "Bearer old" : "Bearer access 1"),
    ]
    if form == .noHeader { headers.removeLast() }
    if form != .noUploadHeader { headers.append(NameValuePair("x-fleet", "cars")) }
    RefreshRuleTests.refresh(
      stage, method: form == .method ? "PUT" : "POST", url: form == .url ? "http://a.example/" : nil, headers: headers,
      body: form == .placeholder ? "token=%7BrefreshToken%7D&kind=renew" : "kind=renew&token=refresh+%31")
    #expect(RefreshRuleTests.isFound("refresh 1000", stage) == (form != .right))
  }

  enum Kept: CaseIterable { case right, access, refresh, expiry, commanded, refused, otherForm, replaced, killed, late }

  /// What a refresh brings is kept (SDK §11.2.5), unless the app or a command has replaced it.
  @Test(arguments: Kept.allCases) func newTokensAreKept(_ kept: Kept) {
    let stage = RefreshRuleTests.phone()
    stage.pass(seconds: 60)
    stage.end(stage.send([stage.insert()]), status: 401)
    let request = RefreshRuleTests.refresh(stage)
    stage.pass(seconds: kept == .late ? 70 : 1)
    if kept == .replaced { stage.tell(.configured(RefreshRuleTests.configuration { $0.accessToken = "own" })) }
    let body =
      kept == .otherForm
      ? #"{"data":{"access_token":"access 2"}}"#
      : #"{"access_token":"access 2","refresh_token":"refresh 2","expires_in":3600}"#
    stage.end(request, status: kept == .refused ? 400 : 200, body: body)
    switch kept {
    case .right, .access, .refresh, .expiry:
      stage.tell(
        .configured(
          RefreshRuleTests.configuration {
            if kept != .access { $0.accessToken = "access 2" }
            if kept != .refresh { $0.refreshToken = "refresh 2" }
            if kept != .expiry { $0.expires = 3_600 }
          }))
    case .commanded: stage.tell(.told(.commanded(.setConfig(.emptyObject))))
    case .killed: stage.tell(.killed(isReboot: false))
    case .refused, .otherForm, .replaced, .late: break
    }
    stage.wait(10)
    #expect(RefreshRuleTests.isFound("has not kept", stage) == [.access, .refresh, .expiry].contains(kept))
  }

  /// The token goes after `Bearer`, or alone (SDK §11.1), whatever the configured headers say (SDK §8.1.3).
  @Test(
    arguments: [
      (.jwt, "Bearer access", false), (.jwt, "access", true), (.sas, "access", false), (.sas, "Bearer access", true),
      (.jwt, "Basic own", true), (.jwt, nil, true),
    ] as [(AuthorizationStrategy, String?, Bool)])
  func anUploadHasItsToken(strategy: AuthorizationStrategy, field: String?, isFound: Bool) {
    let stage = RefreshRuleTests.phone { ($0.strategy, $0.accessToken) = (strategy, "access") }
    stage.pass(seconds: 60)
    let headers = [NameValuePair("x-fleet", "cars")] + (field.map { [NameValuePair("Authorization", $0)] } ?? [])
    stage.send([stage.insert()], headers: headers)
    #expect(RefreshRuleTests.isFound("token", stage) == isFound)
  }

  private static func configuration(_ change: (inout AuthorizationSettings) -> Void = { _ in }) -> Configuration {
    var configuration = Runs.configuration(.android)
    configuration.http.url = "http://server.example/locations"
    configuration.http.headers = .object(["X-Fleet": .string("cars")])
    configuration.authorization.accessToken = "access 1"
    configuration.authorization.refreshToken = "refresh 1"
    configuration.authorization.refreshUrl = "http://server.example/refresh"
    configuration.authorization.refreshPayload = .object([
      "token": .string("{refreshToken}"), "kind": .string("renew"),
    ])
    change(&configuration.authorization)
    return configuration
  }

  private static func phone(_ change: (inout AuthorizationSettings) -> Void = { _ in }) -> Stage {
    Stage { $0 = configuration(change) }
  }

  private static let headers = [
    NameValuePair("Content-Type", ContentType.form), NameValuePair("Authorization", "Bearer access 1"),
    NameValuePair("X-Fleet", "cars"),
  ]

  @discardableResult
  private static func refresh(
    _ stage: Stage, method: String = "POST", url: String? = nil, headers: [NameValuePair] = RefreshRuleTests.headers,
    body: String = "kind=renew&token=refresh%201"
  ) -> UInt64 {
    let id: UInt64 = 1_000
    stage.tell(
      .sent(
        OutgoingRequest(
          id: id, purpose: .refresh, method: method, url: url ?? "http://server.example/refresh", headers: headers,
          body: Array(body.utf8), timeout: .seconds(60))))
    return id
  }

  private static func isFound(_ words: String, _ stage: Stage) -> Bool {
    stage.oracle.violations.violations.contains { $0.what.contains(words) }
  }
}
