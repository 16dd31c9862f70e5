import Base
import Testing

@Suite struct ExactTextTests {
  /// "é" in one scalar, and in two.
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  @Test func whatLooksAlikeIsNotTheSame() {
    #expect(composed == decomposed, "for a String it is")
    #expect(!composed.isExactly(decomposed))
    #expect(composed.isExactly(String(decoding: Array(composed.utf8), as: UTF8.self)))
    #expect(Set([composed, decomposed, composed].map(ExactText.init)).count == 2)
  }

  /// The two marks may stand in either order; the bytes are as many.
  @Test func textsOfOneLengthAreToldApart() {
    #expect("a\u{301}\u{323}" == "a\u{323}\u{301}")
    #expect(ExactText("a\u{301}\u{323}") != ExactText("a\u{323}\u{301}"))
  }

  @Test(arguments: ["", "a", "phone-1", "a name that is longer than fifteen bytes"])
  func aTextIsItselfAndNoOther(_ text: String) {
    #expect(text.isExactly(text))
    #expect(!text.isExactly(text + "\0"))
    #expect(!text.isExactly(nil))
    #expect(Set([ExactText(text)]).contains(ExactText(text)))
  }
}
