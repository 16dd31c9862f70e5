import Contract
import HTTP1
import Support
import Testing

/// The URL standard of the WHATWG, §5, held against the reader that a server uses.
struct FormEncodingTests {
  @Test(arguments: [
    ([], ""), ([NameValuePair("a", "b")], "a=b"), ([NameValuePair("", "")], "="),
    ([NameValuePair("a b", "c&d=e"), NameValuePair("f", "+%")], "a+b=c%26d%3De&f=%2B%25"),
    ([NameValuePair("é", "*-._~")], "%C3%A9=*-._%7E"),
  ])
  func formsAreWritten(fields: [NameValuePair], expected: String) {
    #expect(String(decoding: FormEncoding.encode(fields), as: UTF8.self) == expected)
  }

  @Test func everyByteOfATextSurvives() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let fields = (0..<generator.index(below: 4)).map { _ in
        NameValuePair(randomText(&generator) + "n", randomText(&generator))
      }
      let bytes = FormEncoding.encode(fields)
      let read = try FormItem.parse(bytes.span, limits: HTTPLimits())
      #expect(read.map { NameValuePair($0.name, $0.value) } == fields)
      #expect(bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
  }

  private func randomText(_ generator: inout SeededGenerator) -> String {
    let characters = Array("ab&=+% %é漢😀\0\n\"/~*-._")
    return String((0..<generator.index(below: 8)).map { _ in characters[generator.index(below: characters.count)] })
  }
}
