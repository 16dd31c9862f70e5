import Testing

@testable import Base

@Suite struct TextPatternTests {
  @Test(arguments: [
    ("", "", true), ("", "abc", true), ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true),
    ("^abc$", "abc", true),
    ("^$", "", true), ("^$", "a", false), ("a.c", "abc", true), ("a.c", "a\nc", false), ("a\\.c", "abc", false),
    ("ab*c", "ac", true), ("ab+c", "ac", false), ("ab?c", "abbc", false), ("^a{2,3}$", "aa", true),
    ("^a{2,3}$", "aaaa", false),
    ("^a{2}$", "aaa", false), ("^a{2,}$", "aaaaa", true), ("^(ab|cd)+$", "abcdab", true), ("^(ab|cd)+$", "abc", false),
    ("^(?:a|b|c)$", "c", true), ("^a|b$", "ax", true), ("[a-c]", "xbx", true), ("[^a-c]", "abc", false),
    ("[]x]", "]", true),
    ("[a-]", "-", true), ("^\\d+$", "0123", true), ("^\\d+$", "12a", false), ("\\D", "12", false),
    ("^\\w+\\s\\w+$", "a_1 b2", true),
    ("^[\\d.]+$", "1.2.3", true), ("é", "caf\u{E9}", true), ("^.$", "\u{1F600}", true), ("a*?b", "aab", true),
    ("(a$|b)c", "bc", true),
    ("x(y|)z", "xz", true), ("^phone-[0-9]{1,3}$", "phone-42", true),
  ])
  func aPatternIsFound(pattern: String, text: String, isFound: Bool) throws {
    #expect(try TextPattern(pattern).isFound(in: text) == isFound)
  }

  @Test(arguments: [
    ("(", 1), (")", 0), ("a)", 1), ("[a", 2), ("*", 0), ("a{", 2), ("a{2", 3), ("a{3,2}", 5), ("a{2000}", 5), ("\\", 1),
    ("\\b", 2), ("(?=a)", 2), ("[b-a]", 4), ("[\\D]", 3),
  ])
  func whatIsNoPatternIsToldWithItsPlace(pattern: String, offset: Int) {
    #expect(throws: PatternError.self) { try TextPattern(pattern) }
    do { _ = try TextPattern(pattern) } catch { #expect(error.offset == offset, "\(error)") }
  }

  /// Cut anywhere a pattern is a pattern or an error, and never a crash.
  @Test func everyBeginningIsReadOrRefused() {
    let pattern = "^(a|[^b-d\\d]{2,3}?)*\\.x+$"
    for length in 0...pattern.count {
      do { _ = try TextPattern(String(pattern.prefix(length))) } catch { #expect(error.offset <= length) }
    }
  }

  /// Matchers that go back would need 2^40 steps here.
  @Test(.timeLimit(.minutes(10))) func noPatternTakesLong() throws {
    #expect(try !TextPattern("^(a+)+$").isFound(in: String(repeating: "a", count: 40) + "b"))
    #expect(try !TextPattern("(a?){40}a{40}b").isFound(in: String(repeating: "a", count: 60)))
  }

  @Test func aPatternIsBounded() {
    #expect(throws: PatternError.self) { try TextPattern("((a{1000}){1000}){1000}") }
    #expect(throws: PatternError.self) { try TextPattern(String(repeating: "(", count: 60)) }
  }
}
