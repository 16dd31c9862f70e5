import Contract
import JSON
import Testing
import Vocabulary

@testable import Upload

/// When an upload begins (SDK §8.5).
@Suite struct TriggerTests {
  private static let automatic = FlushTrigger.allCases.filter { $0 != .manual }

  @Test(arguments: FlushTrigger.allCases)
  func everyTriggerDrainsTheQueue(trigger: FlushTrigger) {
    var device = TestDevice()
    device.fill(2)
    device.give(.trigger(trigger))
    device.answer(200)
    device.answer(200)
    #expect(device.sent.count == 2)
    #expect(device.queue.count == 0)
    #expect(!device.uploader.isBusy)
  }

  @Test(arguments: automatic)
  func automaticTriggersRespectAutoSync(trigger: FlushTrigger) {
    var device = TestDevice { $0.http.autoSync = false }
    device.fill(1)
    device.give(.trigger(trigger))
    #expect(device.sent.isEmpty)
    device.give(.sync(completion: 1))
    #expect(device.sent.count == 1)
  }

  @Test(arguments: automatic)
  func theThresholdIsIgnoredOnMotionChangeOnly(trigger: FlushTrigger) {
    var device = TestDevice { $0.http.autoSyncThreshold = 3 }
    device.fill(2)
    device.give(.trigger(trigger))
    #expect(device.sent.count == (trigger == .motionChange ? 1 : 0))
  }

  @Test(arguments: automatic)
  func whoseThresholdIsReachedDrainsEverything(trigger: FlushTrigger) {
    var device = TestDevice { $0.http.autoSyncThreshold = 3 }
    device.fill(4)
    device.give(.trigger(trigger))
    for _ in 0..<4 { device.answer(200) }
    #expect(device.queue.count == 0)
  }

  /// HttpConfig names what retries: new locations, resume, reboot, connectivity, heartbeat, background fetch.
  private static let retries: [FlushTrigger] = [
    .insert, .appResume, .ready, .connectivity, .heartbeat, .backgroundFetch,
  ]

  /// Two rows below the threshold, after this failure of an upload at a motion change.
  private func failed(_ failure: (inout TestDevice) -> Void = { $0.answer(500) }) -> TestDevice {
    var device = TestDevice {
      $0.http.autoSyncThreshold = 10
      $0.authorization.refreshUrl = "http://server.example/refresh"
    }
    device.fill(2)
    device.give(.trigger(.motionChange))
    failure(&device)
    return device
  }

  @Test(arguments: automatic.filter { $0 != .motionChange })
  func rowsThatHaveFailedAreRetriedBelowTheThreshold(trigger: FlushTrigger) {
    let failures: [(isAnswered: Bool, (inout TestDevice) -> Void)] = [
      (true, { $0.answer(500) }), (false, { $0.fail() }),
      (
        true,
        {
          $0.answer(401)
          $0.answer(400)
        }
      ),
      (
        false,
        {
          $0.advance(seconds: 65)
          $0.give(.timersDue)
        }
      ),
    ]
    for (isAnswered, failure) in failures {
      var device = failed(failure)
      let before = device.sent.count
      device.give(.trigger(trigger))
      // Without an answer inserts wait (SDK §9.3.2).
      let isRetry = Self.retries.contains(trigger) && (isAnswered || trigger != .insert)
      #expect((device.sent.count > before) == isRetry)
    }
  }

  /// HttpConfig: "all queued locations are uploaded immediately" at a motion change, and what is queued on cellular "once Wi-Fi
  /// becomes available".
  @Test(arguments: automatic) func aMotionChangeThatWifiIsWaitedForFlushesThen(trigger: FlushTrigger) {
    var device = TestDevice(connectivity: .cellular) {
      $0.http.autoSyncThreshold = 10
      $0.http.disableAutoSyncOnCellular = true
    }
    device.fill(2)
    device.give(.trigger(trigger))
    device.give(.trigger(.heartbeat))
    #expect(device.sent.isEmpty)
    device.give(.connectivity(.wifi))
    device.give(.trigger(.connectivity))
    #expect(device.sent.count == (trigger == .motionChange ? 1 : 0))
  }

  /// The first request is accepted, and then there is no network for the second.
  @Test func whatAnUploadHasLeftBehindIsRetriedToo() {
    var device = failed {
      $0.give(.connectivity(.none))
      $0.answer(200)
      $0.give(.connectivity(.wifi))
    }
    device.give(.trigger(.connectivity))
    #expect(device.sent.count == 2)
  }

  @Test(arguments: [FlushTrigger.motionChange, .manual, .heartbeat])
  func anAttemptWithoutANetworkIsAFailureWhereItKnowsNoThreshold(trigger: FlushTrigger) {
    var device = TestDevice(connectivity: .none) { $0.http.autoSyncThreshold = 10 }
    device.fill(2)
    device.give(.trigger(trigger))
    device.give(.connectivity(.wifi))
    device.give(.trigger(.connectivity))
    #expect(device.sent.count == (trigger == .heartbeat ? 0 : 1))
  }

  @Test func afterASuccessTheThresholdHoldsAgain() {
    var device = failed()
    device.give(.trigger(.heartbeat))
    device.answer(200)
    device.answer(200)
    device.fill(2)
    device.give(.trigger(.heartbeat))
    #expect(device.sent.count == 3)
  }

