import Base
import Contract
import Testing
import Vocabulary

@testable import Upload

/// The lines of the log, in the order in which real logs have them (SDK §8.5, §9.2).
@Suite struct LogOrderTests {
  private let first = UUID128(high: 0, low: 0)

  private func device(_ configure: (inout Configuration) -> Void = { _ in }) -> TestDevice {
    TestDevice {
      $0.logger.logLevel = .verbose
      configure(&$0)
    }
  }

  @Test func anUploadOfOneRecord() {
    var device = device()
    device.record()
    var entries = device.entries
    device.advance(seconds: 0.516)
    device.answer(200)
    entries += device.entries
    #expect(
      entries == [
        .flushBegan(trigger: .insert, queued: 1),
        .watchdogArmed(timeoutSeconds: 60, watchdogSeconds: 65),
        .locked(uuid: first),
        .posting(.post, uuid: first, count: 1, url: "http://server.example/locations"),
        .response(status: 200, reason: ""),
        .posted(uuid: first, status: 200, retry: 0),
        .destroyed(uuid: first),
        .syncPage(isOK: true, size: 1),
        .flushFinished(isSuccess: true, queuedBefore: 1, synced: 1, pages: 1, milliseconds: 516),
      ])
  }

  @Test func aRefusedBatch() {
    var device = device { $0.http.batchSync = true }
    device.fill(2)
    device.give(.trigger(.heartbeat))
    var entries = device.entries
    device.answer(302)
    entries += device.entries
    let second = UUID128(high: 0, low: 1)
    #expect(
      entries == [
        .flushBegan(trigger: .heartbeat, queued: 2),
        .watchdogArmed(timeoutSeconds: 60, watchdogSeconds: 65),
        .lockedBatch(count: 2),
        .posting(.post, uuid: nil, count: 2, url: "http://server.example/locations"),
        .response(status: 302, reason: ""),
        .posted(uuid: nil, status: 302, retry: 0),
        .redirectNotPermitted(status: 302),
        .unlocked(uuid: first), .unlocked(uuid: second),
        .flushFinished(isSuccess: false, queuedBefore: 2, synced: 0, pages: 0, milliseconds: 0),
      ])
  }

  @Test func eachPageHasItsWatchdog() {
    var device = device { $0.http.method = .put }
    device.fill(2)
    device.give(.trigger(.heartbeat))
    device.configure { $0.http.timeoutMilliseconds = 3_000 }
    device.answer(200)
    let second = UUID128(high: 0, low: 1)
    #expect(
      device.entries.dropFirst(3) == [
        .syncPage(isOK: true, size: 1),
        .watchdogArmed(timeoutSeconds: 3, watchdogSeconds: 8),
        .locked(uuid: second),
        .posting(.put, uuid: second, count: 1, url: "http://server.example/locations"),
      ])
  }

  @Test func aResendIsCounted() {
    var device = device { $0.authorization.refreshUrl = "http://server.example/refresh" }
    device.record()
    device.answer(401)
    #expect(device.entries.last == .refreshing(url: "http://server.example/refresh"))
    device.answer(200, #"{"access_token":"new"}"#)
    #expect(device.entries.first == .refreshed(status: 200, hasNewRefreshToken: false))
    device.answer(200)
    #expect(device.entries.contains(.posted(uuid: first, status: 200, retry: 1)))
  }

  @Test func withTheLogOffNoLineIsMade() {
    var device = TestDevice()
    device.record()
    #expect(device.entries.isEmpty)
    device.record()
    #expect(device.entries.isEmpty)
    device.fail()
    #expect(device.entries.isEmpty)
  }
}
