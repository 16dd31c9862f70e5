import Base
import Testing

@testable import IngestServer

@Suite struct RefreshThrottleTests {
  private let token = UUID128(high: 1, low: 1)

  private func instant(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

  @Test func tenFailuresAMinuteAreBorne() {
    var throttle = RefreshThrottle()
    for _ in 0..<10 {
      #expect(throttle.wait(of: token, now: instant(5)) == nil)
      throttle.failed(token, run: "", now: instant(5))
    }
    #expect(throttle.wait(of: token, now: instant(5)) == .seconds(60))
    #expect(throttle.wait(of: token, now: instant(64)) == .seconds(1))
    #expect(throttle.wait(of: token, now: instant(65)) == nil)
    throttle.failed(token, run: "", now: instant(65))
    #expect(throttle.wait(of: token, now: instant(65)) == nil)
  }

  @Test func itsMemoryIsBounded() {
    var throttle = RefreshThrottle(capacity: 100)
    for number in 0..<10_000 as Range<UInt64> {
      throttle.failed(UUID128(high: 2, low: number), run: "", now: instant(Int64(number / 100)))
      #expect(throttle.count <= 100)
    }
  }

  @Test func expiredEntriesAreEvictedFirst() {
    var throttle = RefreshThrottle(capacity: 2)
    throttle.failed(UUID128(high: 2, low: 1), run: "", now: instant(0))
    for _ in 0..<10 { throttle.failed(token, run: "", now: instant(59)) }
    throttle.failed(UUID128(high: 2, low: 2), run: "", now: instant(60))
    #expect(throttle.wait(of: token, now: instant(60)) != nil)
  }
}
