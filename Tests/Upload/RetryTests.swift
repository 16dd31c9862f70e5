import Base
import Contract
import Testing
import Vocabulary

@testable import Upload

/// What begins the next attempt (SDK §9.3).
@Suite struct RetryTests {
  /// A device whose network has failed, with so many rows left.
  private func failed(
    _ rows: Int = 1, _ platform: DevicePlatform = .ios, _ configure: (inout Configuration) -> Void = { _ in }
  ) -> TestDevice {
    var device = TestDevice(platform, configure)
    device.fill(rows)
    device.give(.trigger(.ready))
    device.fail()
    return device
  }

  @Test func afterAFailureOfTheNetworkTenInsertsPassBeforeTheNextAttempt() {
    var device = failed { $0.logger.logLevel = .warning }
    #expect(device.entries.contains(.notResponding(host: "server.example", afterRecords: 10)))
    for _ in 0..<9 {
      device.record()
      #expect(device.sent.count == 1)
    }
    device.record()
    #expect(device.sent.count == 2)
    // It fails again, and ten more pass.
    device.fail(.refused)
    for _ in 0..<9 { device.record() }
    #expect(device.sent.count == 2)
    device.record()
    #expect(device.sent.count == 3)
  }

  @Test func theLogNamesTheHostWithoutTheUser() {
    let device = failed {
      $0.logger.logLevel = .warning
      $0.http.url = "http://user:secret@server.example:8080/locations"
    }
    #expect(device.entries.contains(.notResponding(host: "server.example:8080", afterRecords: 10)))
  }

  @Test(arguments: FlushTrigger.allCases.filter { $0 != .insert })
  func otherTriggersDoNotWait(trigger: FlushTrigger) {
    var device = failed()
    device.give(.trigger(trigger))
    #expect(device.sent.count == 2)
  }

  @Test func whatEndsTheWaiting() {
    var device = failed()
    device.give(.connectivity(.none))
    device.give(.connectivity(.wifi))
    device.fill(1)
    device.give(.trigger(.insert))
    #expect(device.sent.count == 2, "the connectivity changed")
    for trigger in FlushTrigger.allCases where trigger != .insert {
      for status in [200, 400, 403, 503] {
        device = failed()
        device.give(.trigger(trigger))
        device.answer(status)
        let before = device.sent.count
        device.record()
        #expect(device.sent.count == before + 1, "\(status) after \(trigger)")
      }
      device = failed()
      device.give(.trigger(trigger))
      device.fail()
      let before = device.sent.count
      device.record()
      #expect(device.sent.count == before, "no answer after \(trigger)")
    }
  }

  @Test(arguments: [400, 403, 404, 409, 413, 422, 429, 500, 502, 503])
  func answersKnowNoBackOff(status: Int) {
    var device = TestDevice()
    device.record()
    for count in 2...5 {
      device.answer(status)
      device.record()
      #expect(device.sent.count == count)
      #expect(device.lastBody == #"{"location":{"n":1}}"#)
    }
  }

  @Test func onAndroidAQueueThatCannotGrowSoFarDoesNotWait() {
    for (limit, waits) in [(10, false), (11, true), (-1, true), (0, true)] {
      var device = failed(1, .android) { $0.persistence.maxRecordsToPersist = limit }
      device.record()
      #expect((device.sent.count == 1) == waits, "\(limit)")
      device = failed(1, .ios) { $0.persistence.maxRecordsToPersist = limit }
      device.record()
      #expect(device.sent.count == 1, "\(limit)")
    }
  }

  @Test func noWaitingOutlastsALowerLimitOfAndroid() {
    var device = failed(1, .android)
    device.configure { $0.persistence.maxRecordsToPersist = 2 }
    device.record()
    #expect(device.sent.count == 2, "the limit came after the failure")

    device = failed(1, .android)
    for _ in 0..<3 { device.record() }
    device.configure { $0.persistence.maxRecordsToPersist = 12 }
    device.give(.trigger(.heartbeat))
    device.fail()
    device.record()
    #expect(device.sent.count == 3, "nothing is left of the first failure")
  }

  @Test func retriesNeverStopOnTheirOwn() {
    var device = TestDevice()
    device.fill(1)
    for _ in 0..<200 {
      device.give(.trigger(.heartbeat))
      device.answer(500)
    }
    #expect(device.sent.count == 200)
    #expect(device.queue.count == 1)
  }

