import Contract
import JSON
import Testing
import Vocabulary

@testable import Upload

/// Every status and every failure, for single records and batches, before, without and after a refresh (SDK §9.1).
@Suite struct StatusMatrixTests {
  enum Refreshing: CaseIterable {
    case impossible, possible, done
  }

  static let statuses = Array(100...599)

  /// Three rows; the answer concerns the first, or all of them. What the request before it was is told by `refreshing`.
  private func device(_ isBatch: Bool, _ refreshing: Refreshing, _ platform: DevicePlatform = .ios) -> TestDevice {
    var device = TestDevice(platform) {
      $0.http.batchSync = isBatch
      $0.authorization.accessToken = "old"
      if refreshing != .impossible { $0.authorization.refreshUrl = "http://server.example/refresh" }
    }
    device.fill(3)
    device.give(.sync(completion: 7))
    if refreshing == .done {
      device.answer(401)
      device.answer(200, #"{"access_token":"new"}"#)
    }
    return device
  }

  @Test(arguments: [false, true], Refreshing.allCases)
  func eachStatusHasItsMeaning(isBatch: Bool, refreshing: Refreshing) {
    for status in Self.statuses {
      var device = device(isBatch, refreshing)
      let ids = device.queue.ids
      let locked = isBatch ? ids : [ids[0]]
      #expect(device.queue.lockedIDs == locked)
      device.answer(status, "no JSON")

      let isSuccess = status / 100 == 2
      let refreshes = status == 401 && refreshing == .possible
      #expect(device.httpEvents.map(\.isSuccess) == [isSuccess], "\(status)")
      #expect(device.httpEvents.map(\.status) == [status])
      #expect(device.httpEvents.map(\.responseText) == ["no JSON"])
      #expect(device.queue.ids == (isSuccess ? Array(ids.dropFirst(locked.count)) : ids), "\(status)")
      if isSuccess {
        #expect(device.requests.map(\.purpose) == (isBatch ? [] : [.records]), "\(status)")
        #expect(device.syncs.isEmpty == !isBatch)
      } else if refreshes {
        #expect(device.requests.map(\.purpose) == [.refresh])
        #expect(device.queue.lockedIDs == locked)
        #expect(device.syncs.isEmpty)
      } else {
        #expect(device.requests.isEmpty, "\(status)")
        #expect(device.queue.lockedIDs == [])
        #expect(!device.uploader.isBusy)
        #expect(device.syncs == [.failure(status / 100 == 3 ? .redirect : .response)], "\(status)")
      }
      #expect(device.authorizationEvents.isEmpty)
      #expect(device.queue.mistakes.isEmpty)
    }
  }

  @Test(arguments: [false, true], Refreshing.allCases)
  func eachFailureOfTheTransportIsStatusZero(isBatch: Bool, refreshing: Refreshing) {
    for failure in TransportFailure.allCases {
      var device = device(isBatch, refreshing)
      let ids = device.queue.ids
      device.fail(failure)
      #expect(device.httpEvents.map(\.status) == [0])
      #expect(device.httpEvents.map(\.isSuccess) == [false])
      #expect(device.httpEvents.map(\.responseText) == ["no answer: \(failure.rawValue)"])
      #expect(device.queue.ids == ids)
      #expect(device.queue.lockedIDs == [])
      #expect(device.requests.isEmpty)
      #expect(device.syncs == [.failure(.networkConnection)])
    }
  }

  @Test func aBlockedQueueStaysBlocked() {
    // The time line of SDK §8.7.
    var device = TestDevice()
    device.fill(3)
    device.give(.trigger(.ready))
    device.answer(200)
    for _ in 0..<3 {
      #expect(device.lastBody == #"{"location":{"n":2}}"#)
      device.answer(422)
      #expect(device.queue.count == 2)
      device.give(.trigger(.heartbeat))
    }
    #expect(device.sent.count == 5)
  }

  @Test(arguments: [200, 299])
  func commandsOfASuccessRunBeforeTheNextRequest(status: Int) {
    var device = TestDevice()
    device.fill(2)
    device.give(.trigger(.ready))
    device.giveOnce(
      .answered(request: 1, .answered(status: status, reason: "OK", body: Array(Self.stop.utf8))))
    #expect(device.queue.ids == [2])
    #expect(device.effects.map(\.name) == ["http", "commands", "proceed"])
    #expect(device.sent.count == 1)
    // What the commands change counts for the next request.
    var configuration = device.uploader.configuration
    configuration.http.url = "http://elsewhere.example/"
    device.giveOnce(.configuration(configuration))
    device.giveOnce(.proceed)
    #expect(device.sent.map(\.url) == ["http://server.example/locations", "http://elsewhere.example/"])
  }

  private static let stop = #"{"background_geolocation":["stop"]}"#

  @Test func commandsRunOnEveryStatus() {
    // SDK §10.3.
    for status in Self.statuses {
      var device = TestDevice()
      device.record()
      device.answer(status, Self.stop)
      #expect(device.commands == [.stop], "\(status)")
      let names = device.effects.map(\.name)
      #expect(names.prefix(2) == ["http", "commands"], "\(status)")
    }
  }

  @Test func commandsOfA401RunAfterTheRefreshAndBeforeTheResend() {
    var device = device(false, .possible)
    device.answer(401, Self.stop)
    #expect(device.effects.map(\.name) == ["http", "send"])
    device.answer(200, #"{"access_token":"new","background_geolocation":["start"]}"#)
    #expect(device.effects.map(\.name) == ["tokens", "authorization", "commands", "commands", "proceed", "send"])
    #expect(device.commands == [.stop, .start])
    device = self.device(false, .possible)
    device.answer(401, Self.stop)
    device.answer(400, #"{"background_geolocation":["start"]}"#)
    #expect(device.effects.map(\.name) == ["authorization", "commands", "commands", "synced"])
    #expect(device.commands == [.stop, .start])
  }

  @Test func commandsRunOnEveryStatusOfARefreshAndOfALog() {
    for status in Self.statuses {
      var device = device(false, .possible)
      device.answer(401)
      device.answer(status, Self.stop)
      #expect(device.commands == [.stop], "refresh \(status)")
      device.give(
        .uploadLog(
          LogUpload(url: "http://l/", gzip: [], state: [], model: "", manufacturer: "", version: ""), completion: 1))
      device.answer(status, Self.stop)
      #expect(device.effects.map(\.name) == ["logUploaded", "commands"], "log \(status)")
    }
  }

  @Test func whatTheCommandsOfARefreshChangeCountsForTheWaitingPage() {
    // SDK §7.2.5: params are read when a request is made.
    var device = device(false, .possible)
    device.answer(401)
    device.giveOnce(
      .answered(
        request: device.sent.last?.id ?? 0,
        .answered(
          status: 200, reason: "OK",
          body: Array(#"{"access_token":"new","background_geolocation":["stop"]}"#.utf8))))
    var configuration = device.uploader.configuration
    configuration.http.params = .object(["phone": .string("another")])
    device.giveOnce(.configuration(configuration))
    device.giveOnce(.proceed)
    let uploads = device.sent.filter { $0.purpose == .records }
    #expect(uploads.count == 2)
    #expect(uploads.first?.payload?.uuids == uploads.last?.payload?.uuids, "the same records")
    #expect(uploads.last.map { String(decoding: $0.body, as: UTF8.self).contains(#""phone":"another""#) } == true)
  }

  @Test func theCommandsOfARefreshRunAlsoWhenItsTokensAreDropped() {
    var device = device(false, .possible)
    device.answer(401)
    device.configure { $0.authorization.accessToken = "mine" }
    device.answer(200, #"{"access_token":"new","background_geolocation":["stop"]}"#)
    #expect(device.effects.map(\.name) == ["authorization", "commands", "proceed", "send"])
  }

  @Test func aFaultyCommandIsReportedToo() {
    var device = TestDevice()
    device.record()
    device.answer(200, #"{"background_geolocation":[["fly"],["stop"]]}"#)
    #expect(device.commands == [.stop])
    #expect(device.effects.contains { if case .commands(let all) = $0 { all.problems.count == 1 } else { false } })
  }
}

extension UploadEffect {
  /// For lists of what happened in which order; the log left out of them is empty by default.
  var name: String {
    switch self {
    case .send: "send"
    case .http: "http"
    case .authorization: "authorization"
    case .commands: "commands"
    case .proceed: "proceed"
    case .tokens: "tokens"
    case .synced: "synced"
    case .discarded: "discarded"
    case .logUploaded: "logUploaded"
    case .log: "log"
    }
  }
}
