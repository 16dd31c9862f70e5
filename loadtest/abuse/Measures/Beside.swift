import Base
import Support

/// What a crowd that does nothing useful costs those who do: with and without it, in turn.
struct Beside {
  let bench: Bench
  let name: String
  let habit: Habit
  let serverFlags: [String]
  /// The share of the rate that has to be left.
  let shareMin: Double

  static let rounds = 6
  static let uploaders = 64

  static func idle(_ bench: Bench) -> Beside {
    Beside(
      bench: bench, name: "idle", habit: Habit(connections: 5_000), serverFlags: ["--idle-timeout", "10m"],
      shareMin: 0.9)
  }

  static func trickle(_ bench: Bench) -> Beside {
    let opening =
      "POST /locations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"
    return Beside(
      bench: bench, name: "trickle",
      habit: Habit(
        connections: 1_000, opening: Array(opening.utf8), piece: [UInt8(ascii: " ")], returnsAfter: .milliseconds(100)),
      serverFlags: [], shareMin: 0.9)
  }

  func run(seconds: Int64) throws(Trouble) -> Bool {
    let server = try bench.start(name, serverFlags)
    defer { server.stop() }
    try bench.warm(server)
    let tally = TallyBox()
    let crowd = try Crowd(uploaders: Self.uploaders, every: nil, port: server.port, salt: 2, tally)
    bench.pause(.seconds(1))
    var without: [Tally] = []
    var with: [Tally] = []
    var atOnce: [Int] = []
    let sockets = server.sockets
    for round in 0..<Self.rounds {
      // Which comes first changes from round to round, so that a drift of the machine falls on both.
      if round % 2 == 0 { without.append(window(tally, seconds)) }
      let (abused, open) = try windowBeside(server, tally, seconds)
      with.append(abused)
      atOnce.append(open - sockets)
      if round % 2 == 1 { without.append(window(tally, seconds)) }
    }
    crowd.end()
    return try report(without, with, atOnce: atOnce.min() ?? 0, seconds: Double(seconds))
  }

  private func window(_ tally: TallyBox, _ seconds: Int64) -> Tally {
    bench.pause(.milliseconds(500))
    _ = tally.take()
    bench.pause(.seconds(seconds))
    return tally.take()
  }

  private func windowBeside(
    _ server: ServerProcess, _ tally: TallyBox, _ seconds: Int64
  ) throws(Trouble) -> (Tally, sockets: Int) {
    let begin = bench.clock.monotonicNow
    let box = AbuseBox()
    let idlers = try Crowd([habit], until: begin + .seconds(seconds + 10), port: server.port, box)
    while box.value.opened < habit.connections, bench.clock.monotonicNow - begin < .seconds(10) {
      bench.pause(.milliseconds(50))
    }
    let seen = window(tally, seconds)
    let sockets = server.sockets
    idlers.end()
    // Their going is not a part of the next window.
    bench.pause(.seconds(1))
    return (seen, sockets)
  }

  private func report(_ without: [Tally], _ with: [Tally], atOnce: Int, seconds: Double) throws(Trouble) -> Bool {
    let rate = { (tallies: [Tally]) in Text.median(tallies.map { Double($0.answered - $0.refused) / seconds }) }
    let ratios = zip(with, without).map { Double($0.answered) / Double(max(1, $1.answered)) }
    let share = Text.median(ratios)
    let failed = (with + without).reduce(0) { $0 + $1.broken + $1.refused }
    let latency = { (tallies: [Tally]) in Text.median(tallies.map { $0.milliseconds(0.99) }) }
    let isGood = share >= shareMin && failed == 0 && atOnce > habit.connections * 9 / 10
    print(Text.left("beside", 12), "   at once", "uploads/s", "  without", "  ratio", "p99 ms", "without", " failed")
    print(
      Text.left(name, 12), Text.right(atOnce, 10), Text.right(rate(with), 9, decimals: 0),
      Text.right(rate(without), 9, decimals: 0), Text.right(share, 7, decimals: 3), Text.right(latency(with), 6),
      Text.right(latency(without), 7), Text.right(failed, 7), isGood ? "" : "BAD")
    print("  rounds:", ratios.map { Text.fixed($0, decimals: 2) }.joined(separator: " "))
    try bench.record(
      "beside",
      "\"crowd\":\"\(name)\",\"atOnce\":\(atOnce),\"uploadsPerSecond\":\(Int(rate(with))),"
        + "\"withoutPerSecond\":\(Int(rate(without))),\"ratio\":\(Text.fixed(share, decimals: 3)),"
        + "\"ratios\":[\(ratios.map { Text.fixed($0, decimals: 3) }.joined(separator: ","))],"
        + "\"failed\":\(failed),\"good\":\(isGood)")
    return isGood
  }
}
