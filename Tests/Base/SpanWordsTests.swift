import Base
import Testing

@Suite struct SpanWordsTests {
  @Test func eightBytesAreAWordFromEitherEndAndAnyPlace() {
    let bytes = [UInt8](0..<32)
    for index in 0...24 {
      let eight = bytes[index..<index + 8]
      #expect(bytes.span.bigWord(at: index) == eight.reduce(0) { $0 << 8 | UInt64($1) })
      #expect(bytes.span.littleWord(at: index) == eight.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  @Test func aTextIsFoundAtEachPlaceAndOnlyWhole() {
    let text = "\"event\""
    for before in 0..<20 {
      for after in 0..<20 {
        let around = (
          Array(repeating: UInt8(ascii: "e"), count: before), Array(repeating: UInt8(ascii: "\""), count: after)
        )
        #expect(contains(around.0 + text.utf8 + around.1, text))
        for length in 0..<text.utf8.count {
          let part = around.0 + text.utf8.prefix(length) + [0] + around.1
          #expect(!contains(part, text))
        }
      }
    }
    #expect(!contains(Array("event".utf8), text) && !contains([], "a"))
    #expect(contains([255, 0, 254], "\u{0}") && contains(Array("Zürich".utf8), "ü"))
  }

  @Test func pastTheEndIsNoWord() async {
    await #expect(processExitsWith: .failure) { _ = [UInt8](0..<32).span.littleWord(at: 25) }
    await #expect(processExitsWith: .failure) { _ = [UInt8](0..<32).span.bigWord(at: 25) }
  }

  private func contains(_ bytes: [UInt8], _ text: String) -> Bool { bytes.span.contains(text) }
}
