import Contract
import Support
import Testing

/// The URL standard of the WHATWG, §5.
struct FormEncodingTests {
  private func decode(_ text: String) -> [NameValuePair] { FormEncoding.decode(text.utf8.span) }

  @Test(arguments: [
    ("", []), ("a=b", [NameValuePair("a", "b")]), ("a", [NameValuePair("a", "")]), ("=b", [NameValuePair("", "b")]),
    ("a=b&c=d", [NameValuePair("a", "b"), NameValuePair("c", "d")]), ("a=b=c", [NameValuePair("a", "b=c")]),
    ("&&a=1&", [NameValuePair("a", "1")]), ("a+b=c+d", [NameValuePair("a b", "c d")]),
    ("%61=%C3%A9", [NameValuePair("a", "é")]), ("a=%2B%26%3d", [NameValuePair("a", "+&=")]),
    (
      "a=%&b=%4&c=%zz&d=%",
      [
        NameValuePair("a", "%"), NameValuePair("b", "%4"), NameValuePair("c", "%zz"), NameValuePair("d", "%"),
      ]
    ), ("a=%ff", [NameValuePair("a", "\u{FFFD}")]), ("a=1&a=2", [NameValuePair("a", "1"), NameValuePair("a", "2")]),
  ])
  func formsAreRead(text: String, expected: [NameValuePair]) {
    #expect(decode(text) == expected)
  }

  @Test func everyByteOfATextSurvives() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let fields = (0..<generator.index(below: 4)).map { _ in
        NameValuePair(randomText(&generator) + "n", randomText(&generator))
      }
      let bytes = FormEncoding.encode(fields)
      #expect(FormEncoding.decode(bytes.span) == fields)
      #expect(bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
  }

  @Test func noInputIsReadBeyondItsEnd() {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<500 {
      let alphabet = Array("%%%&=+aF0".utf8)
      let bytes = (0..<generator.index(below: 12)).map { _ in alphabet[generator.index(below: alphabet.count)] }
      let decoded = GuardedBytes(bytes).withSpan { FormEncoding.decode($0) }
      #expect(decoded == FormEncoding.decode(bytes.span))
    }
  }

  private func randomText(_ generator: inout SeededGenerator) -> String {
    let characters = Array("ab&=+% %é漢😀\0\n\"/~*-._")
    return String((0..<generator.index(below: 8)).map { _ in characters[generator.index(below: characters.count)] })
  }
}
