/// A structured log: the message is a constant, so that lines can be counted and found by it; variable data is in the fields.
/// The sink and the clock are supplied by the caller. Lines below the threshold cost a comparison; their fields are never
/// computed.
package struct Log: Sendable {
  private let threshold: LogSeverity
  private let now: @Sendable () -> WallInstant
  private let sink: @Sendable (LogEvent) -> Void

  /// `sink` is called on the logging thread, possibly by several threads at once.
  package init(
    upTo threshold: LogSeverity, now: @escaping @Sendable () -> WallInstant,
    sink: @escaping @Sendable (LogEvent) -> Void
  ) {
    self.threshold = threshold
    self.now = now
    self.sink = sink
  }

  package func error(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    write(.error, message, fields)
  }

  package func warning(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    if threshold >= .warning { write(.warning, message, fields) }
  }

  package func info(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    if threshold >= .info { write(.info, message, fields) }
  }

  private func write(_ level: LogSeverity, _ message: StaticString, _ fields: () -> LogFields) {
    sink(LogEvent(time: now(), level: level, message: message, fields: fields()))
  }
}

/// The severity of a line, the highest first.
package enum LogSeverity: String, CaseIterable, Comparable, Sendable {
  /// Data or service is lost and an operator must act.
  case error
  /// Something went wrong and was handled.
  case warning
  /// Information for an operator in normal operation.
  case info

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    }
  }

  package static func < (left: LogSeverity, right: LogSeverity) -> Bool { left.rank < right.rank }
}

/// The fields of a log line in the order in which they were written: `["device": .string(id), "records": .integer(250)]`. Names
/// are constants. The caller must keep them distinct from one another and from `time`, `level` and `message`.
package struct LogFields: ExpressibleByDictionaryLiteral, Sendable {
  /// The value of a field; each kind keeps its form in both renderings.
  package enum Value: Equatable, Sendable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
  }

  package let pairs: [(name: StaticString, value: Value)]

  package init(dictionaryLiteral elements: (StaticString, Value)...) {
    pairs = elements.map { (name: $0.0, value: $0.1) }
  }
}

/// A log line before formatting.
package struct LogEvent: Sendable {
  package let time: WallInstant
  package let level: LogSeverity
  package let message: StaticString
  package let fields: LogFields
}

/// The two formats of a line. Both escape alike, so that no value from a device or an attacker can end the line, begin another
/// one, or control the terminal that shows it.
extension LogEvent {
  /// For people: `2026-07-28T18:34:22.563Z warning queue is full device=a1 path="/with space"`, and a line feed.
  package func appendLine(to bytes: inout [UInt8]) {
    time.append(iso8601To: &bytes)
    bytes.append(text: " \(level.rawValue) ")
    bytes.append(escaped: message.description)
    for (name, value) in fields.pairs {
      bytes.append(UInt8(ascii: " "))
      bytes.append(escaped: name.description)
      bytes.append(UInt8(ascii: "="))
      switch value {
      case .string(let text) where text.isPlainWord: bytes.append(text: text)
      case .string(let text): bytes.append(quoted: text)
      case .integer(let number): bytes.append(text: number.description)
      case .double(let number): bytes.append(text: number.description)
      case .boolean(let flag): bytes.append(text: flag.description)
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// For programs: a JSON object with `time`, `level`, `message` and the fields, and a line feed. JSON has no number for
  /// infinity and NaN; they become strings.
  package func appendJSONLine(to bytes: inout [UInt8]) {
    bytes.append(text: "{\"time\":\"")
    time.append(iso8601To: &bytes)
    bytes.append(text: "\",\"level\":\"\(level.rawValue)\",\"message\":")
    bytes.append(quoted: message.description)
    for (name, value) in fields.pairs {
      bytes.append(UInt8(ascii: ","))
      bytes.append(quoted: name.description)
      bytes.append(UInt8(ascii: ":"))
      switch value {
      case .string(let text): bytes.append(quoted: text)
      case .integer(let number): bytes.append(text: number.description)
      case .double(let number) where number.isFinite: bytes.append(text: number.description)
      case .double(let number): bytes.append(quoted: number.description)
      case .boolean(let flag): bytes.append(text: flag.description)
      }
    }
    bytes.append(text: "}\n")
  }
}

extension String {
  /// Whether it is printable ASCII without characters that need quotes.
  fileprivate var isPlainWord: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
          && byte != UInt8(ascii: "=")
      }
  }
}

extension Unicode.Scalar {
  /// Control characters (C0, DEL, C1), line and paragraph separator, and the marks that reverse the direction of text.
  fileprivate var needsEscape: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: self == "\"" || self == "\\"
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(text: String) { append(contentsOf: text.utf8) }

  fileprivate mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    append(escaped: text)
    append(UInt8(ascii: "\""))
  }

  /// The escapes of JSON strings (RFC 8259 §7).
  fileprivate mutating func append(escaped text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": append(text: "\\n")
      case "\r": append(text: "\\r")
      case "\t": append(text: "\\t")
      case "\"", "\\": append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: scalar)])
      case _ where scalar.needsEscape: append(unicodeEscape: scalar.value)
      default: append(contentsOf: Character(scalar).utf8)
      }
    }
  }

  private mutating func append(unicodeEscape value: UInt32) {
    append(text: "\\u")
    for shift: UInt32 in [12, 8, 4, 0] {
      let digit = UInt8(value >> shift & 0xF)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}
