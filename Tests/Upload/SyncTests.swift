import Contract
import Queue
import Testing
import Vocabulary

@testable import Upload

/// `sync()` (SDK §4.6, §7.4, §8.5).
@Suite struct SyncTests {
  private func bodies(_ result: Result<[QueuedRecord], SyncError>?) throws -> [String] {
    try (result?.get() ?? []).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test(arguments: [false, true])
  func theUploadedRowsAreDelivered(isBatch: Bool) throws {
    var device = TestDevice {
      $0.http.batchSync = isBatch
      $0.http.maxBatchSize = 2
    }
    device.fill(3)
    device.give(.sync(completion: 5))
    while device.uploader.isBusy { device.answer(200) }
    #expect(device.syncs.count == 1)
    #expect(try bodies(device.syncs.first) == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
  }

  @Test func withoutAURLTheRowsAreHandedOutAndDeleted() throws {
    for order in LocationsOrder.allCases {
      for connectivity in [Connectivity.none, .wifi] {
        var device = TestDevice(connectivity: connectivity) {
          $0.http.url = ""
          $0.persistence.locationsOrderDirection = order
        }
        device.fill(2)
        device.give(.sync(completion: 5))
        let expected = [#"{"n":1}"#, #"{"n":2}"#]
        #expect(try bodies(device.syncs.first) == (order == .ascending ? expected : expected.reversed()))
        #expect(device.queue.count == 0)
        #expect(device.sent.isEmpty)
      }
    }
  }

  @Test func aManualTriggerWithoutACallerHandsNothingOut() {
    var device = TestDevice { $0.http.url = "" }
    device.fill(2)
    device.give(.trigger(.manual))
    #expect(device.queue.count == 2)
  }

  @Test func anEmptyQueueIsASuccess() throws {
    for url in ["", "http://server.example/"] {
      var device = TestDevice { $0.http.url = url }
      device.give(.sync(completion: 5))
      #expect(device.effects == [.synced(completion: 5, .success([]))])
    }
  }

  @Test func eachObstacleHasItsError() {
    var busy = TestDevice()
    busy.record()
    busy.give(.sync(completion: 1))
    #expect(busy.effects == [.synced(completion: 1, .failure(.inProgress))])

    var offline = TestDevice(connectivity: .none)
    offline.give(.sync(completion: 1))
    #expect(offline.effects == [.synced(completion: 1, .failure(.networkConnection))])

    var unusable = TestDevice { $0.http.url = "ftp://server.example/" }
    unusable.give(.sync(completion: 1))
    #expect(unusable.effects == [.synced(completion: 1, .failure(.invalidURL))])
  }

  @Test func theCodesAreTheSDKs() {
    #expect(SyncError.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, -1])
  }

  @Test func aURLThatDisappearsEndsTheFlush() {
    var device = TestDevice()
    device.fill(2)
    device.give(.sync(completion: 1))
    device.configure { $0.http.url = "" }
    device.answer(200)
    #expect(device.syncs == [.failure(.invalidURL)])
    #expect(device.queue.ids == [2])
    #expect(device.queue.lockedIDs == [])
  }

  @Test func aFailedRefreshFailsTheSync() {
    for (status, error) in [(400, SyncError.response), (302, .redirect)] {
      var device = TestDevice { $0.authorization.refreshUrl = "http://server.example/refresh" }
      device.fill(1)
      device.give(.sync(completion: 1))
      device.answer(401)
      device.answer(status)
      #expect(device.syncs == [.failure(error)])
    }
  }

  // The device's own store.

  @Test func rowsThatCannotBeLockedEndTheFlush() {
    var device = TestDevice()
    device.fill(1)
    device.queue.failsToLock = true
    device.give(.sync(completion: 1))
    #expect(device.effects.map(\.name) == ["log", "synced"])
    #expect(device.syncs == [.failure(.store)])
    device.queue.failsToLock = false
    device.give(.trigger(.heartbeat))
    #expect(device.sent.count == 1)
  }

  @Test func rowsThatCannotBeDeletedGoOutAgain() {
    var device = TestDevice()
    device.fill(2)
    device.give(.sync(completion: 1))
    device.queue.failsToDelete = true
    device.answer(200)
    #expect(device.effects.map(\.name) == ["http", "log", "synced"])
    #expect(device.syncs == [.failure(.store)])
    #expect(device.queue.lockedIDs == [])
    device.queue.failsToDelete = false
    device.give(.trigger(.heartbeat))
    #expect(device.lastBody == #"{"location":{"n":1}}"#)
  }

  @Test func rowsThatCannotBeHandedOutStay() {
    var device = TestDevice { $0.http.url = "" }
    device.fill(2)
    device.queue.failsToDelete = true
    device.give(.sync(completion: 1))
    #expect(device.syncs == [.failure(.store)])
    #expect(device.queue.count == 2)
  }
}
