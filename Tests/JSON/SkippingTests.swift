import JSON
import Support
import Testing

@Suite struct SkippingTests {
  /// Each is broken at its end only, so that whoever stops looking misses it.
  static let broken =
    [
      "tru", "nul1", "01", "1.", "-", "1e", "1e999", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "\"\u{1}\"", "[1,]",
      "[1 2]",
      "{\"a\":}", "{\"a\",1}", "{1:1}", "{\"a\":1,}", "{\"\\x\":1}", "[}", "{]", "\"\\u12g4\"", "[[[\"\n\"]]]",
      "-.5", "00", "-01.5", "1.e5", "1" + String(repeating: "0", count: 309),
    ].map { Array($0.utf8) } + [[0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xFF, 0x22]]

  @Test(arguments: broken) func whatIsSkippedIsCheckedAtEveryDepth(value: [UInt8]) {
    for (front, back) in [("", ""), ("[", "]"), ("{\"a\":", "}"), ("[{},[[", "]]]"), ("{\"a\":[1,{\"b\":", "}]}")] {
      let text = Array(front.utf8) + value + Array(back.utf8)
      let error = refusalWhenSkipped(text)
      #expect(error != nil)
      #expect(error == refusal(text))
    }
  }

  @Test(arguments: ["{ \"a\" : [ 1 , 2 ] }", "[ ]", "\" \"", "-1.50e+3", "true", "null"])
  func theSliceIsTheValueWithoutWhiteSpaceAround(value: String) throws {
    let bytes = Array(" \n[ 0 ,\t\(value)\r\n, 1 ]".utf8)
    var reader = JSONReader(bytes.span)
    try reader.enterArray()
    _ = try reader.nextElement()
    _ = try reader.skipValue()
    _ = try reader.nextElement()
    let range = try reader.skipValue()
    #expect(String(decoding: bytes[range], as: UTF8.self) == value)
    var copy: [UInt8] = [7]
    reader.append(rawValue: range, to: &copy)
    #expect(copy == [7] + Array(value.utf8))
    _ = try reader.nextElement()
    _ = try reader.skipValue()
    let hasMore = try reader.nextElement()
    #expect(!hasMore)
    try reader.finish()
  }

  /// A slice that was stored as it came reads like the value in its place.
  @Test func aSliceReadsLikeTheValueInItsPlace() throws {
    let bytes = Array(#"{"records":[{"uuid":"\u0041","n":1.50},{"uuid":"B","n":-0}]}"#.utf8)
    var reader = JSONReader(bytes.span)
    try reader.enterObject()
    _ = try reader.nextKey()
    try reader.enterArray()
    while try reader.nextElement() {
      var ahead = reader
      var events: [JSONEvent] = []
      try JSONEvent.pull(&ahead, into: &events)
      let range = try reader.skipValue()
      #expect(try JSONEvent.all(bytes.span.extracting(range)) == events)
    }
  }
}
