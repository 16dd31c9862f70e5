import Base
import Support

/// From exec to the `listening` line and to the first 200 of `/readyz`.
struct Starts {
  let bench: Bench

  static let emptyMaxMilliseconds = 100.0
  static let filledMaxMilliseconds = 1_000.0

  /// `filled` is a data folder that somebody has filled; it is used as it is.
  func run(filled: String?, starts: Int) throws(Trouble) -> Bool {
    print(Text.left("folder", 10), "     rows", "listening: median", "  max ms", "ready: median", "  max ms")
    var isGood = try measure("empty", limit: Self.emptyMaxMilliseconds, starts) { () throws(Trouble) in
      try bench.start("start-\(bench.clock.monotonicNow.nanoseconds)")
    }
    if let filled {
      let isFast = try measure("filled", limit: Self.filledMaxMilliseconds, starts) { () throws(Trouble) in
        try bench.start(on: filled)
      }
      isGood = isGood && isFast
    }
    return isGood
  }

  private func measure(
    _ name: String, limit: Double, _ starts: Int, _ start: () throws(Trouble) -> ServerProcess
  ) throws(Trouble) -> Bool {
    var listening: [Double] = []
    var ready: [Double] = []
    var rows = ""
    for _ in 0..<starts {
      let server = try start()
      ready.append(try server.untilReady().seconds * 1_000)
      listening.append(server.untilListening.seconds * 1_000)
      let metrics = try server.get("/metrics").split(separator: "\n")
      rows =
        metrics.first { $0.hasPrefix("rollingroad_store_records ") }.map { String($0.split(separator: " ")[1]) } ?? "?"
      server.stop()
    }
    let longest = ready.max() ?? 0
    print(
      Text.left(name, 10), Text.right(rows, 9), Text.right(Text.median(listening), 17),
      Text.right(listening.max() ?? 0, 8),
      Text.right(Text.median(ready), 13), Text.right(longest, 8), longest <= limit ? "" : "BAD")
    try bench.record(
      "start",
      "\"folder\":\"\(name)\",\"rows\":\(rows),\"starts\":\(starts),"
        + "\"listeningMedianMilliseconds\":\(Text.fixed(Text.median(listening), decimals: 2)),"
        + "\"readyMedianMilliseconds\":\(Text.fixed(Text.median(ready), decimals: 2)),"
        + "\"readyMaxMilliseconds\":\(Text.fixed(longest, decimals: 2)),\"good\":\(longest <= limit)")
    return longest <= limit
  }
}
