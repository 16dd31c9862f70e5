extension JSONReader {
  package func string(_ text: JSONText) -> String {
    if text.isPlain {
      return unsafe String(copying: UTF8Span(unchecked: bytes.extracting(text.range)))
    }
    var unescaped: [UInt8] = []
    unescaped.reserveCapacity(text.range.count)
    append(text, to: &unescaped)
    return String(decoding: unescaped, as: UTF8.self)
  }

  /// Whether the text says this name, however it is escaped.
  package func equals(_ text: JSONText, _ name: StaticString) -> Bool {
    name.withUTF8Buffer { name in
      let name = unsafe name.span
      return text.isPlain ? isPlain(text.range, name) : isEscaped(text.range, name)
    }
  }

  /// Appends what the text says: UTF-8 without escapes. Allocates only when the array must grow.
  package func append(_ text: JSONText, to output: inout [UInt8]) {
    guard !text.isPlain else { return append(rawValue: text.range, to: &output) }
    var position = text.range.lowerBound
    var plainStart = position
    while position < text.range.upperBound {
      if bytes[position] == UInt8(ascii: "\\") {
        append(rawValue: plainStart..<position, to: &output)
        output.append(contentsOf: unescape(at: &position).utf8)
        plainStart = position
      } else {
        position += 1
      }
    }
    append(rawValue: plainStart..<position, to: &output)
  }

  /// Appends the bytes as they were written, for a range that `skipValue` gave. Allocates only when the array must grow.
  package func append(rawValue range: Range<Int>, to output: inout [UInt8]) {
    unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
  }

  private func isPlain(_ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
    guard range.count == name.count else { return false }
    for index in name.indices where bytes[range.lowerBound + index] != name[index] { return false }
    return true
  }

  private func isEscaped(_ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
    var position = range.lowerBound
    var matched = 0
    while position < range.upperBound {
      let isEscape = bytes[position] == UInt8(ascii: "\\")
      if isEscape {
        for byte in unescape(at: &position).utf8 {
          guard matched < name.count, name[matched] == byte else { return false }
          matched += 1
        }
      } else {
        guard matched < name.count, name[matched] == bytes[position] else { return false }
        matched += 1
        position += 1
      }
    }
    return matched == name.count
  }
}
