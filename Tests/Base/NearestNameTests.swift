import Support
import Testing

@testable import Base

struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("", "abc", 3), ("stop", "stop", 0), ("sotp", "stop", 1), ("stp", "stop", 1),
    ("stoop", "stop", 1), ("stap", "stop", 1), ("kitten", "sitting", 3), ("ca", "abc", 3), ("abcd", "badc", 2),
  ])
  func theDistanceCountsTypingErrors(left: String, right: String, expected: Int) {
    #expect(NearestName.distance(Array(left.unicodeScalars), Array(right.unicodeScalars)) == expected)
    #expect(NearestName.distance(Array(right.unicodeScalars), Array(left.unicodeScalars)) == expected)
  }

  /// One typing error of each kind costs one, wherever it is.
  @Test func oneDamageIsADistanceOfOne() {
    var generator = SeededGenerator(seed: 21)
    let word = Array("stopOnTerminate".unicodeScalars)
    for _ in 0..<300 {
      var damaged = word
      let place = generator.index(below: word.count - 1)
      switch generator.index(below: 4) {
      case 0: damaged.remove(at: place)
      case 1: damaged.insert("é", at: place)
      case 2: damaged[place] = "é"
      default: damaged.swapAt(place, place + 1)
      }
      #expect(NearestName.distance(damaged, word) == (damaged == word ? 0 : 1), "\(damaged)")
    }
  }

  @Test func ofEqualNamesTheFirstIsGiven() {
    #expect(NearestName.find("bat", in: ["cat", "rat"]) == "cat")
    #expect(NearestName.find("RAT", in: ["cat", "rat"]) == "rat")
  }

  @Test func whatIsFarIsNotGuessed() {
    #expect(NearestName.find("stop", in: ["start", "ban"]) == nil)
    #expect(NearestName.find("", in: ["a"]) == nil)
    #expect(NearestName.find("x", in: []) == nil)
    #expect(NearestName.find(String(repeating: "a", count: 100_000), in: ["a"]) == nil)
  }
}
