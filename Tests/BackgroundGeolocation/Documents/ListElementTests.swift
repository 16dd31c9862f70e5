import Contract
import JSON
import Testing

@testable import BackgroundGeolocation

/// What the API returns as `[Any]`.
@Suite struct ListElementTests {
  /// A list shows its values, not what they are wrapped in; null is nil.
  @Test func elementsAreTheirValues() throws {
    let list = try #require(JSONValue(parsing: Array(#"[1,null,"a",[true]]"#.utf8).span).any as? [Any])
    #expect("\(list)" == #"[1, nil, "a", [true]]"#)
    #expect(type(of: list[0]) == Int.self && type(of: list[3]) == [Any].self)
    #expect(JSONValue(any: list)?.serializedText == #"[1,null,"a",[true]]"#)
  }
}