  // The watchdog (SDK §9.2).

  @Test(arguments: [(60_000.0, 65.0), (3_000, 8)])
  func fiveSecondsAfterItsTimeLimitARequestIsGivenUp(timeout: Double, seconds: Double) {
    var device = TestDevice {
      $0.http.timeoutMilliseconds = timeout
      $0.http.batchSync = true
      $0.logger.logLevel = .verbose
    }
    device.fill(2)
    let start = device.now.monotonic
    device.give(.sync(completion: 3))
    #expect(device.uploader.nextDeadline.map { ($0 - start).seconds } == seconds)
    device.advance(seconds: seconds - 0.001)
    device.give(.timersDue)
    #expect(device.effects == [])
    device.advance(seconds: 0.001)
    device.give(.timersDue)
    #expect(device.entries.contains(.watchdogFired(locked: 2, isBatch: true)))
    #expect(device.syncs == [.failure(.networkConnection)])
    #expect(device.httpEvents.map(\.status) == [0])
    #expect(device.queue.lockedIDs == [])
    #expect(device.uploader.nextDeadline == nil)
    let late = device.lastID
    // The rows go out again, and the late answer to the first request changes nothing: that is how duplicates come.
    device.give(.trigger(.heartbeat))
    #expect(device.sent.count == 2)
    device.give(.answered(request: late, .answered(status: 200, reason: "OK", body: [])))
    #expect(device.effects == [.log(.staleResponseIgnored)])
    #expect(device.queue.lockedIDs == [1, 2])
    device.answer(200)
    #expect(device.queue.count == 0)
  }

  @Test(arguments: [60_000.0, 3_000])
  func aDrainGoesOnAsLongAsItsRequestsAreAnswered(timeout: Double) throws {
    var device = TestDevice { $0.http.timeoutMilliseconds = timeout }
    device.fill(100)
    device.give(.sync(completion: 3))
    for _ in 0..<100 {
      device.advance(seconds: 1)
      device.give(.timersDue)
      device.answer(200)
      #expect(device.httpEvents.map(\.status) == [200])
    }
    #expect(device.sent.count == 100)
    #expect(device.queue.count == 0)
    #expect(try device.syncs.map { try $0.get().count } == [100])
  }

  @Test func aRefreshAndTheRequestAfterItHaveTheirOwnTime() {
    var device = TestDevice {
      $0.http.timeoutMilliseconds = 3_000
      $0.authorization.refreshUrl = "http://server.example/refresh"
    }
    device.record()
    for (status, body) in [(401, ""), (200, #"{"access_token":"new"}"#), (200, "")] {
      device.advance(seconds: 7)
      device.give(.timersDue)
      #expect(device.uploader.isBusy)
      device.answer(status, body)
    }
    #expect(device.queue.count == 0)
    #expect(device.httpEvents.map(\.status) == [200])
  }

  @Test func aRefreshThatNeverEndsFailsAndTheCommandsOfTheRefusalRun() {
    var device = TestDevice { $0.authorization.refreshUrl = "http://server.example/refresh" }
    device.record()
    device.advance(seconds: 40)
    device.answer(401, #"{"background_geolocation":["stop"]}"#)
    device.advance(seconds: 64.999)
    device.give(.timersDue)
    #expect(device.effects == [])
    device.advance(seconds: 0.001)
    device.give(.timersDue)
    #expect(device.effects.map(\.name) == ["authorization", "commands"])
    #expect(device.authorizationEvents.map(\.status) == [0])
    #expect(device.queue.lockedIDs == [])
  }

  @Test func whatAnAppDestroysDuringAnUploadStaysDestroyed() {
    // SDK §7.4: the upload in flight finishes without effect.
    for status in [200, 500] {
      var device = TestDevice()
      device.record()
      device.queue.clear()
      device.answer(status)
      #expect(device.queue.count == 0)
      #expect(device.httpEvents.count == 1)
      #expect(!device.uploader.isBusy)
    }
  }

  @Test(arguments: [0, 99])
  func anAnswerToNothingChangesNothing(request: UInt64) {
    var device = TestDevice()
    device.record()
    device.give(.answered(request: request, .answered(status: 200, reason: "", body: [])))
    #expect(device.effects == [])
    #expect(device.queue.lockedIDs == [1])
  }
}
