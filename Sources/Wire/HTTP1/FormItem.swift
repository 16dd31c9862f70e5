/// A name and a value of a query or of an `application/x-www-form-urlencoded` body, decoded.
package struct FormItem: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension FormItem {
  /// Decodes `name=value&…` (WHATWG URL, §5.1): "+" is a space, an item without "=" has an empty value, empty items are
  /// skipped. Stricter than the standard in two points: an escape must be complete, and the result must be UTF-8.
  package static func parse(_ bytes: Span<UInt8>, limits: HTTPLimits) throws(HTTPError) -> [FormItem] {
    var items: [FormItem] = []
    var scratch: [UInt8] = []
    var start = 0
    while start < bytes.count {
      var end = start
      var equal: Int?
      while end < bytes.count, bytes[end] != UInt8(ascii: "&") {
        if bytes[end] == .equalSign, equal == nil { equal = end }
        end += 1
      }
      if end > start {
        if items.count == limits.formItems { throw HTTPError(.tooManyFormItems, at: start) }
        let name = try decode(bytes, start..<(equal ?? end), &scratch)
        let value = try decode(bytes, (equal.map { $0 + 1 } ?? end)..<end, &scratch)
        items.append(FormItem(name: name, value: value))
      }
      start = end + 1
    }
    return items
  }

  private static func decode(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ scratch: inout [UInt8]
  ) throws(HTTPError) -> String {
    scratch.removeAll(keepingCapacity: true)
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case .percent:
        guard let value = bytes.escapedByte(at: index, end: range.upperBound) else {
          throw HTTPError(.invalidForm, at: index)
        }
        scratch.append(value)
        index += 3
      case UInt8(ascii: "+"):
        scratch.append(.space)
        index += 1
      case let plain:
        scratch.append(plain)
        index += 1
      }
    }
    guard let text = String(strictUTF8: scratch.span) else { throw HTTPError(.invalidForm, at: range.lowerBound) }
    return text
  }
}
