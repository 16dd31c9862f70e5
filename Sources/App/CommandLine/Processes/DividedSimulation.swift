import Base
import FleetSimulator
import Reports
import Scenario

/// A run in virtual time that several processes share. Each simulates one shard, as `--shard` does; together they come to
/// what one process comes to.
struct DividedSimulation {
  let process: ProcessContext
  let options: SimulationOptions
  let count: Int
  let interruption: Interruption

  /// Nil when the run has to be repeated in one process: it ends with a violation, and leaves what is needed to replay it.
  func run(_ setup: RunSetup, _ outputs: RunOutputs) throws -> ShardResult? {
    let folder = options.folder.map { $0 + "/shards" }
    let shards = try processes(folder)
    defer { interruption.onRequest {} }
    interruption.onRequest { [ids = shards.map(\.id)] in ids.forEach(ShardProcess.interrupt) }
    // It may have been requested before.
    if interruption.isRequested { shards.map(\.id).forEach(ShardProcess.interrupt) }
    let display = options.isQuiet ? nil : ProgressDisplay(process)
    while try ShardProcess.wait(for: shards) {
      if shards.contains(where: { $0.result?.isRepeated ?? false }) {
        display?.clear()
        return nil
      }
      // The others would go on for nothing.
      for shard in shards where shard.isGone { _ = try shard.finish() }
      let progress = shards.compactMap(\.progress)
      if progress.count == count { display?.show(RunProgress.whole(of: progress)) }
    }
    display?.clear()
    var results: [ShardResult] = []
    for shard in shards { results.append(try shard.finish()) }
    guard !results.contains(where: \.isRepeated) else { return nil }
    if let folder {
      try outputs.adopt((0..<count).map { "\(folder)/\($0)" }, in: folder, fleets: setup.fleets.map(\.name))
    }
    return try ShardResult.whole(of: results)
  }

  private func processes(_ folder: String?) throws -> [ShardProcess] {
    var shards: [ShardProcess] = []
    for index in 0..<count {
      guard let shard = Shard(index: index, count: count) else { preconditionFailure("an index is below its count") }
      var words = ["simulate"] + options.words.without(["--out", "--processes", "--seeds"])
      words += ["--processes", "1", "--shard", shard.text]
      if let folder { words += ["--out", "\(folder)/\(index)"] }
      shards.append(try ShardProcess(shard, words: words))
    }
    return shards
  }
}

extension ShardResult {
  /// One process has to find it out again.
  fileprivate var isRepeated: Bool { differs || !summary.violations.isEmpty }
}
