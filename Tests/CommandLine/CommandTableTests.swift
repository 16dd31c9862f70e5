import Base
import Testing

@testable import CommandLine

@Suite struct CommandTableTests {
  /// Runs one command line; returns what it wrote and how it ended.
  private func run(_ words: String...) -> CommandCall { CommandCall(words) }

  @Test func versionPrintsOneLineToTheOutput() {
    let result = run("version")
    #expect(result.output == "rollingroad \(Product.version)\n")
    #expect(result.error == "")
    #expect(result.code == .ok)
  }

  @Test(arguments: ["--version", "-V"]) func theVersionHasItsUsualFlag(word: String) {
    #expect(run(word).output == run("version").output && run(word).code == .ok)
  }

  @Test func aMissingOperandIsNamed() {
    let simulate = run("simulate")
    #expect(simulate.code == .usage)
    #expect(simulate.error.hasPrefix("rollingroad simulate: SCENARIO is missing: name a file, or one of "))
    #expect(simulate.error.contains("first-drive") && simulate.error.contains("tunnel-exit"))
    #expect(run("inspect").error.hasPrefix("rollingroad inspect: DIR|URI is missing\n"))
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

  @Test(arguments: ["simulate", "serve", "conform", "drive", "explain", "compare", "proxy"])
  func theHelpOfWhatOneBeginsWithHasExamples(name: String) {
    #expect(run(name, "--help").output.contains("\n  rollingroad \(name) "))
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
    let call = CommandCall(["version"], environment: ["ROLLINGROAD_LISTN": "x", "HOME": "/"])
    #expect(call.code == .usage && call.error.contains("unknown environment variable ROLLINGROAD_LISTN"))
  }
}
