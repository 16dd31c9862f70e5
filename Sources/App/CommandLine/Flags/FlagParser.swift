import Base

/// Reads the words behind a command's name. The order of precedence is flag, environment, file named by the
/// environment, default.
struct FlagParser {
  let flags: [Flag]
  /// How many words without dashes the command takes.
  let operandCount: ClosedRange<Int>
  /// What is said when there are fewer.
  var missing = "an argument is missing"

  func parse(_ words: [String], in process: ProcessContext) throws(UsageError) -> (FlagValues, [String]) {
    var values = FlagValues()
    try readStandards(into: &values)
    try readEnvironment(of: process, into: &values)
    let rest = try readWords(words, into: &values)
    guard rest.count <= operandCount.upperBound else {
      throw UsageError("unexpected '\(rest[operandCount.upperBound])'")
    }
    guard rest.count >= operandCount.lowerBound else { throw UsageError(missing) }
    return (values, rest)
  }

  private func readStandards(into values: inout FlagValues) throws(UsageError) {
    for flag in flags {
      if let standard = flag.standard { values.set(flag.name, standard, origin: "--\(flag.name)") }
    }
  }

  private func readEnvironment(of process: ProcessContext, into values: inout FlagValues) throws(UsageError) {
    for flag in flags {
      let name = flag.environmentName
      if let text = process.environment[name] {
        values.set(flag.name, text, origin: name)
      } else if flag.isSecret, let path = process.environment[name + Flag.fileSuffix] {
        guard let text = process.readFile(path).flatMap({ String(validating: $0, as: UTF8.self) }) else {
          throw UsageError("\(name + Flag.fileSuffix): cannot read '\(path)'")
        }
        values.set(flag.name, trimmed(text), origin: name + Flag.fileSuffix)
      }
    }
  }

  /// An editor ends a file with a newline, a secret does not.
  private func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace })
  }

  private func readWords(_ words: [String], into values: inout FlagValues) throws(UsageError) -> [String] {
    var rest: [String] = []
    var seen: Set<String> = []
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" { return rest + words[index...] }
      guard word.hasPrefix("-"), word != "-" else {
        rest.append(word)
        continue
      }
      let (flag, attached) = try find(word)
      guard seen.insert(flag.name).inserted || flag.isRepeatable else {
        throw UsageError("--\(flag.name) stands twice")
      }
      let text = try value(of: flag, attached: attached, words, &index)
      if flag.isRepeatable { values.add(flag.name, text) }
      values.set(flag.name, text, origin: "--\(flag.name)")
    }
    return rest
  }

  private func value(
    of flag: Flag, attached: String?, _ words: [String], _ index: inout Int
  ) throws(UsageError) -> String {
    switch (flag.kind, attached) {
    case (.toggle, nil): return "true"
    case (.toggle, .some): throw UsageError("--\(flag.name) takes no value")
    case (.value, .some(let text)): return text
    case (.value(let placeholder), nil):
      guard index < words.count, !words[index].hasPrefix("--") else {
        throw UsageError("--\(flag.name) needs a value: --\(flag.name) \(placeholder)")
      }
      index += 1
      return words[index - 1]
    }
  }

  private func find(_ word: String) throws(UsageError) -> (Flag, attached: String?) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0].drop { $0 == "-" })
    guard word.hasPrefix("--"), let flag = flags.first(where: { $0.name == name }) else {
      let near = NearestName.find(name, in: flags.map(\.name)).map { "; did you mean --\($0)?" } ?? ""
      throw UsageError("unknown flag '\(parts[0])'\(near)")
    }
    return (flag, parts.count == 2 ? String(parts[1]) : nil)
  }
}

extension FlagParser {
  init(of command: Command) {
    self.init(flags: command.flags, operandCount: command.operandCount)
    missing = "\(command.operands) is missing" + (command.operandHint.map { ": \($0)" } ?? "")
  }
}