  @Test func whatComesAfterTheFailedRowsAreDestroyedWaitsForTheThreshold() {
    var device = failed()
    device.queue.clear()
    device.record()
    device.give(.trigger(.heartbeat))
    #expect(device.sent.count == 1)
  }

  @Test(arguments: [-1, 0, 1])
  func aThresholdUpToOneWaitsForNothing(threshold: Int) {
    var device = TestDevice { $0.http.autoSyncThreshold = threshold }
    device.record()
    #expect(device.sent.count == 1)
  }

  @Test func syncIgnoresThresholdAndCellularRule() {
    var device = TestDevice(connectivity: .cellular) {
      $0.http.autoSyncThreshold = 10
      $0.http.disableAutoSyncOnCellular = true
    }
    device.fill(1)
    device.give(.sync(completion: 1))
    #expect(device.sent.count == 1)
  }

  @Test(arguments: automatic)
  func cellularIsForTheManualOnlyIfSoConfigured(trigger: FlushTrigger) {
    var device = TestDevice(connectivity: .cellular) { $0.http.disableAutoSyncOnCellular = true }
    device.fill(1)
    device.give(.trigger(trigger))
    #expect(device.sent.isEmpty)
    device.give(.connectivity(.wifi))
    #expect(device.sent.isEmpty)
    device.give(.trigger(trigger))
    #expect(device.sent.count == 1)
  }

  /// A flush goes on as long as it might begin.
  @Test(arguments: FlushTrigger.allCases, [Connectivity.cellular, .none])
  func theNetworkIsLookedAtBeforeEachRequest(trigger: FlushTrigger, network: Connectivity) {
    var device = TestDevice {
      $0.http.disableAutoSyncOnCellular = true
      $0.logger.logLevel = .verbose
    }
    device.fill(3)
    device.give(.trigger(trigger))
    device.give(.connectivity(network))
    #expect(device.uploader.isBusy)
    device.answer(200)
    let goesOn = network == .cellular && trigger == .manual
    #expect(device.sent.count == (goesOn ? 2 : 1))
    #expect(device.uploader.isBusy == goesOn)
    #expect(device.entries.contains(.noNetwork) == (network == .none))
    #expect(device.queue.count == 2)
    #expect(device.queue.lockedIDs.isEmpty != goesOn)
  }

  @Test func theNetworkIsLookedAtBeforeARefusedPageGoesAgain() {
    var device = TestDevice {
      $0.http.disableAutoSyncOnCellular = true
      $0.authorization.refreshUrl = "http://server.example/refresh"
    }
    device.record()
    device.answer(401)
    device.give(.connectivity(.cellular))
    device.answer(200, #"{"access_token":"new"}"#)
    #expect(device.effects.map(\.name) == ["tokens", "authorization"])
    #expect(device.queue.lockedIDs == [])
  }

  @Test func aDrainedQueueIsASuccessWithoutANetwork() throws {
    var device = TestDevice()
    device.fill(1)
    device.give(.sync(completion: 1))
    device.give(.connectivity(.none))
    device.answer(200)
    #expect(try device.syncs.first?.get().count == 1)
  }

  @Test(arguments: FlushTrigger.allCases)
  func withoutANetworkNothingIsSentAndNoEventFires(trigger: FlushTrigger) {
    var device = TestDevice(connectivity: .none) { $0.logger.logLevel = .verbose }
    device.fill(1)
    device.give(.trigger(trigger))
    #expect(device.effects == [.log(.noNetwork)])
    #expect(device.queue.lockedIDs == [])
  }

  @Test(arguments: ["", "ftp://server.example/", "http://", "server.example/locations"])
  func withoutAUsableURLNothingIsSent(url: String) {
    var device = TestDevice { $0.http.url = url }
    device.record()
    #expect(device.sent.isEmpty)
    #expect(device.queue.count == 1)
  }

  @Test func aTriggerDuringAFlushIsDropped() {
    var device = TestDevice { $0.logger.logLevel = .verbose }
    device.record()
    for trigger in Self.automatic {
      device.give(.trigger(trigger))
      #expect(device.effects == [.log(.busy)])
    }
  }

  @Test func aRunningFlushPicksUpNewRows() {
    var device = TestDevice()
    device.record()
    device.record()
    #expect(device.sent.count == 1)
    device.answer(200)
    #expect(device.sent.count == 2)
  }

  @Test func whatIsConfiguredCountsFromTheNextTriggerOn() {
    var device = TestDevice { $0.http.url = "" }
    device.fill(2)
    device.configure { $0.http.url = "http://server.example/" }
    #expect(device.sent.isEmpty)
    device.give(.trigger(.configuration))
    #expect(device.sent.count == 1)
    device.answer(500)
    device.configure { $0.http.autoSync = false }
    device.give(.trigger(.configuration))
    #expect(device.sent.count == 1)
  }

  @Test func anEmptyQueueFinishesAtOnce() {
    var device = TestDevice { $0.logger.logLevel = .verbose }
    device.give(.trigger(.appResume))
    #expect(
      device.effects == [
        .log(.flushBegan(trigger: .appResume, queued: 0)),
        .log(.watchdogArmed(timeoutSeconds: 60, watchdogSeconds: 65)),
        .log(.flushFinished(isSuccess: true, queuedBefore: 0, synced: 0, pages: 0, milliseconds: 0)),
      ])
  }
}
