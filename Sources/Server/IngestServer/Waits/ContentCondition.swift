import Base
import Contract
import JSON

/// A condition on the values at one path of a document: `{"path":"$.coords.accuracy","atMost":10}`. If the path selects several
/// values, one of them must satisfy all comparisons of the condition.
struct ContentCondition: Sendable {
  static let keys = [
    "path", "equals", "not", "in", "above", "below", "atLeast", "atMost", "matches", "contains", "exists",
  ]
  /// The maximum number of conditions of one expectation.
  static let conditionsMax = 50
  private static let shown = 60

  /// A limit of numbers or times.
  enum Bound: Sendable {
    case number(Double)
    case integer(Int64)
    /// Milliseconds since 1970.
    case time(Int64)

    /// Returns nil for a value of the other kind.
    func order(of value: JSONValue) -> Double? {
      switch (self, value) {
      case (.integer(let bound), .integer(let number)): number < bound ? -1 : number > bound ? 1 : 0
      case (.integer(let bound), .double(let number)): number - Double(bound)
      case (.number(let bound), .integer(let number)): Double(number) - bound
      case (.number(let bound), .double(let number)): number - bound
      case (.time(let bound), .string(let text)):
        WallInstant(iso8601: text.utf8.span).map { Double($0.millisecondsSince1970 - bound) }
      default: nil
      }
    }
  }

  enum Comparison: Sendable {
    case equals(JSONValue)
    case not(JSONValue)
    case among([JSONValue])
    case above(Bound), below(Bound), atLeast(Bound), atMost(Bound)
    case matches(TextPattern)
    case contains(JSONValue)
  }

  let path: JSONPath
  private var comparisons: [(comparison: Comparison, words: String)] = []
  /// Whether a value must exist; nil when the comparisons imply it.
  private var exists: Bool?

  init(path: JSONPath, equals value: JSONValue) {
    self.path = path
    comparisons = [(.equals(value), Self.words(value))]
  }

  /// Statuses from 100 to 599, `5xx` for a class.
  init(path: JSONPath, statuses: ClosedRange<Int>) {
    self.path = path
    let words = statuses.count == 1 ? "\(statuses.lowerBound)" : "\(statuses.lowerBound / 100)xx"
    comparisons = [
      (.atLeast(.number(Double(statuses.lowerBound))), words), (.atMost(.number(Double(statuses.upperBound))), words),
    ]
  }

  init(_ value: JSONValue, at place: String) throws(FieldError) {
    let fields = try AdminFields(value, at: place, knows: ContentCondition.keys)
    guard let text = try fields.text("path") else { throw FieldError(fields.place("path"), .missing) }
    guard let path = JSONPath(text) else {
      throw FieldError(fields.place("path"), .outOfRange(expected: "a path such as $.coords.speed or $.list[*].name"))
    }
    self.path = path
    exists = try fields.flag("exists")
    if let value = fields.raw("equals") { comparisons.append((.equals(value), Self.words(value))) }
    if let value = fields.raw("not") { comparisons.append((.not(value), "not \(Self.words(value))")) }
    if let value = fields.value("in") {
      guard case .array(let list) = value, !list.isEmpty else {
        throw FieldError(fields.place("in"), .outOfRange(expected: "a list of values"))
      }
      comparisons.append((.among(list), "one of \(Self.words(value))"))
    }
    for (key, words) in [("above", "above"), ("below", "below"), ("atLeast", "at least"), ("atMost", "at most")] {
      guard let value = fields.value(key) else { continue }
      let bound = try Self.bound(value, fields.place(key))
      let comparison: Comparison =
        switch key {
        case "above": .above(bound)
        case "below": .below(bound)
        case "atLeast": .atLeast(bound)
        default: .atMost(bound)
        }
      comparisons.append((comparison, "\(words) \(Self.words(value))"))
    }
    if let text = try fields.text("matches") {
      do throws(PatternError) {
        comparisons.append((.matches(try TextPattern(text)), "a text that matches \(text)"))
      } catch {
        throw FieldError(fields.place("matches"), .outOfRange(expected: "a regular expression: \(error)"))
      }
    }
    if let value = fields.value("contains") {
      comparisons.append((.contains(value), "something that contains \(Self.words(value))"))
    }
    guard exists != nil || !comparisons.isEmpty else {
      throw FieldError(
        place, .outOfRange(expected: "a path and one of \(Self.keys.dropFirst().joined(separator: ", "))"))
    }
    guard exists != false || comparisons.isEmpty else {
      throw FieldError(fields.place("exists"), .outOfRange(expected: "omitted or true beside a comparison"))
    }
  }

