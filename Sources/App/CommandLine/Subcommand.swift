import Base
import Glibc
import Shell
import Sinks
import Synchronization

/// A command, as in `rollingroad COMMAND`.
struct Subcommand: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// The operands in the usage line: `SCENARIO`, `DIR…`, or nothing.
  let operands: String
  /// The permitted number of operands.
  let operandCount: ClosedRange<Int>
  /// Examples of an operand, shown when one is missing.
  var operandHint: String?
  let flags: [Flag]
  /// Further help beyond the flags: prose in lines of at most 100 letters.
  let details: String
  /// Command lines to copy, the simplest first. Tests run them.
  var examples: [String] = []
  let run: @Sendable (Invocation) throws(UsageError) -> ExitCode
}

/// A parsed command line.
struct Invocation {
  let values: FlagValues
  let operands: [String]
  let process: ProcessContext
}

extension Subcommand {
  /// The whole text of `rollingroad COMMAND --help`.
  var help: String {
    var lines = [
      "usage: "
        + ["rollingroad \(name)", operands, flags.isEmpty ? "" : "[flags]"].filter { $0 != "" }.joined(separator: " ")
    ]
    lines += ["", details]
    if !examples.isEmpty { lines += ["", "examples:", ""] + examples.map { "  " + $0 } }
    guard !flags.isEmpty else { return lines.joined(separator: "\n") }
    lines += [
      "", "flags (each can also be set in the environment: --some-flag as \(Flag.environmentPrefix)SOME_FLAG):", "",
    ]
    let heads = flags.map { flag in
      if case .value(let placeholder) = flag.kind { "--\(flag.name) \(placeholder)" } else { "--\(flag.name)" }
    }
    let width = heads.map(\.count).max() ?? 0
    for (flag, head) in zip(flags, heads) {
      let standard = flag.standard.map { " [\($0)]" } ?? ""
      let secret = flag.isSecret ? "; \(flag.environmentName)\(Flag.fileSuffix) names a file that holds it" : ""
      lines.append("  " + head + String(repeating: " ", count: width - head.count + 3) + flag.help + secret + standard)
    }
    return lines.joined(separator: "\n")
  }
}

/// The command line: selects the command, parses its flags, runs it and returns the exit code.
package enum CommandTable {
  static let commands: [Subcommand] = [
    .serve, .proxy, .simulate, .compare, .merge, .replay, .torture, .scenarios, .schema, .inspect, .drive, .conform,
    .explain, .trace,
    .token, .trust,
    .healthcheck,
    .version,
  ]

  /// Runs the real process. A failure to write results is not success.
  package static func runProcess() -> ExitCode {
    let process = ProcessContext.live()
    let code = run(process)
    guard let reason = StandardOutput.failure else { return code }
    process.writeError("rollingroad: cannot write standard output: \(reason)")
    return code == .ok ? .runtimeFailure : code
  }

  /// Runs the command that the arguments name.
  package static func run(_ process: ProcessContext) -> ExitCode {
    guard let word = process.arguments.first else {
      process.writeError(overview)
      return .usage
    }
    let rest = Array(process.arguments.dropFirst())
    if isHelp(word) { return help(on: rest.first, process) }
    let name = ["--version", "-V"].contains(word) ? Subcommand.version.name : word
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

  /// Refuses unknown variables, because a misspelled one would have no effect. Variables of other commands are
  /// accepted, since one container may set them for several.
  private static func refuseUnknownEnvironment(_ process: ProcessContext) throws(UsageError) {
    let ofFlags = commands.flatMap(\.flags).flatMap { flag in
      flag.isSecret ? [flag.environmentName, flag.environmentName + Flag.fileSuffix] : [flag.environmentName]
    }
    let known = ofFlags + StreamURL.variables
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
      'rollingroad simulate first-drive' simulates one phone, and 'rollingroad drive' is a phone that you control.

      \(list.joined(separator: "\n"))

      'rollingroad COMMAND --help' explains a command and lists its flags.
      """
  }
}

/// Writes text to a descriptor.
enum Descriptor {
  /// Unbuffered, so that a line is written before whatever follows, even a crash. A closed reader (`| head`) is not an
  /// error: the rest is dropped.
  static func write(_ text: String, to descriptor: Int32) {
    _ = WholeFile.put(Array(text.utf8), into: descriptor)
  }

  /// Returns the message for an errno.
  static func reason(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}

/// The standard output. After a failed write nothing more is written.
enum StandardOutput {
  /// The errno of the failure; 0 for none.
  private static let code = Atomic<Int32>(0)

  static func write(_ text: String) {
    guard code.load(ordering: .relaxed) == 0, !WholeFile.put(Array(text.utf8), into: STDOUT_FILENO) else { return }
    code.store(errno, ordering: .relaxed)
  }

  /// The reason why output was lost; nil also for a closed reader, which did not want the rest.
  static var failure: String? {
    let code = code.load(ordering: .relaxed)
    return code == 0 || code == EPIPE ? nil : Descriptor.reason(code)
  }
}

/// The exit code of the process.
package enum ExitCode: Int32, CaseIterable, Sendable {
  /// The command succeeded.
  case ok = 0
  /// The command failed.
  case runtimeFailure = 1
  /// The command line was invalid; nothing was done.
  case usage = 2
  /// The figures of the run are invalid; it says nothing about the server.
  case runInvalid = 97
  /// An invariant was violated, or two runs of a seed differed.
  case invariantViolated = 98
  /// A threshold was missed.
  case thresholdFailed = 99
  /// The scenario has mistakes, or needs features that this version does not have.
  case badScenario = 104
  /// A signal ended the process before the work was done.
  case stoppedBySignal = 105
  /// The listen address is not available.
  case cannotBind = 106
  /// Conditions that a meaningful success requires did not occur.
  case coverageMissed = 110
}
