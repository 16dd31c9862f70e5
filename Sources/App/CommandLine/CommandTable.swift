/// The whole command line: picks the command, runs it, answers with the exit code.
public enum CommandTable {
  static let commands: [Command] = [.version]

  /// Runs what the arguments name.
  public static func run(_ process: ProcessContext) -> ExitCode {
    guard let word = process.arguments.first else {
      process.writeError(overview)
      return .usage
    }
    let rest = Array(process.arguments.dropFirst())
    if isHelp(word) {
      return help(on: rest.first, process)
    }
    guard let command = commands.first(where: { $0.name == word }) else {
      process.writeError(unknown(word))
      return .usage
    }
    if rest.contains(where: isHelp) {
      process.writeOutput(command.help)
      return .ok
    }
    return command.run(rest, process)
  }

  private static func isHelp(_ word: String) -> Bool { ["help", "--help", "-h"].contains(word) }

  private static func help(on topic: String?, _ process: ProcessContext) -> ExitCode {
    guard let topic else {
      process.writeOutput(overview)
      return .ok
    }
    guard let command = commands.first(where: { $0.name == topic }) else {
      process.writeError(unknown(topic))
      return .usage
    }
    process.writeOutput(command.help)
    return .ok
  }

  private static func unknown(_ word: String) -> String {
    "rollingroad: no command '\(word)'; this version has: \(commands.map(\.name).joined(separator: ", "))"
  }

  private static var overview: String {
    let width = commands.map(\.name.count).max() ?? 0
    let list = commands.map { command in
      "  " + command.name + String(repeating: " ", count: width - command.name.count + 3) + command.summary
    }
    return """
      Rolling Road \(Product.version): the test bench for location backends

      usage: rollingroad COMMAND [--flag value | --flag=value]

      \(list.joined(separator: "\n"))

      'rollingroad COMMAND --help' says more about one.
      """
  }
}
