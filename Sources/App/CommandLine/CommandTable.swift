import Base

/// The whole command line: picks the command, reads its flags, runs it, answers with the exit code.
public enum CommandTable {
  static let commands: [Command] = [
    .serve, .simulate, .merge, .replay, .torture, .scenarios, .schema, .inspect, .drive, .trace, .token, .healthcheck,
    .version,
  ]

  /// Runs what the arguments name.
  public static func run(_ process: ProcessContext) -> ExitCode {
    guard let word = process.arguments.first else {
      process.writeError(overview)
      return .usage
    }
    let rest = Array(process.arguments.dropFirst())
    if isHelp(word) { return help(on: rest.first, process) }
    let name = ["--version", "-V"].contains(word) ? Command.version.name : word
    guard let command = commands.first(where: { $0.name == name }) else { return unknown(word, process) }
    if rest.prefix(while: { $0 != "--" }).contains(where: isHelp) {
      process.writeOutput(command.help)
      return .ok
    }
    do throws(UsageError) {
      try refuseUnknownEnvironment(process)
      let (values, operands) = try FlagParser(of: command).parse(rest, in: process)
      return try command.run(Invocation(values: values, operands: operands, process: process))
    } catch {
      process.writeError("rollingroad \(command.name): \(error.message)")
      process.writeError("'rollingroad \(command.name) --help' lists its flags")
      return .usage
    }
  }

  /// A misspelled variable would silently do nothing. One container sets variables for several commands, so that those
  /// of other commands are fine.
  private static func refuseUnknownEnvironment(_ process: ProcessContext) throws(UsageError) {
    let known = commands.flatMap(\.flags).flatMap { flag in
      flag.isSecret ? [flag.environmentName, flag.environmentName + Flag.fileSuffix] : [flag.environmentName]
    }
    for name in process.environment.keys.sorted() where name.hasPrefix(Flag.environmentPrefix) && !known.contains(name)
    {
      let near = NearestName.find(name, in: known).map { "; did you mean \($0)?" } ?? ""
      throw UsageError("unknown environment variable \(name)\(near)")
    }
  }

  private static func isHelp(_ word: String) -> Bool { ["help", "--help", "-h"].contains(word) }

  private static func help(on topic: String?, _ process: ProcessContext) -> ExitCode {
    guard let topic else {
      process.writeOutput(overview)
      return .ok
    }
    guard let command = commands.first(where: { $0.name == topic }) else { return unknown(topic, process) }
    process.writeOutput(command.help)
    return .ok
  }

  private static func unknown(_ word: String, _ process: ProcessContext) -> ExitCode {
    let names = commands.map(\.name)
    let near = NearestName.find(word, in: names).map { "did you mean '\($0)'?" }
    process.writeError(
      "rollingroad: no command '\(word)'; " + (near ?? "this version has: \(names.joined(separator: ", "))"))
    return .usage
  }

  private static var overview: String {
    let width = commands.map(\.name.count).max() ?? 0
    let list = commands.map { command in
      "  " + command.name + String(repeating: " ", count: width - command.name.count + 3) + command.summary
    }
    return """
      Rolling Road \(Product.version): the test bench for location backends

      usage: rollingroad COMMAND [--flag value | --flag=value]

      To begin: 'rollingroad serve' starts a server with a live page at http://127.0.0.1:8080/,
      'rollingroad simulate first-drive' drives one simulated phone, and 'rollingroad drive' lets you be the phone.

      \(list.joined(separator: "\n"))

      'rollingroad COMMAND --help' explains a command and lists its flags.
      """
  }
}
