import JSON

/// How the elements of a list become a text, one by one, so that a list of any length can be written page by page.
struct ListFormat<Element>: Sendable {
  let contentType: StaticString
  let opening: [UInt8]
  /// Between two elements.
  let separator: [UInt8]
  let append: @Sendable (Element, inout [UInt8]) -> Void
  /// Gets the cursor behind the last element, when more elements follow.
  let closing: @Sendable (String?) -> [UInt8]

  /// `{"KEY":[…],"next":CURSOR}`; `next` is null at the end.
  static func json(_ key: String, _ write: @escaping @Sendable (Element, inout JSONWriter) -> Void) -> ListFormat {
    ListFormat(
      contentType: "application/json", opening: Array("{\"\(key)\":[".utf8), separator: [UInt8(ascii: ",")],
      append: { element, bytes in bytes.append(element, write) },
      closing: { next in Array((next.map { "],\"next\":\"\($0)\"}" } ?? "],\"next\":null}").utf8) })
  }

  /// One JSON text a line.
  static func lines(_ write: @escaping @Sendable (Element, inout JSONWriter) -> Void) -> ListFormat {
    ListFormat(
      contentType: "application/x-ndjson", opening: [], separator: [],
      append: { element, bytes in
        let start = bytes.count
        bytes.append(element, write)
        // A record is kept as it came, and it may have come in several lines. Within a JSON text a line end can only be
        // white space (RFC 8259 §7).
        for index in start..<bytes.count where bytes[index] == 0x0A || bytes[index] == 0x0D {
          bytes[index] = UInt8(ascii: " ")
        }
        bytes.append(UInt8(ascii: "\n"))
      },
      closing: { _ in [] })
  }
}

extension [UInt8] {
  fileprivate mutating func append<Value>(_ value: Value, _ write: (Value, inout JSONWriter) -> Void) {
    var writer = JSONWriter(capacity: 512)
    write(value, &writer)
    self += writer.bytes
  }
}
