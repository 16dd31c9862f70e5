/// What the flags of one command line came to. Each value remembers where it stood, so that an error can point there.
struct FlagValues {
  struct Value {
    let text: String
    /// `--idle-timeout` or `ROLLINGROAD_IDLE_TIMEOUT`.
    let origin: String
  }

  private var values: [String: Value] = [:]

  mutating func set(_ name: String, _ text: String, origin: String) { values[name] = Value(text: text, origin: origin) }

  private var repeated: [String: [String]] = [:]

  mutating func add(_ name: String, _ text: String) { repeated[name, default: []].append(text) }

  /// All values of a flag that may stand several times, in their order; the environment has one.
  func texts(_ name: String) -> [String] { repeated[name] ?? text(name).map { [$0] } ?? [] }

  func value(_ name: String) -> Value? { values[name] }

  func text(_ name: String) -> String? { values[name]?.text }

  func isOn(_ name: String) -> Bool { values[name]?.text == "true" }

  /// The value read by `parse`; nil when the flag has none. `expected` says what would have been right.
  func read<Result>(_ name: String, expected: String, _ parse: (String) -> Result?) throws(UsageError) -> Result? {
    guard let value = values[name] else { return nil }
    guard let result = parse(value.text) else {
      throw UsageError("\(value.origin): '\(value.text)' is not \(expected)")
    }
    return result
  }
}

/// The command line was not understood; the message names the word and the remedy.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}
