import Synchronization
import Testing

@testable import CommandLine

@Suite struct CommandTableTests {
  /// Runs one command line; returns what it wrote and how it ended.
  private func run(_ words: String...) -> (output: String, error: String, code: ExitCode) {
    var output = ""
    let error = Mutex("")
    let process = ProcessContext(
      arguments: words, writeOutput: { output += $0 + "\n" },
      writeError: { text in error.withLock { $0 += text + "\n" } })
    let code = CommandTable.run(process)
    return (output, error.withLock { $0 }, code)
  }

  @Test func versionPrintsOneLineToTheOutput() {
    let result = run("version")
    #expect(result.output == "rollingroad \(Product.version)\n")
    #expect(result.error == "")
    #expect(result.code == .ok)
  }

  @Test func versionRefusesArguments() {
    let result = run("version", "--jsn")
    #expect(result.output == "")
    #expect(result.error.hasPrefix("rollingroad version: unknown flag '--jsn'"))
    #expect(result.code == .usage)
  }

  @Test(arguments: ["help", "--help", "-h"])
  func helpListsEveryCommand(word: String) {
    let result = run(word)
    for command in CommandTable.commands { #expect(result.output.contains(command.summary)) }
    #expect(result.code == .ok)
  }

  @Test func everyCommandHasAHelpOfItsOwn() {
    for command in CommandTable.commands {
      #expect(run(command.name, "--help").output == command.help + "\n")
      #expect(run("help", command.name).output == command.help + "\n")
    }
  }

  @Test func noCommandAtAllIsAUsageErrorThatHelps() {
    let result = run()
    #expect(result.error.contains("usage: rollingroad COMMAND"))
    #expect(result.code == .usage)
  }

  @Test func anUnknownCommandGetsTheNearestOne() {
    for result in [run("vresion"), run("help", "vresion")] {
      #expect(result.error == "rollingroad: no command 'vresion'; did you mean 'version'?\n")
      #expect(result.output == "")
      #expect(result.code == .usage)
    }
  }

  @Test func aMisspelledVariableIsAnError() {
    let error = Mutex("")
    let process = ProcessContext(
      arguments: ["version"], environment: ["ROLLINGROAD_LISTN": "x", "HOME": "/"], writeOutput: { _ in },
      writeError: { text in error.withLock { $0 += text + "\n" } })
    #expect(CommandTable.run(process) == .usage)
    #expect(error.withLock { $0 }.contains("unknown environment variable ROLLINGROAD_LISTN"))
  }
}
