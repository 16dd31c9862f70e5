import Support
import Testing

@testable import CommandLine

/// What `compare` leaves behind, and with which code it ends.
@Suite struct CompareCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let run = CommandCall(["simulate", "first-drive", "--duration", "4m", "--quiet", "--out", folder.file("before")])
    #expect(run.code == .ok, "\(run.output)\(run.error)")
  }

  private func compare(_ after: String, out: String) -> CommandCall {
    CommandCall(["compare", folder.file("before"), after, "--out", out], orElse: ProcessContext.live().readFile)
  }

  /// The summary of a run like the first one that has lost a record.
  private func worse() throws -> String {
    let text = String(decoding: try folder.read("before/summary.json"), as: UTF8.self)
    let parts = text.split(separator: "\"lost\": 0", maxSplits: 1)
    try #require(parts.count == 2, "\(text.prefix(2_000))")
    try folder.write(Array(parts.joined(separator: "\"lost\": 1").utf8), to: "worse.json")
    return folder.file("worse.json")
  }

  @Test func theVerdictIsTheCode() throws {
    let equal = compare(folder.file("before"), out: folder.file("compared"))
    #expect(equal.code == .ok, "\(equal.output)\(equal.error)")
    #expect(folder.names(in: "compared").sorted() == ["compare.html", "compare.md", "junit.xml"])
    #expect(compare(try worse(), out: folder.file("compared")).code == .thresholdFailed)
  }

  /// What a run is blamed for is compared by its name (docs/outputs.md).
  @Test(arguments: [
    (
      "\"findings\": []",
      "\"findings\": [{\"name\": \"upload-storm\", \"text\": \"a storm\", \"details\": [], \"isViolation\": true}]",
      "1 regression: finding: upload-storm no to yes"
    ),
    (
      "\"coverage\": []", "\"coverage\": [{\"goal\": \"watchdog-unlock\", \"seen\": 0}]",
      "1 regression: coverage missed: watchdog-unlock no to yes"
    ),
  ])
  func whatTheSecondRunAloneIsBlamedForIsARegression(what: String, forged: String, words: String) throws {
    let text = String(decoding: try folder.read("before/summary.json"), as: UTF8.self)
    let parts = text.split(separator: what, maxSplits: 1)
    try #require(parts.count == 2, "\(text.prefix(2_000))")
    try folder.write(Array(parts.joined(separator: forged).utf8), to: "blamed.json")
    let call = compare(folder.file("blamed.json"), out: folder.file("compared"))
    #expect(call.code == .thresholdFailed && call.output.contains(words), "\(call.output)\(call.error)")
    let junit = String(decoding: try folder.read("compared/junit.xml"), as: UTF8.self)
    #expect(junit.contains("<failure message=\"no to yes\"/>"), "\(junit)")
  }

  @Test func aComparisonThatJudgedNothingIsNoPass() {
    let words = ["compare", folder.file("before"), folder.file("before"), "--threshold", "geofence_delay:p95:5%"]
    let call = CommandCall(words, orElse: ProcessContext.live().readFile)
    #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
    #expect(call.output.contains("no figure could be judged: not measured in both runs"), "\(call.output)")
  }

  /// Numbers of a summary that no run has (docs/outputs.md): the message names the file and the place.
  @Test(arguments: [
    ("\"lost\": 0", "\"lost\": 9223372036854775807", "summary.ledger.lost: more than a run counts"),
    ("\"lost\": 0", "\"lost\": 1e300", "summary.ledger.lost: not a whole number"),
    ("\"resolution\": 1000", "\"resolution\": 0", ".resolution: not from 1 to 1000000000"),
  ])
  func aForgedNumberIsAnErrorWithItsPlace(what: String, forged: String, words: String) throws {
    let text = String(decoding: try folder.read("before/summary.json"), as: UTF8.self)
    let parts = text.split(separator: what, maxSplits: 1)
    try #require(parts.count == 2, "\(text.prefix(2_000))")
    try folder.write(Array(parts.joined(separator: forged).utf8), to: "forged.json")
    let merged = CommandCall(["merge", folder.file("forged.json")], orElse: ProcessContext.live().readFile)
    for call in [compare(folder.file("forged.json"), out: folder.file("compared")), merged] {
      #expect(call.code == .runtimeFailure, "\(call.output)")
      #expect(call.error.contains("forged.json: ") && call.error.contains(words), "\(call.error)")
    }
  }

  /// https://no-color.org
  @Test(arguments: [
    (["TERM": "xterm"], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false),
    ([:], true),
  ])
  func coloursCanBeTurnedOff(variables: [String: String], hasColours: Bool) {
    var output = ""
    let process = ProcessContext(
      arguments: ["compare", folder.file("before"), folder.file("before")], variable: { variables[$0] },
      readFile: ProcessContext.live().readFile, writeOutput: { output += $0 }, writeError: { _ in },
      outputIsTerminal: true)
    #expect(CommandTable.run(process) == .ok && output.contains("no regression"))
    #expect(output.contains("\u{1B}[") == hasColours, "\(output)")
  }

  /// The seed is no part of the scenario; the places of its phones are.
  @Test func anotherScenarioIsNotComparedWithoutAWord() throws {
    for (more, isSame) in [(["--seed", "77"], true), (["--set", "fleets.phones.network=edge"], false)] {
      let words = ["simulate", "first-drive", "--duration", "4m", "--quiet", "--out", folder.file("after")]
      #expect(CommandCall(words + more).code == .ok)
      let call = compare(folder.file("after"), out: folder.file("compared"))
      #expect(call.output.contains("both scenarios are named first-drive") == !isSame, "\(call.output)")
    }
  }

  @Test func aFolderThatCannotBeWrittenTakesNoVerdictAlong() throws {
    let equal = compare(folder.file("before"), out: "/proc/nowhere")
    #expect(equal.code == .runtimeFailure && equal.error.contains("/proc/nowhere"), "\(equal.error)")
    #expect(equal.output.contains("no regression"), "\(equal.output)")
    let call = compare(try worse(), out: "/proc/nowhere")
    #expect(call.code == .thresholdFailed && call.error.contains("/proc/nowhere"), "\(call.error)")
  }
}
