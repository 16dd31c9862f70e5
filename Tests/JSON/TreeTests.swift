import JSON
import Testing

@Suite struct TreeTests {
  private func parse(_ text: String, _ reading: JSONValue.Reading = .strict) throws(JSONError) -> JSONValue {
    try JSONValue(parsing: Array(text.utf8).span, reading: reading)
  }

  private func refusal(_ text: String) -> JSONError? {
    do throws(JSONError) {
      _ = try parse(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func everyKindIsKept() throws {
    let value = try parse(#"{"n":null,"t":true,"i":-7,"d":1.5,"s":"\u0041","a":[1,[]],"o":{}}"#)
    #expect(
      value
        == .object([
          "n": .null, "t": .bool(true), "i": .integer(-7), "d": .double(1.5), "s": .string("A"),
          "a": .array([.integer(1), .array([])]), "o": .object([:]),
        ]))
    #expect(written { value.write(to: &$0) } == #"{"n":null,"t":true,"i":-7,"d":1.5,"s":"A","a":[1,[]],"o":{}}"#)
  }

  @Test func aDuplicateKeyIsRefusedUnlessTheLastWins() throws {
    let text = #"{"a":1,"b":2,"\u0061":3}"#
    #expect(refusal(text) == JSONError(.duplicateKey, at: 13))
    #expect(refusal("[{\"x\":{\"a\":1,\"a\":1}}]") == JSONError(.duplicateKey, at: 13))
    #expect(try parse(text, .lenient) == .object(["a": .integer(3), "b": .integer(2)]))
  }

  @Test func keysThatOnlyLookAlikeAreDifferent() throws {
    let value = try parse(#"{"\u00e9":1,"e\u0301":2}"#)
    #expect(value["\u{E9}"] == .integer(1) && value["e\u{301}"] == .integer(2))
  }

  /// Comparing every key with every other would take minutes here.
  @Test(.timeLimit(.minutes(10))) func veryManyKeysAreReadInTheirTime() throws {
    let count = 50_000
    let text = "{" + (0..<count).map { "\"key number \($0)\":0" }.joined(separator: ",") + "}"
    guard case .object(let object) = try parse(text) else {
      Issue.record("no object")
      return
    }
    #expect(object.members.count == count)
  }

  @Test func anIntegerIsRoundedWhereTheReadingIsLenient() throws {
    #expect(try parse("9223372036854775807") == .integer(.max))
    #expect(try parse("-9223372036854775808") == .integer(.min))
    #expect(refusal("[9223372036854775808]") == JSONError(.integerOutOfRange, at: 1))
    #expect(try parse("[9223372036854775808]", .lenient) == .array([.double(9_223_372_036_854_775_808)]))
    #expect(try parse("9223372036854775807", .lenient) == .integer(.max))
    #expect(try parse("1e30") == .double(1e30))
    let negativeZero = try parse("-0")
    #expect(written { negativeZero.write(to: &$0) } == "-0")
  }

  @Test func membersAreFoundByKey() throws {
    let value = try parse(#"{"a":{"b":1}}"#)
    #expect(value["a"]?["b"] == .integer(1))
    #expect(value["b"] == nil && value["a"]?["b"]?["c"] == nil)
  }

  @Test func anObjectKeepsTheOrderOfItsMembers() {
    var object: JSONObject = ["b": .null, "a": .bool(true)]
    object["c"] = .integer(1)
    object["b"] = .integer(2)
    object["a"] = nil
    object["missing"] = nil
    #expect(object.members.map(\.key) == ["b", "c"])
    #expect(object["b"] == .integer(2))
  }

  @Test func theDeepestTreeIsReadAndWritten() throws {
    let text = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    let value = try JSONValue(parsing: Array(text.utf8).span, limits: JSONLimits(maxDepth: 64))
    #expect(written { value.write(to: &$0) } == text)
  }

  @Test func aTreeIsReadOutOfTheMiddleOfAText() throws {
    let bytes = Array(#"["setConfig",{"debug":true}]"#.utf8)
    var reader = JSONReader(bytes.span)
    try reader.enterArray()
    _ = try reader.nextElement()
    #expect(try JSONValue(from: &reader) == .string("setConfig"))
    _ = try reader.nextElement()
    #expect(try JSONValue(from: &reader) == .object(["debug": .bool(true)]))
    let hasMore = try reader.nextElement()
    #expect(!hasMore)
    try reader.finish()
  }
}
