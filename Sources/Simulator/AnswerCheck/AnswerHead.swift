/// The header lines of an answer, as far as they are known.
package struct AnswerHead: Equatable, Sendable {
  package let fields: [(name: String, value: String)]

  package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

  /// From the bytes of a head, the status line first. A line without a colon is left out.
  package init(parsing bytes: [UInt8]) {
    fields = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      return (String(parts[0]), AnswerHead.trimmed(parts[1]))
    }
  }

  /// Of the first field of this name; names ignore case (RFC 9110 §5.1).
  package subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Without parameters, in lower case.
  var mediaType: String? {
    self["Content-Type"].map { AnswerHead.trimmed($0.prefix { $0 != ";" }).lowercased() }
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  package static func == (left: AnswerHead, right: AnswerHead) -> Bool {
    left.fields.elementsEqual(right.fields) { $0 == $1 }
  }
}
