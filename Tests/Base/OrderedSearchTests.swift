import Base
import Testing

@Suite struct OrderedSearchTests {
  @Test func theIndexIsBehindAllThatComeBefore() {
    for count in 0...9 {
      let numbers = Array(0..<count)
      for wanted in 0...count {
        #expect(numbers.indexBehind { $0 < wanted } == wanted)
        #expect(numbers.dropFirst().indexBehind { $0 < wanted } == max(min(1, count), wanted))
      }
    }
  }

  @Test func ofEqualElementsItIsBeforeOrBehindAll() {
    let numbers = [1, 2, 2, 2, 3]
    #expect(numbers.indexBehind { $0 < 2 } == 1)
    #expect(numbers.indexBehind { $0 <= 2 } == 4)
  }
}
