import Base
import Contract
import JSON

/// Reads typed fields of the body of an administrative request. Strict: an unknown key is an error that suggests the nearest
/// known name, because a misspelt condition would otherwise be ignored silently.
struct AdminFields {
  private let object: JSONObject
  private let path: String

  init(_ value: JSONValue, at path: String = "", knows keys: [String]) throws(FieldError) {
    guard case .object(let object) = value else { throw FieldError(path, .outOfRange(expected: "an object")) }
    self.object = object
    self.path = path
    for member in object.members where !keys.contains(member.key) {
      let near =
        NearestName.find(member.key, in: keys).map { "did you mean \($0)?" }
        ?? "known are \(keys.joined(separator: ", "))"
      throw FieldError(place(member.key), .unknownKey(hint: near))
    }
  }

  /// Returns the path of a field, for messages.
  func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func value(_ key: String) -> JSONValue? { object[key] == .null ? nil : object[key] }

  /// Returns a member even if it is null, for fields in which null is a value.
  func raw(_ key: String) -> JSONValue? { object[key] }

  func text(_ key: String) throws(FieldError) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value else { throw FieldError(place(key), .outOfRange(expected: "a string")) }
    return text
  }

  /// Returns the run that the body or the request names. A request within a run cannot name another one.
  func run(within exchange: Exchange) throws(FieldError) -> String {
    let outer = exchange.run
    guard let run = try text("run") else { return outer }
    guard outer.isEmpty || run.isExactly(outer) else {
      throw FieldError(place("run"), .outOfRange(expected: "omitted, or equal to the run of the request, \(outer)"))
    }
    return run
  }

  func integer(_ key: String, in range: ClosedRange<Int64>) throws(FieldError) -> Int64? {
    guard let value = value(key) else { return nil }
    guard case .integer(let number) = value, range.contains(number) else {
      throw FieldError(
        place(key), .outOfRange(expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"))
    }
    return number
  }

  func flag(_ key: String) throws(FieldError) -> Bool? {
    guard let value = value(key) else { return nil }
    guard case .bool(let flag) = value else { throw FieldError(place(key), .outOfRange(expected: "true or false")) }
    return flag
  }

  func share(_ key: String) throws(FieldError) -> Double? {
    let number: Double
    switch value(key) {
    case nil: return nil
    case .double(let double): number = double
    case .integer(let integer): number = Double(integer)
    default: number = -1
    }
    guard (0...1).contains(number) else { throw FieldError(place(key), .outOfRange(expected: "a number from 0 to 1")) }
    return number
  }

  func time(_ key: String) throws(FieldError) -> WallInstant? {
    guard let text = try text(key) else { return nil }
    guard let instant = WallInstant(iso8601: text.utf8.span) else {
      throw FieldError(place(key), .outOfRange(expected: "a time, such as 2026-07-28T18:34:23.000Z"))
    }
    return instant
  }

  /// A duration in milliseconds, at most a day: `250ms`, `10s`, `5m`, `1h`, or a number of seconds.
  func milliseconds(_ key: String) throws(FieldError) -> Int64? {
    let read: Int64?
    switch value(key) {
    case nil: return nil
    case .integer(let seconds): read = seconds.multipliedReportingOverflow(by: 1_000).overflow ? nil : seconds * 1_000
    case .string(let text): read = Nanoseconds(text: text)?.wholeMilliseconds
    default: read = nil
    }
    guard let read, (0...86_400_000).contains(read) else {
      throw FieldError(place(key), .outOfRange(expected: "a duration of at most a day, such as 250ms, 10s or 5m"))
    }
    return read
  }
}
