import JSON
import Testing

@testable import Contract

struct RenderedObjectTests {
  @Test(arguments: [
    ("{}", "{}"), (" { \n} ", "{}"), (#"{"a":1}"#, #"{"a":1}"#),
    (#" { "a" : [ 1 ] , "b":{} } "#, #"{"a" : [ 1 ] , "b":{}}"#),
  ])
  func itKeepsItsTextWithoutTheSpaceAround(text: String, kept: String) throws {
    let object = try RenderedObject(text)
    #expect(object.text == kept)
    #expect(object.isEmpty == (kept == "{}"))
  }

  @Test(arguments: ["", "[]", "null", "{", #"{"a":}"#, "{}{}", #"{"a":1}x"#])
  func whatIsNoObjectIsRefused(text: String) {
    #expect(throws: JSONError.self) { try RenderedObject(text) }
  }

  /// SDK §5.1: request extras win over configured ones.
  @Test(arguments: [
    ("{}", "{}", "{}"), (#"{"a":1}"#, "{}", #"{"a":1}"#), ("{}", #"{"a":1}"#, #"{"a":1}"#),
    (#"{"a":1,"b":2}"#, #"{"c":3}"#, #"{"a":1,"b":2,"c":3}"#), (#"{"a":1,"b":2}"#, #"{"a":3}"#, #"{"b":2,"a":3}"#),
    (#"{"a":1}"#, #"{"\u0061":3}"#, #"{"\u0061":3}"#), (#"{"a":{"b":1}}"#, #"{"b":2}"#, #"{"a":{"b":1},"b":2}"#),
  ])
  func theObjectLaidOverWins(base: String, over: String, merged: String) throws {
    #expect(try RenderedObject(base).merging(try RenderedObject(over)) == (try RenderedObject(merged)))
  }

  @Test func equalMeansTheSameText() throws {
    #expect(try RenderedObject(#"{"a":1}"#) == (try RenderedObject(#" {"a":1}"#)))
    #expect(try RenderedObject(#"{"a":1}"#) != (try RenderedObject(#"{"a": 1}"#)))
    #expect(try RenderedObject("{}") == .empty)
  }
}
