import Base
import JSON

/// Why a file is no summary of a run.
package struct SummaryError: Error, Equatable, Sendable {
  package let message: String

  package init(_ message: String) { self.message = message }
}

/// A place in a summary that is being read; errors tell where it is.
struct SummaryNode {
  let value: JSONValue
  let path: String

  func member(_ key: String) throws(SummaryError) -> SummaryNode {
    guard let member = value[key] else { throw SummaryError("\(path): no '\(key)'") }
    return SummaryNode(value: member, path: "\(path).\(key)")
  }

  /// Nil for null, and for what is not there.
  func optional(_ key: String) -> SummaryNode? {
    guard let member = value[key], member != .null else { return nil }
    return SummaryNode(value: member, path: "\(path).\(key)")
  }

  func text() throws(SummaryError) -> String {
    guard case .string(let text) = value else { throw SummaryError("\(path): not a text") }
    return text
  }

  func instant() throws(SummaryError) -> WallInstant {
    let text = try text()
    guard let instant = WallInstant(iso8601: text.utf8.span) else {
      throw SummaryError("\(path): '\(text)' is no date")
    }
    return instant
  }

  func number() throws(SummaryError) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .double(let number): return number
    default: throw SummaryError("\(path): not a number")
    }
  }

  func count() throws(SummaryError) -> Int {
    guard case .integer(let number) = value else { throw SummaryError("\(path): not a whole number") }
    return Int(number)
  }

  func flag() throws(SummaryError) -> Bool {
    guard case .bool(let flag) = value else { throw SummaryError("\(path): neither true nor false") }
    return flag
  }

  func elements() throws(SummaryError) -> [SummaryNode] {
    guard case .array(let elements) = value else { throw SummaryError("\(path): not a list") }
    return elements.enumerated().map { SummaryNode(value: $0.element, path: "\(path)[\($0.offset)]") }
  }

  func members() throws(SummaryError) -> [(key: String, node: SummaryNode)] {
    guard case .object(let object) = value else { throw SummaryError("\(path): not an object") }
    return object.members.map { ($0.key, SummaryNode(value: $0.value, path: "\(path).\($0.key)")) }
  }

  func counts() throws(SummaryError) -> [Int] {
    var counts: [Int] = []
    for element in try elements() { counts.append(try element.count()) }
    return counts
  }

  func choice<Choice: RawRepresentable<String>>(_ type: Choice.Type = Choice.self) throws(SummaryError) -> Choice {
    let text = try text()
    guard let choice = Choice(rawValue: text) else { throw SummaryError("\(path): '\(text)' is not known here") }
    return choice
  }
}
