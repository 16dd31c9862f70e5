import Base
import FleetSimulator
import Reports
import Scenario
import Shell

extension Subcommand {
  static let merge = Subcommand(
    name: "merge",
    summary: "add up the results of the shards of one run",
    operands: "DIR…",
    operandCount: 1...Shard.countMax,
    flags: [.value("out", "DIR", "directory for the results of the whole run")],
    details: """
      Each DIR is the --out folder of a shard, or its summary.json. Every shard must be given once, and all must come from
      the same scenario, seed and version. Counters and histograms add up exactly, so the hash, the ledger and the
      percentiles are those of an undivided run. Thresholds are judged for the whole; exit codes are those of 'simulate'.
      """,
    run: { (invocation) throws(UsageError) in MergeCommand(invocation).run() })
}

/// One run of `merge`.
private struct MergeCommand {
  let process: ProcessContext
  let places: [String]
  let folder: String?

  init(_ invocation: Invocation) {
    process = invocation.process
    places = invocation.operands
    folder = invocation.values.text("out")
  }

  /// Reports whether the place is the folder, or its summary.
  private static func isSummary(_ place: String, of folder: String) -> Bool {
    let own = FileStamp(folder + "/summary.json")
    return own != FileStamp("") && [place, place + "/summary.json"].contains { FileStamp($0) == own }
  }

  /// Returns the folder of a shard's files: the named folder, or that of the named summary.
  private static func folder(of place: String) -> String {
    if FileStamp(place + "/summary.json") != FileStamp("") { return place }
    return place.lastIndex(of: "/").map { String(place[..<$0]) } ?? "."
  }

  func run() -> ExitCode {
    do {
      if let folder, let shard = places.first(where: { MergeCommand.isSummary($0, of: folder) }) {
        process.writeError(
          "rollingroad merge: --out: '\(folder)' is the folder of the shard \(shard); name another one")
        return .runtimeFailure
      }
      var shards: [RunSummary] = []
      for place in places { shards.append(try RunSummary.read(place, process.readFile)) }
      var whole = try RunSummary.whole(of: shards)
      whole.origin?.command = "rollingroad " + process.arguments.map(\.shellWord).joined(separator: " ")
      // Removes what an earlier run has left there, which is not for shards that make no whole.
      let outputs = try RunOutputs(Scenario(), nil, folder: folder)
      outputs.adoptLost(of: places.map(MergeCommand.folder))
      if let sentence = outputs.sentenceOfLost(whole) { whole.notes.append(sentence) }
      outputs.write(whole, map: nil)
      process.writeOutput(
        SummaryText(whole, isColoured: process.outputIsColoured, width: process.outputWidth()).text)
      for path in outputs.written { process.writeOutput("  wrote \(path)") }
      guard let sentence = outputs.sentenceOfFailure else { return ExitCode(whole.result) }
      process.writeError("rollingroad merge: \(sentence)")
      return ExitCode(whole.result).withoutFiles
    } catch let error as MergeError {
      process.writeError("rollingroad merge: \(error.message)")
    } catch let error as SummaryError {
      process.writeError("rollingroad merge: \(error.message)")
    } catch {
      process.writeError("rollingroad merge: \(error)")
    }
    return .runtimeFailure
  }
}
