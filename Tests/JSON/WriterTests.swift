import JSON
import Support
import Testing

@Suite struct WriterTests {
  @Test func commasAndColonsStandWhereTheyBelong() {
    let text = written { writer in
      writer.beginObject()
      writer.key("a")
      writer.value(1 as Int64)
      writer.key("empty" as String)
      writer.beginObject()
      writer.endObject()
      writer.key("list")
      writer.beginArray()
      writer.value(true)
      writer.value(false)
      writer.null()
      writer.beginArray()
      writer.endArray()
      writer.value("x")
      writer.raw(Array("{\"raw\":0}".utf8))
      writer.endArray()
      writer.key("last")
      writer.value(0.5)
      writer.endObject()
    }
    #expect(text == #"{"a":1,"empty":{},"list":[true,false,null,[],"x",{"raw":0}],"last":0.5}"#)
  }

  @Test func textsAtTheTopAreSeparatedByALineFeed() {
    let text = written { writer in
      writer.beginObject()
      writer.endObject()
      writer.value("b")
      writer.raw(Array("[1]".utf8).span)
    }
    #expect(text == "{}\n\"b\"\n[1]")
  }

  @Test func onlyWhatMustBeEscapedIs() throws {
    for code in UInt8(0)...0x7F {
      let text = written { $0.value(String(Unicode.Scalar(code))) }
      let mustBeEscaped = code < 0x20 || code == 0x22 || code == 0x5C
      #expect((text.utf8.count > 3) == mustBeEscaped)
      #expect(try content(text) == String(Unicode.Scalar(code)))
    }
    #expect(written { $0.value("\"\\\u{8}\u{C}\n\r\t/\u{0}\u{1F}") } == #""\"\\\b\f\n\r\t/\u0000\u001f""#)
    #expect(written { $0.value("größe \u{2028}🚗") } == "\"größe \u{2028}🚗\"")
  }

  @Test func everyEscapeIsFoundAtEveryPlace() throws {
    for before in 0...20 {
      for after in 0...20 {
        for middle in ["\"", "\\", "\n", "\u{0}", "\u{1F}", "\"\"", "é\n", "🚗\\"] {
          let text = String(repeating: "~", count: before) + middle + String(repeating: " ", count: after)
          let string = written { $0.value(text) }
          #expect(try content(string) == text)
          let object = written { writer in
            writer.beginObject()
            writer.key(text)
            writer.null()
            writer.endObject()
          }
          #expect(object == "{\(string):null}")
        }
      }
    }
  }

  @Test func allFormsOfTextAreWrittenAlike() throws {
    let bytes = Array("größe \"x\" 🚗".utf8)
    let fromString = written { $0.value("größe \"x\" 🚗") }
    let text = try UTF8Span(validating: bytes.span)
    #expect(written { $0.value(text) } == fromString)
    let fromStatic = written { writer in
      writer.beginObject()
      writer.key("größe \"x\" 🚗")
      writer.null()
      writer.endObject()
    }
    #expect(fromStatic == "{\(fromString):null}")
  }

  @Test func startingAnewKeepsTheBufferAndForgetsTheRest() {
    var writer = JSONWriter(capacity: 100)
    writer.beginArray()
    writer.value("x")
    let capacity = writer.bytes.capacity
    writer.removeAll(keepingCapacity: true)
    #expect(writer.bytes.isEmpty && writer.bytes.capacity == capacity)
    writer.value(7 as Int)
    #expect(writer.bytes == [UInt8(ascii: "7")])
  }

  @Test func callsOutOfOrderTrap() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginObject()
      writer.value(1 as Int)
    }
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginArray()
      writer.key("a")
    }
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginObject()
      writer.endArray()
    }
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginObject()
      writer.key("a")
      writer.endObject()
    }
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      for _ in 0...64 { writer.beginArray() }
    }
  }
}
