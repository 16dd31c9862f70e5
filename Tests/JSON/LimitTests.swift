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

  @Test func skippingCountsTheDepthFromTheTop() throws {
    let bytes = Array("[[[1]]]".utf8)
    var reader = JSONReader(bytes.span, limits: JSONLimits(maxDepth: 2))
    try reader.enterArray()
    let hasElement = try reader.nextElement()
    #expect(hasElement)
    do throws(JSONError) {
      _ = try reader.skipValue()
      Issue.record("three deep was accepted")
    } catch {
      #expect(error == JSONError(.tooDeep, at: 2))
    }
  }

  @Test func aMillionOpenBracketsAreRefusedAtTheLimit() {
    let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(refusal(bytes) == JSONError(.tooDeep, at: 32))
    #expect(refusalWhenSkipped(bytes) == JSONError(.tooDeep, at: 32))
  }

  @Test func textIsAllowedUpToItsLength() {
    let limits = JSONLimits(maxTextBytes: 4)
    #expect(refusal("[\"abcd\",{\"abcd\":1}]", limits: limits) == nil)
    #expect(refusal("[\"abcde\"]", limits: limits) == JSONError(.textTooLong, at: 1))
    #expect(refusal("{\"abcde\":1}", limits: limits) == JSONError(.textTooLong, at: 1))
    #expect(refusal("\"\\u0061\"", limits: limits) == JSONError(.textTooLong, at: 0))
  }
}
