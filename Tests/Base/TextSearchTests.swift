import Base
import Testing

@Suite struct TextSearchTests {
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

  /// Against the definition, for every text of two letters up to eight and every part up to four.
  @Test func thePlaceIsTheFirstOneWhereThePartBegins() {
    let texts = (0...8).flatMap(Self.texts)
    for part in (0...4).flatMap(Self.texts) {
      for text in texts {
        let first = text.indices.first { text[$0...].starts(with: part) } ?? (part.isEmpty ? 0 : nil)
        #expect(text.span.firstIndex(of: part.span) == first)
      }
    }
  }

  @Test func everyPlaceIsReplacedFromTheLeft() {
    for text in (0...7).flatMap(Self.texts).map({ String(decoding: $0, as: UTF8.self) }) {
      for part in (1...3).flatMap(Self.texts).map({ String(decoding: $0, as: UTF8.self) }) {
        let pieces: [Substring] = text.split(separator: part, omittingEmptySubsequences: false)
        #expect(text.replacing(part, with: "abab") == pieces.joined(separator: "abab"))
      }
    }
  }

  @Test func placesInAPartOfATextAreItsOwn() throws {
    let text = "né://ü://x"
    let rest = text[try #require(text.firstRange(of: "://")).upperBound...]
    let place = try #require(rest.firstRange(of: "://"))
    #expect(text[..<place.lowerBound] == "né://ü" && text[place.upperBound...] == "x")
    #expect(rest.contains("ü:") && !rest.contains("né") && rest.replacing("://", with: "") == "üx")
    #expect(text.firstRange(of: "ö") == nil && text.contains("") && text.firstRange(of: "")?.isEmpty == true)
  }

  @Test func aBeginningHasAtMostSoManyBytesAndWholeLetters() {
    let text = "aé🚗b"
    let beginnings = ["", "a", "a", "aé", "aé", "aé", "aé", "aé🚗", text, text]
    for (count, beginning) in beginnings.enumerated() { #expect(text.prefix(bytes: count) == beginning, "\(count)") }
    #expect(("z" + String(repeating: "\u{301}", count: 3_000)).prefix(bytes: 255).utf8.count == 255)
  }

  private static func texts(of count: Int) -> [[UInt8]] {
    (0..<1 << count).map { bits in (0..<count).map { UInt8(ascii: bits >> $0 & 1 == 0 ? "a" : "b") } }
  }

  private func contains(_ bytes: [UInt8], _ text: String) -> Bool { bytes.span.contains(text) }
}
