import Testing

@testable import JSON

@Suite struct JSONPathTests {
  private static let document =
    #"{"a":{"b":[1,{"c":2},{"c":3}],"":4,"x y":5,"d.e":6},"list":[[7,8],[9]],"null":null}"#

  @Test(arguments: [
    ("$.a.b[0]", "[1]"), ("a.b[1].c", "[2]"), ("$.a.b[*].c", "[2,3]"), ("$.a.b[-1].c", "[3]"), ("$['a']['x y']", "[5]"),
    ("$.a[\"d.e\"]", "[6]"), ("$.list[*][*]", "[7,8,9]"), ("$.list[0]", "[[7,8]]"), ("$.null", "[null]"),
    ("$.none", "[]"),
    ("$.a.b[9]", "[]"), ("$.a.b[-9]", "[]"), ("$.a[0]", "[]"), ("$.list.x", "[]"), ("$.a.b[1].*", "[2]"),
    ("$['a']['']", "[4]"),
  ])
  func aPathFindsValues(path: String, values: String) throws {
    let document = try JSONValue(parsing: Self.document.utf8.span)
    let found = try #require(JSONPath(path)).values(in: document)
    #expect(found == (try JSONValue(parsing: values.utf8.span)).elements)
  }

  @Test func theRootIsTheWhole() throws {
    #expect(try #require(JSONPath("$")).values(in: .bool(true)) == [.bool(true)])
  }

  @Test(arguments: ["", ".", "$.", "$..a", "$.a.", "$[", "$[a]", "$['a", "$['a'", "$[1", "$a", "$.a[1]b", "$.a[]"])
  func whatIsNoPathIsRefused(text: String) { #expect(JSONPath(text) == nil) }
}

extension JSONValue {
  fileprivate var elements: [JSONValue] { if case .array(let list) = self { list } else { [] } }
}
