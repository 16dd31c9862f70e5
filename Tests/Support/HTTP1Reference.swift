import HTTP1

/// A second opinion on messages that were accepted, written with none of the parser's code and no thought of speed: takes
/// the raw bytes of one message apart by the letter of RFC 9112 and says what a strict neighbour would object to.
package enum HTTP1Reference {
  /// What is wrong with the raw bytes of a complete request, or with what was made of them; nil when nothing is.
  package static func objection(to raw: [UInt8], readAs message: HTTP1Transcript.Message) -> String? {
    var lines: [[UInt8]] = []
    var rest = raw[...]
    while rest.starts(with: [13, 10]) { rest = rest.dropFirst(2) }
    while true {
      guard let lineFeed = rest.firstIndex(of: 10) else { return "the head has no end" }
      var line = rest[..<lineFeed]
      rest = rest[(lineFeed + 1)...]
      guard line.last == 13 else { return "a line ends with a bare line feed" }
      line = line.dropLast()
      if line.isEmpty { break }
      guard line.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else { return "control character in a line" }
      lines.append(Array(line))
    }
    // HTTP/1.2 to 1.9 are read as 1.1.
    guard var first = lines.first, let minor = first.popLast() else { return "there is no start line" }
    first.append(minor == 48 ? 48 : 49)
    guard first == Array(message.startLine.joined(separator: [32])) else { return "the start line was changed" }
    return objection(toFields: Array(lines.dropFirst()), body: Array(rest), message)
  }

  private static func objection(
    toFields lines: [[UInt8]], body: [UInt8], _ message: HTTP1Transcript.Message
  ) -> String? {
    guard lines.count == message.fields.count else { return "a field was lost or made up" }
    var lengths: [String] = []
    var codings: [String] = []
    var hosts = 0
    for (line, field) in zip(lines, message.fields) {
      guard let colon = line.firstIndex(of: 58), colon > 0 else { return "a field line has no name" }
      guard !line[..<colon].contains(where: { $0 <= 32 || $0 >= 127 }) else { return "white space in a field name" }
      guard field.name == Array(line[..<colon]) else { return "a field name was changed" }
      let value = trimmed(line[(colon + 1)...])
      guard field.value == value else { return "a field value was changed" }
      switch String(decoding: field.name, as: UTF8.self).lowercased() {
      case "content-length": lengths.append(String(decoding: value, as: UTF8.self))
      case "transfer-encoding": codings.append(String(decoding: value, as: UTF8.self).lowercased())
      case "host": hosts += 1
      default: break
      }
    }
    if hosts > 1 || (hosts == 0 && message.startLine[2].last == 49) { return "\(hosts) Host fields" }
    return objection(lengths: lengths, codings: codings, body: body, message)
  }

  private static func objection(
    lengths: [String], codings: [String], body: [UInt8], _ message: HTTP1Transcript.Message
  ) -> String? {
    switch (lengths, codings) {
    case ([], []):
      return body.isEmpty && message.body.isEmpty ? nil : "a body out of nothing"
    case (let lengths, []) where lengths.count == 1:
      guard lengths[0].utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(lengths[0]) else {
        return "a length that is no number"
      }
      return length == body.count && message.body == body ? nil : "a body of another length"
    case ([], ["chunked"]):
      return dechunked(body) == message.body ? nil : "the chunks hold something else"
    default:
      return "framing is in doubt: \(lengths) \(codings)"
    }
  }

  /// The content of a chunked body that ends where its bytes end; nil when it does not.
  private static func dechunked(_ bytes: [UInt8]) -> [UInt8]? {
    var content: [UInt8] = []
    var rest = bytes[...]
    while let lineEnd = rest.firstIndex(of: 13) {
      let digits = rest[..<lineEnd].prefix { $0 != 59 && $0 != 32 && $0 != 9 }
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
      rest = rest[(lineEnd + 2)...]
      if size == 0 { return rest.suffix(2).elementsEqual([13, 10]) ? content : nil }
      guard rest.count >= size + 2 else { return nil }
      content += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
    }
    return nil
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let blank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
    var bytes = bytes.drop(while: blank)
    while let last = bytes.last, blank(last) { bytes.removeLast() }
    return Array(bytes)
  }
}
