import AllocationCounter
import Glibc

/// One thing to measure: `body` is repeated `iterations` times in a round. Its result keeps the work from being
/// optimized away.
struct Measure {
  let name: String
  let iterations: Int
  let body: () throws -> Int

  /// Time of the processor and not of the clock on the wall, so that other processes on the machine do not count.
  func nanosecondsPerOperation() throws -> Double {
    let start = Self.threadNanoseconds()
    try repeatBody()
    return (Self.threadNanoseconds() - start) / Double(iterations)
  }

  func allocationsPerOperation() throws -> Double {
    let before = allocation_count()
    try repeatBody()
    return Double(allocation_count() - before) / Double(iterations)
  }

  private func repeatBody() throws {
    var sum = 0
    for _ in 0..<iterations { sum &+= try body() }
    precondition(sum != 0, "the work has no result")
  }

  private static func threadNanoseconds() -> Double {
    var time = timespec()
    let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    precondition(result == 0, "the thread has no clock")
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
