import Base
import JSON
import Scenario

/// The flags of `simulate` that set values of the scenario.
enum FlagOverrides {
  /// Returns them in the order in which they apply. Flags with a key of their own come after `--set`: the more specific setting
  /// takes precedence.
  static func list(_ values: FlagValues) throws(UsageError) -> [Override] {
    var overrides: [Override] = []
    for text in values.texts("set").flatMap(settings) {
      guard let override = Override(setting: text) else {
        throw UsageError("--set: '\(text)' is not PATH=VALUE")
      }
      overrides.append(override)
    }
    for text in values.texts("output") { overrides.append(try output(text)) }
    overrides += try verification(values)
    let flags: KeyValuePairs = [
      "target": "target.url", "preset": "target.preset", "mode": "clock.mode", "factor": "clock.factor",
      "seed": "seed", "duration": "clock.duration", "ca": "target.tls.ca", "insecure": "target.tls.insecure",
      "client-cert": "target.tls.clientCert", "client-key": "target.tls.clientKey",
      "proxy": "target.connections.proxy",
    ]
    for (flag, path) in flags {
      guard let value = values.value(flag) else { continue }
      overrides.append(
        Override(origin: "\(value.origin) \(SecretRedaction.removed(from: value.text))", path: path, value: value.text))
    }
    if values.isOn("http2") {
      overrides.append(Override(origin: "--http2", path: "target.connections.http", value: "'2'"))
    }
    for name in values.texts("resolve") {
      overrides.append(
        Override(
          origin: "--resolve \(name)", path: "target.connections.resolve[]", value: JSONValue.string(name).pretty))
    }
    return overrides
  }

  /// `--verify`, `--query` and `--uuids`.
  private static func verification(_ values: FlagValues) throws(UsageError) -> [Override] {
    let verify = "target.verify."
    let settings: [(String, String?)]
    switch try VerifyFlag(values) {
    case nil: settings = [("uuids", try VerifyFlag.path(values, in: nil))]
    case .url(let url): settings = [("url", url), ("uuids", try VerifyFlag.path(values, in: url))]
    case .place(let place):
      settings = [
        ("database", place.database), ("query", place.query), ("file", place.file), ("stream", place.stream),
        ("uuids", try VerifyFlag.path(values, in: nil)),
      ]
    }
    return settings.compactMap { key, value in
      value.map { Override(origin: "--verify", path: verify + key, value: JSONValue.string($0).pretty) }
    }
  }

  /// `otlp-http=http://127.0.0.1:4318`
  private static func output(_ text: String) throws(UsageError) -> Override {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let known = Output.keysOnCommandLine.map(\.key)
    guard let key = Output.keysOnCommandLine.first(where: { $0.key == parts[0] })?.value else {
      let near = NearestName.find(String(parts[0]), in: known).map { "; did you mean '\($0)'?" }
      throw UsageError(
        "--output: '\(parts[0])' is not an output type" + (near ?? "; known: \(known.joined(separator: ", "))"))
    }
    guard parts.count == 2, !parts[1].isEmpty else {
      throw UsageError("--output: '\(text)' lacks a value: write \(parts[0])=\(key.uppercased())")
    }
    let value = JSONValue.object(["type": .string(String(parts[0])), key: .string(String(parts[1]))])
    return Override(origin: "--output \(text)", path: "outputs[]", value: value.pretty)
  }

  /// Splits at commas outside brackets, braces and quotes. Strings are those of JSON5, in either kind of quote.
  private static func settings(_ text: String) -> [String] {
    var parts = [""]
    var depth = 0
    var quote: Character?
    var isEscaped = false
    for letter in text {
      if let open = quote {
        if letter == open, !isEscaped { quote = nil }
        isEscaped = letter == "\\" && !isEscaped
      } else if letter == "\"" || letter == "'" {
        quote = letter
      } else {
        if "[{(".contains(letter) { depth += 1 }
        if "]})".contains(letter) { depth -= 1 }
      }
      if letter == "," && depth == 0 && quote == nil {
        parts.append("")
      } else {
        parts[parts.count - 1].append(letter)
      }
    }
    return parts
  }
}
