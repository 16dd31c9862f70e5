import Base
import Support

/// Latency of single uploads at half of the rate that the server reaches, each counted from the moment when it was due.
struct HalfLoad {
  let bench: Bench

  static let connections = 256
  static let rounds = 3

  /// `rate` is what the clients send in a second; nil for half of what 256 of them reach without rest.
  func run(rate: Int?, seconds: Int64) throws(Trouble) -> Bool {
    let server = try bench.start("half")
    defer { server.stop() }
    try bench.warm(server)
    var lines: [Tally] = []
    print("   full rate/s   sent/s  answered/s   p50 ms   p99 ms p99.9 ms  longest  failed")
    for round in 0..<Self.rounds {
      let full = rate == nil ? try measure(server, every: nil, salt: UInt32(10 + round), min(seconds, 4)).answered : 0
      let fullRate = rate.map { 2 * $0 } ?? full / Int(min(seconds, 4))
      let wanted = max(1, fullRate / 2)
      let period = Nanoseconds(1_000_000_000 * Int64(Self.connections) / Int64(wanted))
      let seen = try measure(server, every: period, salt: UInt32(20 + round), seconds)
      lines.append(seen)
      print(
        Text.right(fullRate, 14), Text.right(wanted, 8),
        Text.right(Double(seen.answered) / Double(seconds), 11, decimals: 0),
        Text.right(seen.milliseconds(0.5), 8), Text.right(seen.milliseconds(0.99), 8),
        Text.right(seen.milliseconds(0.999), 8),
        Text.right(seen.longest, 8), Text.right(seen.refused + seen.broken, 7))
      try bench.record(
        "half",
        "\"sentPerSecond\":\(wanted),\"answeredPerSecond\":\(seen.answered / Int(seconds)),"
          + "\"p50Milliseconds\":\(Text.fixed(seen.milliseconds(0.5), decimals: 2)),"
          + "\"p99Milliseconds\":\(Text.fixed(seen.milliseconds(0.99), decimals: 2)),"
          + "\"p999Milliseconds\":\(Text.fixed(seen.milliseconds(0.999), decimals: 2)),"
          + "\"longestMilliseconds\":\(Text.fixed(seen.longest, decimals: 2)),\"failed\":\(seen.refused + seen.broken)")
    }
    return lines.allSatisfy { $0.refused + $0.broken == 0 }
  }

  private func measure(
    _ server: ServerProcess, every period: Nanoseconds?, salt: UInt32, _ seconds: Int64
  ) throws(Trouble) -> Tally {
    let tally = TallyBox()
    let crowd = try Crowd(uploaders: Self.connections, every: period, port: server.port, salt: salt, tally)
    bench.pause(.seconds(1))
    _ = tally.take()
    bench.pause(.seconds(seconds))
    let seen = tally.take()
    crowd.end()
    return seen
  }
}
