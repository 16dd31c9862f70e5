import FleetSimulator

/// Runs a series of seeds, by parallel workers or in this process.
struct SeedWorkers {
  let process: ProcessContext
  /// The number of parallel runs; with one, this process makes the runs itself.
  let count: Int
  /// Whether results arrive in the order of the seeds; otherwise as they are ready, because a run may never end.
  let isOrdered: Bool
  let interruption: Interruption
  /// Makes the run of a seed; its output goes to the context, and a request ends it early.
  let run: (UInt64, ProcessContext, Interruption) -> SeedResult

  /// `next` returns nil when no further run is to start; `end` gets the results, nil for a run whose worker was killed.
  func run(next: () -> UInt64?, end: (UInt64, SeedResult?) -> Void) throws {
    guard count > 1 else {
      while !interruption.isRequested, let seed = next() { end(seed, run(seed, process, interruption)) }
      return
    }
    var results: [UInt64: SeedResult] = [:]
    let series = WorkerSeries<UInt64>(
      count, isOrdered: isOrdered, interruption, name: { "the process of seed \($0)" }
    ) { seed, line in
      let context = process.speaking(into: line)
      // Ctrl-C reaches it through its parent process.
      let interruption = Interruption()
      do { try EndingSignals.listen { interruption.request() } } catch {
        context.writeError("seed \(seed): \(error)")
      }
      line.send(.value(run(seed, context, interruption).json))
    }
    try series.run(
      next: next,
      hear: { seed, message in
        switch message {
        case .output(let text): process.writeOutput(text)
        case .error(let text): process.writeError(text)
        case .value(let value): results[seed] = try SeedResult(value)
        }
      },
      end: { seed, failure in
        if let failure { process.writeError("\(failure)") }
        end(seed, results.removeValue(forKey: seed))
      })
  }
}
