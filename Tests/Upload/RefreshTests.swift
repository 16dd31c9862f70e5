import Base
import Contract
import JSON
import Testing
import Vocabulary

@testable import Upload

/// New tokens after a 401 and before their end (SDK §11).
@Suite struct RefreshTests {
  private func device(_ configure: (inout Configuration) -> Void = { _ in }) -> TestDevice {
    TestDevice {
      $0.authorization.accessToken = "old"
      $0.authorization.refreshToken = "r1"
      $0.authorization.refreshUrl = "https://id.example/token"
      $0.authorization.refreshPayload = .object(["refresh_token": .string("{refreshToken}")])
      configure(&$0)
    }
  }

  private func refused(_ configure: (inout Configuration) -> Void = { _ in }) -> TestDevice {
    var device = device(configure)
    device.record()
    device.answer(401)
    return device
  }

  private static let answer = #"{"access_token":"new","refresh_token":"r2","expires_in":3600}"#

  @Test func a401AsksForNewTokensAndSendsTheSameRecordsAgain() {
    var device = refused()
    #expect(device.sent.last?.url == "https://id.example/token")
    #expect(device.sent.last?.method == "POST")
    #expect(device.lastBody == "refresh_token=r1")
    #expect(device.queue.lockedIDs == [1])
    device.answer(200, Self.answer)
    #expect(device.effects.map(\.name) == ["tokens", "authorization", "send"])
    #expect(
      device.effects.first
        == .tokens(
          RefreshedTokens(accessToken: "new", refreshToken: "r2", expires: 3_600, setAt: device.now.wall)))
    #expect(device.authorizationEvents.map(\.isSuccess) == [true])
    #expect(device.authorizationEvents.first?.response?["refresh_token"] == .string("r2"))
    #expect(device.header("Authorization") == "Bearer new")
    #expect(device.lastBody == device.sent.first.map { String(decoding: $0.body, as: UTF8.self) })
    device.answer(200)
    #expect(device.queue.count == 0)
    #expect(device.httpEvents.map(\.isSuccess) == [true])
  }

  /// SDK §11.6.
  @Test func aRefreshSaysWhatBeganItsFlush() {
    var device = device()
    device.record()
    let began = device.now.monotonic
    device.advance(seconds: 3)
    device.answer(401)
    #expect(device.sent.last?.purpose == .refresh)
    #expect(device.sent.last?.occasion == OutgoingRequest.Occasion(trigger: .insert, triggeredAt: began))
    device.answer(403)
    device.give(.trigger(.heartbeat))
    device.answer(401)
    #expect(
      device.sent.last?.occasion == OutgoingRequest.Occasion(trigger: .heartbeat, triggeredAt: device.now.monotonic))
    #expect(device.sent.filter { $0.purpose == .refresh }.count == 2)
  }

  @Test func theUploaderGoesOnWithTheNewTokens() {
    var device = refused()
    device.advance(seconds: 3)
    device.answer(201, Self.answer)
    #expect(device.uploader.configuration.authorization.refreshToken == "r2")
    #expect(device.uploader.configuration.authorization.expires == 3_600)
    #expect(device.uploader.tokenSetAt == device.now.wall)
  }

  @Test func theOldRefreshTokenStaysWhenNoneComes() {
    var device = refused { $0.authorization.expires = 5 }
    device.answer(200, #"{"accessToken":"new"}"#)
    #expect(device.uploader.configuration.authorization.refreshToken == "r1")
    #expect(device.uploader.configuration.authorization.expires == TokenExpiry.never)
  }

  @Test func aSecond401InOneFlushIsFinal() {
    var device = refused { $0.logger.logLevel = .debug }
    device.answer(200, Self.answer)
    device.answer(401)
    #expect(device.requests.isEmpty)
    #expect(device.entries.contains(.refreshSkipped(.refreshedAlready)))
    #expect(device.queue.lockedIDs == [])
    #expect(device.httpEvents.map(\.status) == [401])
    // The next trigger may refresh again: endless pairs (SDK §11.6).
    device.give(.trigger(.heartbeat))
    device.answer(401)
    #expect(device.requests.map(\.purpose) == [.refresh])
  }

  @Test func aFlushRefreshesOnceWhateverItsPage() {
    var device = refused()
    device.fill(1)
    device.answer(200, Self.answer)
    device.answer(200)
    device.answer(401)
    #expect(device.requests.isEmpty)
    #expect(!device.uploader.isBusy)
  }

  @Test func withoutARefreshURLA401IsPlain() {
    var device = refused {
      $0.authorization.refreshUrl = nil
      $0.logger.logLevel = .warning
    }
    #expect(device.entries.contains(.refreshSkipped(.noURL)))
    #expect(device.requests.isEmpty)
    #expect(device.queue.lockedIDs == [])
    device.give(.trigger(.heartbeat))
    #expect(device.requests.map(\.purpose) == [.records])
  }

  @Test func aRefreshThatIsNoSuccessEndsTheFlush() {
    for status in 100...599 where status != 200 && status != 201 {
      var device = refused()
      device.answer(status, Self.answer)
      #expect(device.authorizationEvents.map(\.isSuccess) == [false], "\(status)")
      #expect(device.authorizationEvents.map(\.status) == [status])
      #expect(device.authorizationEvents.first?.error == Self.answer)
      #expect(device.requests.isEmpty, "\(status)")
      #expect(device.queue.ids == [1])
      #expect(device.queue.lockedIDs == [])
      #expect(device.httpEvents.isEmpty)
      #expect(device.uploader.configuration.authorization.accessToken == "old")
    }
  }

  @Test(arguments: [400, 401, 503])
  func aRefusalWithoutABodySaysItsStatus(status: Int) {
    var device = refused()
    device.answer(status)
    #expect(device.authorizationEvents.first?.error == "HTTP \(status)")
  }

  @Test(arguments: TransportFailure.allCases)
  func aRefreshWithoutAnAnswerIsStatusZero(failure: TransportFailure) {
    var device = refused()
    device.fail(failure)
    #expect(device.authorizationEvents.map(\.status) == [0])
    #expect(device.queue.lockedIDs == [])
    // The back-off counts failures of uploads.
    device.record()
    #expect(device.requests.map(\.purpose) == [.records])
  }

  @Test(arguments: ["", "<html>", "[]", "null", "{}", #"{"refresh_token":"x"}"#, #"[{"access_token":"x"}]"#, "{\"a\":"])
  func anAnswerWithoutATokenIsAFailure(body: String) {
    var device = refused()
    device.answer(200, body)
    #expect(device.authorizationEvents.map(\.isSuccess) == [false])
    #expect(device.authorizationEvents.first?.error == "Failed to parse refresh-token response")
    #expect(!device.uploader.isBusy)
    #expect(device.queue.lockedIDs == [])
  }

  @Test func anExpiryThatIsNoNumberIsIgnoredWithAWarning() {
    var device = refused { $0.logger.logLevel = .warning }
    device.answer(200, #"{"access_token":"new","expires":"soon"}"#)
    #expect(device.entries.contains(.warning("Ignoring non-numeric expires", from: .authorization)))
    #expect(device.uploader.configuration.authorization.expires == TokenExpiry.never)
  }

  @Test func aStrangeContentTypeBecomesAFormWithAWarning() {
    var device = refused {
      $0.authorization.refreshHeaders = .object(["Content-Type": .string("text/plain")])
      $0.logger.logLevel = .warning
    }
    #expect(device.header("Content-Type") == "application/x-www-form-urlencoded")
    #expect(
      device.entries.contains(.warning("Unsupported Content-Type for a refresh: text/plain", from: .authorization)))
    device = refused { $0.authorization.refreshHeaders = .object(["content-type": .string("application/json")]) }
    #expect(device.lastBody == #"{"refresh_token":"r1"}"#)
  }

  @Test(arguments: [200, 400])
  func tokensThatTheAppReplacedMeanwhileStay(status: Int) {
    var device = refused()
    device.configure { $0.authorization.accessToken = "mine" }
    device.answer(status, Self.answer)
    // BGGeo 122: "Fires when refreshUrl responds".
    #expect(device.effects.map(\.name) == ["authorization", "send"])
    #expect(device.authorizationEvents.map(\.isSuccess) == [status == 200])
    #expect(device.authorizationEvents.map(\.status) == [status])
    #expect(device.header("Authorization") == "Bearer mine")
    #expect(device.uploader.configuration.authorization.refreshToken == "r1")
  }

  /// HttpConfig `params`: "merged into the JSON body of every outbound upload request".
  @Test(arguments: [200, 400])
  func whatIsConfiguredMeanwhileIsInTheRequestThatGoesAgain(status: Int) {
    var device = refused()
    device.configure { ($0.authorization.accessToken, $0.http.params) = ("mine", .object(["a": .integer(1)])) }
    device.fill(1)
    device.answer(status, Self.answer)
    #expect(device.lastBody == #"{"location":{"n":1},"a":1}"#)
    #expect(device.queue.lockedIDs == [1])
    device.answer(200)
    #expect(device.lastBody == #"{"location":{"n":2},"a":1}"#)
  }

  @Test func aBatchIsAsLongAsIsConfiguredMeanwhile() {
    var device = device { ($0.authorization.expires, $0.http.batchSync) = (1_000_000_001, true) }
    device.fill(3)
    device.give(.trigger(.heartbeat))
    #expect(device.requests.map(\.purpose) == [.refresh] && device.queue.lockedIDs.count == 3)
    device.configure { $0.http.maxBatchSize = 2 }
    device.answer(200, Self.answer)
    #expect(device.lastBody == #"{"location":[{"n":1},{"n":2}]}"# && device.queue.lockedIDs.count == 2)
  }

  // Expiry (SDK §11.5).

  @Test func anExpiredTokenIsRefreshedBeforeTheUpload() {
    var device = device { $0.authorization.expires = 3_600 }
    device.advance(seconds: 3_599.999)
    device.record()
    #expect(device.requests.map(\.purpose) == [.records])
    device.answer(200)
    device.advance(seconds: 0.001)
    device.record()
    #expect(device.requests.map(\.purpose) == [.refresh])
    #expect(device.queue.lockedIDs.count == 1)
    device.answer(200, Self.answer)
    #expect(device.requests.map(\.purpose) == [.records])
    #expect(device.header("Authorization") == "Bearer new")
    // That was the one refresh of this flush.
    device.answer(401)
    #expect(device.requests.isEmpty)
  }

  @Test(
    arguments: [
      // Seconds and milliseconds since 1970, one before and one at the device's clock.
      (1_785_263_663, true), (1_785_263_664, false), (1_785_263_663_000, true), (1_785_263_663_001, false),
      (-1, false), (0, false), (3_900, false),
    ] as [(Double, Bool)])
  func theUnitFollowsFromTheSize(expires: Double, isExpired: Bool) {
    var device = device { $0.authorization.expires = expires }
    device.record()
    #expect(device.requests.map(\.purpose) == [isExpired ? .refresh : .records])
  }

  @Test func anExpiredTokenWithoutRefreshURLIsSent() {
    var device = device {
      $0.authorization.expires = 1_000_000_001
      $0.authorization.refreshUrl = nil
    }
    device.record()
    #expect(device.requests.map(\.purpose) == [.records])
  }

  @Test func tokensThatAreExpiredWhenTheyComeAreUsedOnce() {
    var device = device { $0.authorization.expires = 1_000_000_001 }
    device.record()
    device.answer(200, #"{"access_token":"new","expires_at":1000000002}"#)
    #expect(device.requests.map(\.purpose) == [.records])
    device.fill(1)
    device.answer(200)
    #expect(device.requests.map(\.purpose) == [.records])
  }

  @Test func aFailedRefreshBeforeTheUploadEndsTheFlushWithoutAnHTTPEvent() {
    var device = device { $0.authorization.expires = 1_000_000_001 }
    device.record()
    device.answer(500)
    #expect(device.effects.map(\.name) == ["authorization"])
    #expect(device.queue.lockedIDs == [])
    #expect(!device.uploader.isBusy)
  }

  @Test func aRelativeExpiryCountsFromTheMomentTheTokenWasSet() {
    var device = device { $0.authorization.expires = 100 }
    device.advance(seconds: 99)
    device.configure { $0.authorization.accessToken = "newer" }
    device.advance(seconds: 99)
    device.record()
    #expect(device.requests.map(\.purpose) == [.records])
    device.answer(200)
    device.advance(seconds: 1)
    device.configure { $0.http.params = .object(["a": .integer(1)]) }
    device.record()
    #expect(device.requests.map(\.purpose) == [.refresh])
  }
}