  private static func bound(_ value: JSONValue, _ place: String) throws(FieldError) -> Bound {
    switch value {
    case .integer(let number): return .integer(number)
    case .double(let number): return .number(number)
    case .string(let text):
      if let instant = WallInstant(iso8601: text.utf8.span) { return .time(instant.millisecondsSince1970) }
    default: break
    }
    throw FieldError(place, .outOfRange(expected: "a number, or a time as 2026-07-28T18:34:23.000Z"))
  }

  /// Returns nil when the condition holds, otherwise the difference.
  func failure(in document: JSONValue) -> String? {
    let values = path.values(in: document)
    if exists == false { return values.isEmpty ? nil : "\(path.text) is \(Self.words(values[0])), expected none" }
    if comparisons.isEmpty { return values.isEmpty ? "\(path.text) is missing" : nil }
    if values.contains(where: { value in comparisons.allSatisfy { Self.holds($0.comparison, value) } }) { return nil }
    guard let value = values.first else {
      let isNegative = comparisons.allSatisfy { if case .not = $0.comparison { true } else { false } }
      if isNegative && exists != true { return nil }
      return "\(path.text) is missing, expected \(words)"
    }
    let more = values.count > 1 ? " and \(values.count - 1) more" : ""
    return "\(path.text) is \(Self.words(value))\(more), expected \(words)"
  }

  /// Returns whether a truncated content already satisfies the condition, so that its missing rest does not matter.
  func isFound(in document: JSONValue) -> Bool {
    let isAboutAPart = comparisons.allSatisfy { if case .contains = $0.comparison { true } else { false } }
    return !comparisons.isEmpty && isAboutAPart && failure(in: document) == nil
  }

  private var words: String {
    var said: [String] = []
    for (_, words) in comparisons where said.last != words { said.append(words) }
    return said.joined(separator: " and ")
  }

  private static func holds(_ comparison: Comparison, _ value: JSONValue) -> Bool {
    switch comparison {
    case .equals(let wanted): isEqual(value, wanted)
    case .not(let unwanted): !isEqual(value, unwanted)
    case .among(let list): list.contains { isEqual(value, $0) }
    case .above(let bound): bound.order(of: value).map { $0 > 0 } ?? false
    case .below(let bound): bound.order(of: value).map { $0 < 0 } ?? false
    case .atLeast(let bound): bound.order(of: value).map { $0 >= 0 } ?? false
    case .atMost(let bound): bound.order(of: value).map { $0 <= 0 } ?? false
    case .matches(let pattern): if case .string(let text) = value { pattern.isFound(in: text) } else { false }
    case .contains(let wanted): contains(value, wanted)
    }
  }

  private static func contains(_ value: JSONValue, _ wanted: JSONValue) -> Bool {
    switch (value, wanted) {
    case (.array(let list), _): list.contains { isEqual($0, wanted) }
    case (.string(let text), .string(let part)): text.contains(part)
    case (.object(let object), .string(let key)): object[key] != nil
    default: false
    }
  }

  /// Compares numbers by value: 5 equals 5.0.
  private static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
      Double(integer) == double
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { isEqual($0, $1) }
    case (.object(let one), .object(let other)):
      one.members.count == other.members.count
        && one.members.allSatisfy { member in other[member.key].map { isEqual(member.value, $0) } ?? false }
    default: left == right
    }
  }

  private static func words(_ value: JSONValue) -> String {
    let text = value.serializedText
    return text.count > shown ? text.prefix(shown) + "…" : text
  }
}
