import Base
import Glibc
import Support

/// Memory under a steady load: after the last minute no higher than after the first.
struct Soak {
  let bench: Bench

  static let connections = 64
  static let interval = Nanoseconds.seconds(10)
  /// What the sampling itself and the allocator's pages may differ by.
  static let toleranceKiB = 1_024

  func run(minutes: Int, rate: Int) throws(Trouble) -> Bool {
    let server = try bench.start("soak")
    defer { server.stop() }
    try bench.warm(server)
    let tally = TallyBox()
    let period = Nanoseconds(1_000_000_000 * Int64(Self.connections) / Int64(max(1, rate)))
    let crowd = try Crowd(uploaders: Self.connections, every: period, port: server.port, salt: 2, tally)
    defer { crowd.end() }
    print("seconds  RSS MiB  uploads/s   p99 ms  longest  failed")
    var resident: [Int] = []
    var failed = 0
    for tick in 1...(6 * minutes) {
      bench.pause(Self.interval)
      // What a scrape costs is part of a server's life.
      _ = try server.get("/metrics")
      let seen = tally.take()
      resident.append(server.memory.now)
      failed += seen.broken + seen.refused
      print(
        Text.right(tick * 10, 7), Text.right(Double(resident[tick - 1]) / 1_024, 8),
        Text.right(Double(seen.answered) / 10, 10, decimals: 0), Text.right(seen.milliseconds(0.99), 8),
        Text.right(seen.longest, 8), Text.right(seen.broken + seen.refused, 7))
      fflush(nil)
    }
    let first = resident[min(5, resident.count - 1)]
    let last = resident[resident.count - 1]
    let isGood = last <= first + Self.toleranceKiB && failed == 0
    print(
      "after 1 minute \(first) KiB, after \(minutes) \(last) KiB, highest \(resident.max() ?? 0) KiB",
      isGood ? "" : "BAD")
    try bench.record(
      "soak",
      "\"minutes\":\(minutes),\"rate\":\(rate),\"afterFirstMinuteKiB\":\(first),\"atEndKiB\":\(last),"
        + "\"highestKiB\":\(resident.max() ?? 0),\"failed\":\(failed),\"good\":\(isGood)")
    return isGood
  }
}
