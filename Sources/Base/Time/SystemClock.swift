internal import Glibc

/// The operating system's clocks. Only shells use them; code that makes decisions gets `now` as a parameter.
package struct SystemClock: Sendable {
  package init() {}

  package var monotonicNow: MonotonicInstant {
    let time = read(CLOCK_MONOTONIC)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package var wallNow: WallInstant {
    let time = read(CLOCK_REALTIME)
    return WallInstant(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  private func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    // The only documented failures are a bad pointer and an unknown clock (clock_gettime(2)).
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "clock_gettime failed")
    return time
  }
}
