import FleetSimulator
import JSON
import Reports
import Scenario

extension Command {
  static let merge = Command(
    name: "merge",
    summary: "add the results of all shards of a run up to those of the whole",
    operands: "DIR…",
    operandCount: 1...Shard.countMax,
    flags: [.value("out", "DIR", "where the results of the whole go")],
    details: """
      Each DIR is the --out of one shard, or a summary.json itself. All shards must be there, each once, of the same
      scenario, seed and version. Counters and histograms add up exactly: the hash, the book of records and every
      threshold are those of the unsharded run. Thresholds are held against the whole, and the exit code is that
      of 'simulate'.
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

  func run() -> ExitCode {
    do {
      let outputs = try RunOutputs(Scenario(), nil, folder: folder)
      var shards: [RunSummary] = []
      for place in places { shards.append(try summary(at: place)) }
      let whole = try RunSummary.whole(of: shards)
      try outputs.write(whole, map: nil)
      process.writeOutput(SummaryText(whole, isColoured: process.outputIsTerminal).text)
      for path in outputs.written { process.writeOutput("  wrote \(path)") }
      return ExitCode(whole.result)
    } catch let error as MergeError {
      process.writeError("rollingroad merge: \(error.message)")
    } catch let error as SummaryError {
      process.writeError("rollingroad merge: \(error.message)")
    } catch {
      process.writeError("rollingroad merge: \(error)")
    }
    return .runtimeFailure
  }

  private func summary(at place: String) throws -> RunSummary {
    let inside = place + "/summary.json"
    guard let bytes = process.readFile(inside) ?? process.readFile(place) else {
      throw SummaryError("\(place): neither a folder with summary.json nor a summary; did its shard end?")
    }
    do {
      return try RunSummary(JSONValue(parsing: bytes.span))
    } catch let error as SummaryError {
      throw SummaryError("\(place): \(error.message)")
    } catch let error as JSONError {
      throw SummaryError("\(place): no JSON at byte \(error.offset): \(error.code)")
    }
  }
}
