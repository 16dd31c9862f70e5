import Contract
import JSON
import Support
import Testing

@testable import Scenario

@Suite struct JSON5ReaderTests {
  /// JSON5 text beside the same in JSON. After the examples of spec.json5.org.
  static let accepted: [(String, String)] = [
    ("{}", "{}"), ("[]", "[]"), ("[1,]", "[1]"), ("{a:1,}", #"{"a":1}"#), ("{'a b':1}", #"{"a b":1}"#),
    ("{$_é1:1}", #"{"$_é1":1}"#), (#"{\u0061b:1}"#, #"{"ab":1}"#),
    ("{while:true,null:null}", #"{"while":true,"null":null}"#),
    ("// c\n1", "1"), ("/* a\n * b */1/**/", "1"), ("1//end", "1"), ("+1", "1"), ("-1", "-1"), (".5", "0.5"),
    ("5.", "5.0"),
    ("-.5e+1", "-5.0"), ("1e3", "1e3"), ("0xdecaf", "912559"), ("0XDECAF", "912559"), ("-0xC0FFEE", "-12648430"),
    ("+0x1", "1"), ("-0", "-0"), ("0.0", "0.0"), ("Infinity", "null"), ("-Infinity", "null"), ("+NaN", "null"),
    ("'it\"s'", #""it\"s""#), (#""it's""#, #""it's""#), (#"'\''"#, #""'""#), (#"'\A\C\/\D\C'"#, #""AC/DC""#),
    ("'a\\\nb'", #""ab""#), ("'a\\\r\nb'", #""ab""#), ("'a\\\u{2028}b'", #""ab""#), ("'\u{2028}'", "\"\u{2028}\""),
    (#"'\x41\u0042\0\v\b\f\n\r\t'"#, #""AB\u0000\u000b\b\f\n\r\t""#), (#"'\ud83d\ude00'"#, #""😀""#), ("'\t'", #""\t""#),
    ("\u{FEFF}\u{A0}\u{2003}\u{B}\u{C}1\u{2029}", "1"), ("9223372036854775807", "9223372036854775807"),
  ]

  @Test(arguments: accepted)
  func theRulesOfJSON5AreRead(text: String, json: String) throws {
    #expect(try JSON5Reader.read(text).json == JSONValue(parsing: Array(json.utf8).span))
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1 2]", "{a 1}", "{a:1 b:2}", "{,}", "[,]", "[1,,2]", "{a:1,,}", "{1:2}", "{a-b:1}", "{a:}",
    "01",
    "-01", "1_000", "1a", "0x", "0xg", "1e", "1e+", ".", "+", "--1", "+-1", "1.e", "'a", "'a\nb'", "\"a'", #"'\1'"#,
    #"'\01'"#,
    #"'\x4'"#, #"'\u12'"#, #"'\ud800'"#, #"'\ud800\u0041'"#, #"'\udc00'"#, "/*", "/* *", "/", "1 2", "tru", "True",
    "undefined",
    "{a:1,a:2}", "{a:1,'a':2}", "Infinite", "1e999", "9223372036854775808", "0x8000000000000000", "[1]]", "'\\",
    #"{\u0031a:1}"#,
  ])
  func whatIsNoJSON5IsRefused(text: String) {
    #expect(throws: ScenarioError.self) { try JSON5Reader.read(text) }
  }

  @Test(arguments: [
    ("{\n  a: 1,\n  b; 2\n}", 3, 4), ("[1,\r\n 2 3]", 2, 4), ("'é' x", 1, 5), ("/*\u{2028}*/ ?", 2, 4),
    ("{a: tru}", 1, 5),
    ("{a:1,\r\ra:2}", 3, 1), ("", 1, 1),
  ])
  func mistakesAreToldWithLineAndColumn(text: String, line: Int, column: Int) {
    let problem = #expect(throws: ScenarioError.self) { try JSON5Reader.read(text) }
    #expect(problem?.position == SourcePosition(line: line, column: column))
    #expect(problem?.kind == .syntax && problem?.remedy.isEmpty == false)
  }

  @Test func nestingEndsAtSixtyFour() throws {
    _ = try JSON5Reader.read(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
    #expect(throws: ScenarioError.self) {
      try JSON5Reader.read(String(repeating: "[", count: 65) + String(repeating: "]", count: 65))
    }
  }

  /// The text is one object, so that no part of it is complete.
  @Test func everyTruncationIsAnErrorInsideTheText() throws {
    let text = """
      // A scenario that says a little of everything.
      {
        version: 1, 'na\\u0301me': "a \\x41 \\
        b", /* in between */ numbers: [0x1F, +.5, -1e-3, Infinity, NaN, 5.],
        fleets: { phones: { devices: 25, isMoving: true, note: null, tags: ["é", '\u{1F600}', {}], }, },
      }
      """
    _ = try JSON5Reader.read(text)
    let scalars = Array(text.unicodeScalars)
    let end = try #require(scalars.lastIndex(of: "}"))
    let lines = scalars.split(separator: "\n", omittingEmptySubsequences: false).count
    for length in stride(from: 0, through: end, by: 1) {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[..<length])
      let problem = #expect(throws: ScenarioError.self, "cut at \(length)") { try JSON5Reader.read(String(text)) }
      #expect((1...lines).contains(problem?.position.line ?? 0), "cut at \(length)")
    }
  }

  @Test func whatTheStrictReaderTakesMeansTheSame() {
    let corpus = JSON5ReaderTests.accepted.flatMap { [Array($0.0.utf8), Array($0.1.utf8)] }
    let tokens = [
      "{", "}", "[", "]", ",", ":", "'", "\"", "\\", "//", "/*", "*/", "0x", "Infinity", "\\u", "\u{2028}", "\r\n",
    ]
    let mutator = Mutator(corpus: corpus, tokens: tokens.map { Array($0.utf8) })
    var agreed = 0
    for seed in UInt64(0)..<6_000 {
      var generator = SeededGenerator(seed: seed)
      let bytes = mutator.next(using: &generator)
      guard let text = String(validating: bytes, as: UTF8.self) else { continue }
      var strict: JSONValue?
      do throws(JSONError) { strict = try JSONValue(parsing: bytes.span) } catch { strict = nil }
      var relaxed: JSONValue?
      do throws(ScenarioError) { relaxed = try JSON5Reader.read(text).json } catch { relaxed = nil }
      if let strict {
        #expect(relaxed == strict, "seed \(seed): \(text)")
        agreed += 1
      }
    }
    #expect(agreed > 300)
  }
}
