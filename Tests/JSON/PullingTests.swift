import JSON
import Support
import Testing

@Suite struct PullingTests {
  @Test func keysComeInOrderAndTwiceWhenTheyAreThereTwice() throws {
    let bytes = Array(#"{"b":1,"a":2,"b":3,"\u0062":4,"":5}"#.utf8)
    var reader = JSONReader(bytes.span)
    var members: [String] = []
    try reader.enterObject()
    while let key = try reader.nextKey() {
      let name = reader.string(key)
      let number = try reader.readNumber()
      members.append("\(name)=\(reader.int64(number) ?? -1)")
    }
    try reader.finish()
    #expect(members == ["b=1", "a=2", "b=3", "b=4", "=5"])
  }

  @Test func aCopyLooksAheadWithoutMovingTheReader() throws {
    let bytes = Array(#"{"a":{"b":[1,2]},"c":3}"#.utf8)
    var reader = JSONReader(bytes.span)
    try reader.enterObject()
    _ = try reader.nextKey()
    var ahead = reader
    try ahead.enterObject()
    _ = try ahead.nextKey()
    #expect(try ahead.skipValue() == 10..<15)
    #expect(try reader.skipValue() == 5..<16)
    let key = try reader.nextKey()
    #expect(key.map { reader.string($0) } == "c")
  }

  @Test func theKindIsToldBeforeAnythingIsRead() throws {
    let bytes = Array(#" [ {} , [] , "" , -1 , 0 , true , false , null ] "#.utf8)
    var reader = JSONReader(bytes.span)
    var kinds: [JSONKind] = [try reader.peek()]
    try reader.enterArray()
    while try reader.nextElement() {
      let kind = try reader.peek()
      #expect(try reader.peek() == kind)
      kinds.append(kind)
      _ = try reader.skipValue()
    }
    #expect(kinds == [.array, .object, .array, .string, .number, .number, .true, .false, .null])
  }

  @Test func aValueOfAnotherKindIsRefusedWhereItStarts() {
    let readings: [(name: String, accepts: [String], read: (inout JSONReader) throws(JSONError) -> Void)] = [
      ("object", ["{}"], { reader throws(JSONError) in try reader.enterObject() }),
      ("array", ["[]"], { reader throws(JSONError) in try reader.enterArray() }),
      ("text", ["\"\""], { reader throws(JSONError) in _ = try reader.readText() }),
      ("number", ["1"], { reader throws(JSONError) in _ = try reader.readNumber() }),
      ("bool", ["true", "false"], { reader throws(JSONError) in _ = try reader.readBool() }),
      ("null", ["null"], { reader throws(JSONError) in try reader.readNull() }),
    ]
    for (name, accepts, read) in readings {
      for value in ["{}", "[]", "\"\"", "1", "true", "false", "null"] {
        let bytes = Array(" \(value)".utf8)
        var reader = JSONReader(bytes.span)
        var found: JSONError?
        do throws(JSONError) { try read(&reader) } catch { found = error }
        let expected = accepts.contains(value) ? nil : JSONError(.wrongKind, at: 1)
        #expect(found == expected, "\(name) of \(value)")
      }
    }
  }

  @Test func truthIsRead() throws {
    let bytes = Array("[true,false]".utf8)
    var reader = JSONReader(bytes.span)
    try reader.enterArray()
    var flags: [Bool] = []
    while try reader.nextElement() { flags.append(try reader.readBool()) }
    #expect(flags == [true, false])
  }

  @Test func callsOutOfOrderTrap() async {
    await #expect(processExitsWith: .failure) {
      let bytes = Array("{\"a\":1}".utf8)
      var reader = JSONReader(bytes.span)
      try reader.enterObject()
      _ = try reader.readNumber()
    }
    await #expect(processExitsWith: .failure) {
      let bytes = Array("{\"a\":1}".utf8)
      var reader = JSONReader(bytes.span)
      try reader.enterObject()
      _ = try reader.nextKey()
      _ = try reader.nextKey()
    }
    await #expect(processExitsWith: .failure) {
      let bytes = Array("[1]".utf8)
      var reader = JSONReader(bytes.span)
      try reader.enterArray()
      _ = try reader.nextKey()
    }
    await #expect(processExitsWith: .failure) {
      let bytes = Array("[1]".utf8)
      var reader = JSONReader(bytes.span)
      try reader.enterArray()
      try reader.finish()
    }
  }
}
