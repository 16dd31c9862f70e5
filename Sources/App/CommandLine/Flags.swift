import Base

/// One `--name` of a command: its value, its meaning, and the other sources of its value.
struct Flag: Sendable {
  enum Kind: Sendable {
    /// Present or not; takes no value on the command line, `true` or `false` in the environment.
    case toggle
    /// Takes one value; the placeholder represents it in the help.
    case value(placeholder: String)
  }

  let name: String
  let kind: Kind
  let help: String
  /// The default, as it would be typed; nil: there is none.
  let standard: String?
  /// Whether the value may also be read from the file named by `…_FILE`, so that it is not in the process list.
  let isSecret: Bool
  /// Whether the flag may occur several times, with each value used.
  var isRepeatable = false

  static func value(
    _ name: String, _ placeholder: String, _ help: String, standard: String? = nil, isSecret: Bool = false
  ) -> Flag {
    Flag(name: name, kind: .value(placeholder: placeholder), help: help, standard: standard, isSecret: isSecret)
  }

  /// A flag that may occur several times.
  static func values(_ name: String, _ placeholder: String, _ help: String) -> Flag {
    var flag = value(name, placeholder, help + "; may be repeated")
    flag.isRepeatable = true
    return flag
  }

  /// Reports whether the value is a file or folder with an empty name, which with a slash appended would be the root directory.
  func isEmptyPlace(_ text: String) -> Bool {
    guard text.isEmpty, case .value(let placeholder) = kind else { return false }
    return ["DIR", "FILE"].contains(placeholder)
  }

  static func toggle(_ name: String, _ help: String) -> Flag {
    Flag(name: name, kind: .toggle, help: help, standard: nil, isSecret: false)
  }

  /// `--admin-token` is `ROLLINGROAD_ADMIN_TOKEN`.
  var environmentName: String {
    Flag.environmentPrefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  static let environmentPrefix = "ROLLINGROAD_"
  static let fileSuffix = "_FILE"
}

/// Parses the words after a command's name. The order of precedence is flag, environment, file named by the
/// environment, default.
struct FlagParser {
  let flags: [Flag]
  /// The permitted number of operands.
  let operandCount: ClosedRange<Int>
  /// The error message when there are fewer.
  var missing = "an argument is missing"

  func parse(_ words: [String], in process: ProcessContext) throws(UsageError) -> (FlagValues, [String]) {
    var values = FlagValues()
    try readStandards(into: &values)
    try readEnvironment(of: process, into: &values)
    let rest = try readWords(words, into: &values)
    guard rest.count <= operandCount.upperBound else {
      throw UsageError("unexpected '\(rest[operandCount.upperBound])'" + place(of: rest[operandCount.upperBound]))
    }
    guard rest.count >= operandCount.lowerBound else { throw UsageError(missing) }
    return (values, rest)
  }

  /// A hint for a URL that stands without its flag.
  private func place(of word: String) -> String {
    guard word.contains("://"), flags.contains(where: { $0.name == "target" }) else { return "" }
    return ": a server is named with --target \(SecretRedaction.removed(from: word).shellWord)"
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
        if flag.isEmptyPlace(text) { throw UsageError("\(name) is empty") }
        values.set(flag.name, try standing(text, for: flag), origin: name)
      } else if flag.isSecret, let path = process.environment[name + Flag.fileSuffix] {
        guard let text = try process.readText(path) else {
          throw UsageError("\(name + Flag.fileSuffix): cannot read '\(path)'")
        }
        values.set(flag.name, trimmed(text), origin: name + Flag.fileSuffix)
      }
    }
  }

  /// A toggle is on or off in the environment.
  private func standing(_ text: String, for flag: Flag) throws(UsageError) -> String {
    guard case .toggle = flag.kind else { return text }
    switch text.lowercased() {
    case "true", "1": return "true"
    case "false", "0": return "false"
    default: throw UsageError("\(flag.environmentName): '\(text)' is not true or false")
    }
  }

  /// Editors end a file with a newline, which is not part of the secret.
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
        throw UsageError("--\(flag.name) is given twice")
      }
      let text = try value(of: flag, attached: attached, words, &index)
      if flag.isEmptyPlace(text) { throw UsageError("--\(flag.name) is empty: a variable may not be set") }
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
  init(of command: Subcommand) {
    self.init(flags: command.flags, operandCount: command.operandCount)
    missing = "\(command.operands) is missing" + (command.operandHint.map { ": \($0)" } ?? "")
  }
}

/// The values of the flags of one command line. Each remembers its origin, for error messages.
struct FlagValues {
  struct Value {
    let text: String
    /// `--idle-timeout` or `ROLLINGROAD_IDLE_TIMEOUT`.
    let origin: String
  }

  private var values: [String: Value] = [:]
  private var repeated: [String: [String]] = [:]

  mutating func set(_ name: String, _ text: String, origin: String) { values[name] = Value(text: text, origin: origin) }

  mutating func add(_ name: String, _ text: String) { repeated[name, default: []].append(text) }

  /// Returns all values of a repeatable flag in order; the environment has one.
  func texts(_ name: String) -> [String] { repeated[name] ?? text(name).map { [$0] } ?? [] }

  func value(_ name: String) -> Value? { values[name] }

  func text(_ name: String) -> String? { values[name]?.text }

  func isOn(_ name: String) -> Bool { values[name]?.text == "true" }

  /// Returns the value parsed by `parse`; nil when the flag has none. `expected` describes valid values.
  func read<Result>(_ name: String, expected: String, _ parse: (String) -> Result?) throws(UsageError) -> Result? {
    guard let value = values[name] else { return nil }
    guard let result = parse(value.text) else {
      throw UsageError("\(value.origin): '\(value.text)' is not \(expected)")
    }
    return result
  }
}

/// An invalid command line; the message names the word and the remedy.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}

/// The units of values, besides those of time (`Nanoseconds.init(text:)`).
enum Quantities {
  /// `512`, `64KiB`, `8MiB`, `2GiB`, `1TiB`, and the decimal `kB`, `MB`, `GB`, `TB`.
  static func byteCount(_ text: String) -> Int? {
    let units: KeyValuePairs = [
      "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824, "TiB": 1_099_511_627_776, "kB": 1e3, "MB": 1e6, "GB": 1e9,
      "TB": 1e12, "B": 1, "": 1,
    ]
    guard let bytes = Quantity.read(text, units: units), bytes < 9e18 else { return nil }
    return Int(bytes)
  }

  /// The same, but requires a unit: a bare number is rarely meant in bytes, and could delete data by mistake.
  static func unitedByteCount(_ text: String) -> Int? { Double(text) == nil ? byteCount(text) : nil }

  /// `on` is everything, `off` nothing, `25%` a quarter.
  static func share(_ text: String) -> Double? {
    if text == "on" { return 1 }
    if text == "off" { return 0 }
    guard let percent = Quantity.read(text, units: ["%": 1]), percent <= 100 else { return nil }
    return percent / 100
  }

  /// Parses a whole number without sign.
  static func count(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
