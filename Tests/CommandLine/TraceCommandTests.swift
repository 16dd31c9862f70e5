import Testing

@testable import CommandLine

/// `rollingroad trace`.
@Suite struct TraceCommandTests {
  private static let log = """
    2026-07-28 10:00:00.000 🔵 -[TSTrackingService locationManager:didExitRegion:] Exit stationary region

    2026-07-28 10:00:00.001 🟢 -[TSTrackingService changePace:] isMoving: 0
    """

  private func run(_ arguments: String...) -> (code: ExitCode, output: String) {
    let files = ["drive.log": Self.log, "notes": "milk"]
    var output = ""
    let process = ProcessContext(
      arguments: ["trace"] + arguments, readFile: { files[$0].map { Array($0.utf8) } },
      writeOutput: { output += $0 + "\n" }, writeError: { _ in })
    return (CommandTable.run(process), output)
  }

  @Test func aLogIsCounted() {
    let (code, output) = run("drive.log")
    #expect(code == .ok && output == "ios log: 3 lines, 2 entries, 0 without meaning for the engine\n")
  }

  @Test func everyDifferenceHasItsLine() {
    let (code, output) = run("drive.log", "--fidelity")
    #expect(code == .ok && output.contains("the defaults are assumed"))
    #expect(output.contains("line 3, 10:00:00.001, log only: to stationary"))
  }

  @Test func listsCanBeCutShort() {
    let output = run("drive.log", "--fidelity", "--differences", "0").output
    #expect(output.contains("… and 2 more") && !output.contains("log only"))
  }

  @Test(arguments: ["missing", "notes"])
  func whatIsNoLogFails(path: String) {
    #expect(run(path).code == .runtimeFailure)
  }
}
