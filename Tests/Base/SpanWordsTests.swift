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

  @Test func pastTheEndIsNoWord() async {
    await #expect(processExitsWith: .failure) { _ = [UInt8](0..<32).span.littleWord(at: 25) }
    await #expect(processExitsWith: .failure) { _ = [UInt8](0..<32).span.bigWord(at: 25) }
  }
}
