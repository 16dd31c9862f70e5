import Base
import FleetSimulator
import Reports
import Scenario

/// A run divided among several processes. Each simulates one shard, as `--shard` does; their combined results equal
/// those of one process. In real time their drives start at the same instant.
struct DividedSimulation {
  let process: ProcessContext
  let isQuiet: Bool
  let isOneOfMany: Bool
  let count: Int
  let interruption: Interruption
  let isInRealTime: Bool
  /// Nil: as soon as all processes are ready.
  let start: RunStart?
  let judge: WholeJudge
  /// Runs in a worker: simulates a shard, streams into the folder and reports the results.
  let simulate: (Shard, _ folder: String?, WorkerLine) -> Void

  /// The state of one worker.
  private struct Part {
    let shard: Shard
    let worker: WorkerProcess
    /// The reason why there will be no result.
    var death: WorkerProcess.Failure?
    var isReady = false
    var progress: RunProgress?
    var interim: RunSummary?
    var result: ShardResult?
    /// The error that it reported.
    var failure: (reason: String, files: [String])?

    /// Handles its messages and returns the notes among them. If it has ended without a result, that is its death.
    mutating func hear() throws -> [String] {
      var notes: [String] = []
      for message in worker.takeMessages() {
        switch message {
        case .output: break
        case .error(let note): notes.append(note)
        case .value(let value):
          switch try ShardMessage(value) {
          case .ready: isReady = true
          case .progress(let progress): self.progress = progress
          case .interimSummary(let summary): interim = summary
          case .failure(let reason, let files): failure = (reason, files)
          case .result(let result):
            self.result = result
            // A run that was ended early is not complete.
            if result.summary.ended >= result.summary.duration { progress?.share = 1 }
          }
        }
      }
      guard !worker.isOpen, result == nil, death == nil else { return notes }
      do throws(WorkerProcess.Failure) {
        try worker.finish()
        death = WorkerProcess.Failure(description: "\(worker.name) ended without a result", code: .runInvalid)
      } catch {
        death =
          failure.map { WorkerProcess.Failure(description: "\(worker.name): \($0.reason)", code: error.code) } ?? error
      }
      return notes
    }
  }

  /// Returns nil when one process must make the run: after a violation, to save a replay plan, or because no further
  /// process can be started.
  func run(_ setup: RunSetup, _ outputs: RunOutputs) throws -> ShardResult? {
    let folders = try outputs.makeFolders(count)
    defer { outputs.removeFolders() }
    let group = WorkerGroup(interruption)
    defer { group.close() }
    var parts: [Part]
    do throws(WorkerProcess.Failure) { parts = try begin(folders, group) } catch {
      process.writeError("note: --processes: this run uses one process: \(error)")
      return nil
    }
    if !isOneOfMany { process.writeOutput("\(count) processes") }
    var judge = judge
    guard try follow(&parts, &judge) else {
      process.writeError("note: a violation; the run is repeated in one process, to save a plan that replays it")
      return nil
    }
    for part in parts where part.death == nil {
      if let failure = part.failure {
        outputs.miss(OutputFolder.Failure(description: failure.reason), failure.files)
      }
      // All have reported their results.
      do throws(WorkerProcess.Failure) { try part.worker.finish() } catch {
        outputs.miss(OutputFolder.Failure(description: "\(error)"))
      }
    }
    let kept = zip(folders, parts).filter { $1.death == nil }.map(\.0)
    outputs.adopt(kept, fleets: setup.fleets.map(\.name))
    let missing = parts.compactMap { part in part.death.map { MissingShard(part.shard, reason: $0.description) } }
    var whole = try ShardResult.whole(
      of: parts.compactMap(\.result), missing: missing, endedBy: judge.missed)
    if interruption.isRequested, !whole.summary.violations.isEmpty {
      whole.summary.notes.append("no replay plan was saved: the run was ended by a signal")
    }
    return whole
  }

  private func begin(_ folders: [String], _ group: WorkerGroup) throws(WorkerProcess.Failure) -> [Part] {
    var parts: [Part] = []
    for index in 0..<count {
      guard let shard = Shard(index: index, count: count) else { preconditionFailure("an index is below its count") }
      let folder = folders.isEmpty ? nil : folders[index]
      let worker = try WorkerProcess("process \(index + 1) of \(count)", in: group) { simulate(shard, folder, $0) }
      parts.append(Part(shard: shard, worker: worker))
    }
    return parts
  }

  /// Waits for all results; returns false as soon as one process must repeat the run. If a worker dies, the run is
  /// incomplete: the drives of the others end, with the results so far.
  private func follow(_ parts: inout [Part], _ judge: inout WholeJudge) throws -> Bool {
    var hasBegun = !isInRealTime
    let display = isQuiet ? nil : ProgressDisplay(process)
    defer { display?.clear() }
    var notes: Set<String> = []
    var hasLostPart = false
    while parts.contains(where: \.worker.isOpen) {
      try WorkerProcess.wait(for: parts.map(\.worker))
      for index in parts.indices {
        for note in try parts[index].hear() where notes.insert(note).inserted {
          display?.clear()
          process.writeError(note)
        }
      }
      if let death = parts.lazy.compactMap(\.death).first {
        guard hasBegun, parts.contains(where: { $0.death == nil }) else { throw death }
        if !hasLostPart { parts.forEach { $0.worker.instruct(.endDrives) } }
        hasLostPart = true
      }
      if !interruption.isRequested, !isInRealTime, parts.contains(where: { $0.result?.isRepeated ?? false }) {
        return false
      }
      if !hasBegun, parts.allSatisfy(\.isReady) {
        hasBegun = true
        begin(parts)
      }
      try judgeWhole(&parts, &judge)
      display?.show(RunProgress.whole(of: parts.compactMap(\.progress)))
    }
    return true
  }
}

extension DividedSimulation {
  /// Long enough for every worker to receive the order in time.
  private static let lead = Nanoseconds.milliseconds(20)

  private func begin(_ parts: [Part]) {
    var instant = SystemClock().monotonicNow + DividedSimulation.lead
    if let start { instant = max(instant, start.instant) }
    for part in parts { part.worker.instruct(.begin(instant)) }
  }

  /// Judges the whole once each shard has sent a new interim result.
  private func judgeWhole(_ parts: inout [Part], _ judge: inout WholeJudge) throws {
    let interims = parts.compactMap(\.interim)
    guard judge.isNeeded, interims.count == parts.count else { return }
    for index in parts.indices { parts[index].interim = nil }
    guard try judge.judge(interims) else { return }
    for part in parts { part.worker.instruct(.endDrives) }
  }
}

extension ShardResult {
  /// Whether one process must repeat the run.
  fileprivate var isRepeated: Bool { differs || !summary.violations.isEmpty }
}
