/// One word of `rollingroad COMMAND`.
struct Command: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What stands behind the name in the usage line, without the flags: `SCENARIO`, `DIR…`, or nothing.
  let operands: String
  /// How many operands it takes.
  let operandCount: ClosedRange<Int>
  /// What could stand there; shown when an operand is missing.
  var operandHint: String?
  let flags: [Flag]
  /// What a reader of `--help` should know beyond the flags: prose in lines of at most 100 letters.
  let details: String
  /// Command lines to copy, the simplest first. Tests run them.
  var examples: [String] = []
  let run: @Sendable (Invocation) throws(UsageError) -> ExitCode
}

/// A command line that was understood as far as its words go.
struct Invocation {
  let values: FlagValues
  let operands: [String]
  let process: ProcessContext
}

extension Command {
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
