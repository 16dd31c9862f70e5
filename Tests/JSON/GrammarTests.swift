import JSON
import Support
import Testing

@Suite struct GrammarTests {
  static let valid = [
    "0", "-0", "1", "-1", "10", "1234567890", "0.0", "1.5", "-0.25", "1e1", "1E1", "1e+1", "1e-1", "0e0", "0E+00",
    "1.5e010",
    "0e999", "-0.000e99999999999999999999", "1e-999", "1e-99999999999999999999",
    "true", "false", "null", "\"\"", "\"a\"", "\"\u{7F}\"", "\"\u{2028}\"", "\"\\/\"", "\"/\"", "\"'\"",
    "{}", "[]", "[[]]", "[{}]", "{\"\":{}}", "{\"a\":1}", "{\"a\":1,\"b\":[]}", "{\"a\":1,\"a\":1}", "[1,2]",
    "[null,true]",
    " 1", "1 ", " \t\r\n1 \t\r\n", "[ ]", "{ }", "[ 1 , 2 ]", "{ \"a\" : 1 , \"b\" : 2 }", "[1\n,\n2]",
  ]

  @Test(arguments: valid) func acceptsWhatTheGrammarAllows(text: String) {
    #expect(refusal(text) == nil)
    #expect(refusalWhenSkipped(Array(text.utf8)) == nil)
  }

  static let malformed: [(text: String, code: JSONError.Code, offset: Int)] = [
    // Nothing, or not yet everything (RFC 8259 §2).
    ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
    ("[1,", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1), ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5),
    ("{\"a\":1", .unexpectedEnd, 6), ("{\"a\":1,", .unexpectedEnd, 7), ("nul", .unexpectedEnd, 3),
    ("\"", .unexpectedEnd, 1),
    // No value.
    ("x", .expectedValue, 0), ("\u{FEFF}1", .expectedValue, 0), ("\u{A0}1", .expectedValue, 0),
    ("'a'", .expectedValue, 0),
    ("NaN", .expectedValue, 0), ("Infinity", .expectedValue, 0), ("+1", .expectedValue, 0), (".5", .expectedValue, 0),
    ("]", .expectedValue, 0), ("[,1]", .expectedValue, 1), ("[1,]", .expectedValue, 3), ("[1,,2]", .expectedValue, 3),
    ("{\"a\":}", .expectedValue, 5), ("/**/1", .expectedValue, 0), ("\u{0}", .expectedValue, 0),
    ("\u{C}1", .expectedValue, 0),
    ("nuLl", .expectedValue, 2), ("tru ", .expectedValue, 3), ("fals\"", .expectedValue, 4),
    ("True", .expectedValue, 0),
    // Objects (§4).
    ("{1:1}", .expectedKey, 1), ("{,}", .expectedKey, 1), ("{a:1}", .expectedKey, 1), ("{\"a\":1,}", .expectedKey, 7),
    ("{]", .expectedKey, 1), ("{\"a\" 1}", .expectedColon, 5), ("{\"a\"}", .expectedColon, 4),
    ("{\"a\",1}", .expectedColon, 4), ("{\"a\":1 \"b\":2}", .expectedCommaOrClosing, 7),
    ("{\"a\":1]", .expectedCommaOrClosing, 6),
    // Arrays (§5).
    ("[1 2]", .expectedCommaOrClosing, 3), ("[1}", .expectedCommaOrClosing, 2),
    ("[\"a\":1]", .expectedCommaOrClosing, 4),
    // Behind the text.
    ("1 2", .unexpectedByteAfterText, 2), ("{}}", .unexpectedByteAfterText, 2), ("[]]", .unexpectedByteAfterText, 2),
    ("truex", .unexpectedByteAfterText, 4), ("1x", .unexpectedByteAfterText, 1), ("0x10", .unexpectedByteAfterText, 1),
    ("\"\"\"", .unexpectedByteAfterText, 2), ("1,", .unexpectedByteAfterText, 1),
    ("null\u{0}", .unexpectedByteAfterText, 4),
    // Numbers (§6).
    ("01", .invalidNumber, 1), ("-01", .invalidNumber, 2), ("00", .invalidNumber, 1), ("-", .unexpectedEnd, 1),
    ("-x", .invalidNumber, 1), ("--1", .invalidNumber, 1), ("-.5", .invalidNumber, 1), ("1.", .unexpectedEnd, 2),
    ("1.e1", .invalidNumber, 2), ("1..2", .invalidNumber, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
    ("1ex", .invalidNumber, 2), ("1e+-1", .invalidNumber, 3), ("1e1.5", .unexpectedByteAfterText, 3),
    ("[1e999]", .numberTooLarge, 1), ("-1e309", .numberTooLarge, 0), ("1.7976931348623159e308", .numberTooLarge, 0),
    // Strings (§7).
    ("\"\u{0}\"", .controlCharacterInText, 1), ("\"ab\n\"", .controlCharacterInText, 3),
    ("\"12345678\u{1F}\"", .controlCharacterInText, 9), ("\"\\x\"", .invalidEscape, 2), ("\"\\'\"", .invalidEscape, 2),
    ("\"\\U0041\"", .invalidEscape, 2), ("\"\\u004\"", .invalidEscape, 6), ("\"\\u00g0\"", .invalidEscape, 5),
    ("\"\\u 041\"", .invalidEscape, 3), ("\"\\", .unexpectedEnd, 2), ("\"\\u", .unexpectedEnd, 3),
    ("\"\\\"", .unexpectedEnd, 3),
  ]

  @Test(arguments: malformed) func refusesWithCodeAndOffset(text: String, code: JSONError.Code, offset: Int) {
    let expected = JSONError(code, at: offset)
    #expect(refusal(text) == expected)
    #expect(refusalWhenSkipped(Array(text.utf8)) == expected)
    // What follows a complete text may well be allowed behind an element of an array.
    if code != .unexpectedByteAfterText { #expect(refusal("[0,\(text)") == JSONError(code, at: offset + 3)) }
  }

  @Test func everyByteAloneIsJudgedLikeTheGrammar() {
    for byte in UInt8.min ... .max {
      for text in [[byte], [byte, 0x31], [0x31, byte], [0x5B, byte], [0x22, byte, 0x22], [0x22, 0x5C, byte, 0x22]] {
        #expect((refusal(text) == nil) == (JSONReference.judge(text) == .valid), "\(text)")
      }
    }
  }

  /// All texts of up to five pieces out of the tokens that make the structure.
  @Test func everyShortStructureIsJudgedLikeTheGrammar() {
    let pieces = ["{", "}", "[", "]", ",", ":", "\"a\"", "1"].map { Array($0.utf8) }
    var texts: [[UInt8]] = [[]]
    for _ in 0..<5 {
      texts = texts.flatMap { text in pieces.map { text + $0 } }
      for text in texts {
        let isValid = JSONReference.judge(text) == .valid
        if (refusal(text) == nil) != isValid || (refusalWhenSkipped(text) == nil) != isValid {
          Issue.record("judged differently: \(String(decoding: text, as: UTF8.self))")
        }
      }
    }
  }

  @Test func anErrorTellsWhatIsWrongAndWhere() {
    #expect(refusal("[1,]")?.description == "a value must begin here at byte 3")
  }
}
