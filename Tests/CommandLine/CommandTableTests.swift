import Testing

@testable import CommandLine

@Suite struct CommandTableTests {
  /// Runs one command line; returns what it wrote and how it ended.
  private func run(_ words: String...) -> (output: String, error: String, code: ExitCode) {
    var output = ""
    var error = ""
    let process = ProcessContext(
      arguments: words, writeOutput: { output += $0 + "\n" }, writeError: { error += $0 + "\n" })
    let code = CommandTable.run(process)
    return (output, error, code)
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
    #expect(result.error.contains("'--jsn'"))
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

  @Test func anUnknownCommandNamesItselfAndTheKnownOnes() {
    for result in [run("vresion"), run("help", "vresion")] {
      #expect(result.error.contains("'vresion'") && result.error.contains("version"))
      #expect(result.output == "")
      #expect(result.code == .usage)
    }
  }
}
