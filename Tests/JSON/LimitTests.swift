import JSON
import Testing

@Suite struct LimitTests {
  @Test(arguments: [1, 2, 8, 32, 63, 64]) func depthIsAllowedUpToTheLimit(limit: Int) {
    let limits = JSONLimits(maxDepth: limit)
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
      let deepest = String(repeating: opening, count: limit) + "1" + String(repeating: closing, count: limit)
      #expect(refusal(deepest, limits: limits) == nil)
      let tooDeep = JSONError(.tooDeep, at: limit * opening.utf8.count)
      #expect(refusal(opening + deepest + closing, limits: limits) == tooDeep)
    }
    let wide = "[" + Array(repeating: limit > 1 ? "[]" : "1", count: 200).joined(separator: ",") + "]"
    #expect(refusal(wide, limits: limits) == nil)
  }

  @Test func depthZeroAllowsScalarsOnly() {
    let limits = JSONLimits(maxDepth: 0)
    #expect(refusal("1", limits: limits) == nil)
    #expect(refusal(" []", limits: limits) == JSONError(.tooDeep, at: 1))
  }

  /// Around each full word of brackets, with both kinds in turn, so that one forgotten shows in what closes.
  @Test(arguments: [1, 31, 33, 63, 64, 65, 127, 128, 129, 192, 193, 1_000])
  func whatIsSkippedMayBeNestedDeeper(depth: Int) throws {
    for outer in [0, 1, 2] {
      let front = String(repeating: "[", count: outer)
      let opening = (0..<depth).map { $0 % 3 == 0 ? "{\"a\":" : "[" }.joined()
      let closing = (0..<depth).reversed().map { $0 % 3 == 0 ? "}" : "]" }.joined()
      let bytes = Array("\(front)\(opening)[]\(closing)\(String(repeating: ",1]", count: outer))".utf8)
      var reader = JSONReader(bytes.span, limits: JSONLimits(maxDepth: outer))
      for _ in 0..<outer {
        try reader.enterArray()
        _ = try reader.nextElement()
      }
      #expect(try reader.skipValue() == outer..<bytes.count - 3 * outer)
      for _ in 0..<outer {
        #expect(try reader.nextElement())
        #expect(try reader.skipValue().count == 1)
        #expect(try !reader.nextElement())
      }
      try reader.finish()
    }
  }

  /// Closed by the bracket of the other kind at one level, everything else in order.
  @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 199]) func aWrongBracketIsFoundAtAnyDepth(level: Int) {
    let opening = (0..<200).map { $0.isMultiple(of: 2) ? "{\"a\":" : "[" }.joined()
    let closing = (0..<200).reversed().map { ($0.isMultiple(of: 2)) != ($0 == level) ? "}" : "]" }.joined()
    let offset = opening.utf8.count + 1 + 199 - level
    #expect(refusalWhenSkipped(Array("\(opening)1\(closing)".utf8)) == JSONError(.expectedCommaOrClosing, at: offset))
  }

  @Test func aMillionOpenBracketsAreRefusedWhereTheyAreRead() {
    let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(refusal(bytes) == JSONError(.tooDeep, at: 32))
    #expect(refusalWhenSkipped(bytes) == JSONError(.unexpectedEnd, at: 1_000_000))
  }
}
