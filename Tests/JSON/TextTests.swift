import JSON
import Support
import Testing

@Suite struct TextTests {
  @Test func everyShortEscapeSaysItsCharacter() throws {
    #expect(try content(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{8}\u{C}\n\r\t")
    let letters = Array("\"\\/bfnrtu".utf8)
    for byte in UInt8.min ... .max where !letters.contains(byte) {
      let expected = JSONError(.invalidEscape, at: 2)
      #expect(refusal([0x22, 0x5C, byte, 0x22]) == expected, "byte \(byte)")
    }
  }

  @Test func everyCodeUnitAloneSaysItsCharacterOrIsALoneSurrogate() throws {
    for code in UInt16.min ... .max {
      let digits = Array(String(0x10000 + Int(code), radix: 16).utf8.dropFirst())
      let text = [0x22, 0x5C, 0x75] + digits + [0x22]
      let error = refusal(text)
      switch code {
      case 0xD800...0xDBFF: #expect(error == JSONError(.loneSurrogate, at: 7))
      case 0xDC00...0xDFFF: #expect(error == JSONError(.loneSurrogate, at: 4))
      default:
        var reader = JSONReader(text.span)
        let read = reader.string(try reader.readText())
        if read.unicodeScalars.map(\.value) != [UInt32(code)] { Issue.record("U+\(String(code, radix: 16)): \(read)") }
      }
    }
  }

  @Test func everyPairOfSurrogatesAtTheEdgesSaysItsCharacter() throws {
    for (high, low) in [(0xD800, 0xDC00), (0xD800, 0xDFFF), (0xDBFF, 0xDC00), (0xDBFF, 0xDFFF), (0xD83D, 0xDE97)] {
      let expected = String(decoding: [UInt16(high), UInt16(low)], as: UTF16.self)
      let escape = "\\u\(String(high, radix: 16))\\u\(String(low, radix: 16, uppercase: true))"
      #expect(try content("\"a\(escape)b\(escape)\"") == "a\(expected)b\(expected)")
    }
  }

  /// All sixteen combinations of the kinds of a first and a second half, with what may stand in place of a second one.
  @Test func aSurrogateNeedsItsPartner() {
    let cases: [(text: String, code: JSONError.Code, offset: Int)] = [
      (#""\ud800""#, .loneSurrogate, 7), (#""\ud800x""#, .loneSurrogate, 7), (#""\ud800\n""#, .loneSurrogate, 8),
      (#""\ud800\u0041""#, .loneSurrogate, 9), (#""\ud800\ud7ff""#, .loneSurrogate, 10),
      (#""\ud800\ud800""#, .loneSurrogate, 10), (#""\ud800\ud800\udc00""#, .loneSurrogate, 10),
      (#""\ud800\udbff""#, .loneSurrogate, 10), (#""\ud800\ue000""#, .loneSurrogate, 9),
      (#""\udc00""#, .loneSurrogate, 4), (#""\udfff\ud800""#, .loneSurrogate, 4),
      (#""\uDC00\uDC00""#, .loneSurrogate, 4),
      (#""\ud800\udc0""#, .invalidEscape, 12), (#""\ud80""#, .invalidEscape, 6),
      (#""\ud800\udcg0""#, .invalidEscape, 11),
      (#""\ud800"#, .unexpectedEnd, 7), (#""\ud800\"#, .unexpectedEnd, 8), (#""\ud800\ud"#, .unexpectedEnd, 10),
    ]
    for (text, code, offset) in cases {
      let expected = JSONError(code, at: offset)
      #expect(refusal(text) == expected, "\(text)")
    }
  }

  @Test func textIsTheSameHoweverItIsEscaped() throws {
    let bytes = Array(#"["coords","\u0063oords","c\u006f\u006F\u0072ds","\u0063\u006f\u006f\u0072\u0064\u0073"]"#.utf8)
    var reader = JSONReader(bytes.span)
    var plain: [Bool] = []
    try reader.enterArray()
    while try reader.nextElement() {
      let text = try reader.readText()
      plain.append(text.isPlain)
      let says = reader.string(text)
      #expect(says == "coords")
      let isName = reader.equals(text, "coords")
      #expect(isName)
      let isOther = ["coord" as StaticString, "coordsx", "coorda", ""].map { reader.equals(text, $0) }
      #expect(!isOther.contains(true))
      var unescaped: [UInt8] = [1]
      reader.append(text, to: &unescaped)
      #expect(unescaped == [1] + Array("coords".utf8))
    }
    #expect(plain == [true, false, false, false])
  }

  @Test func textOutsideASCIIEqualsItsName() throws {
    let bytes = Array(#"["größe 🚗","gr\u00f6\u00DFe \ud83d\ude97"]"#.utf8)
    var reader = JSONReader(bytes.span)
    try reader.enterArray()
    while try reader.nextElement() {
      let text = try reader.readText()
      let isName = reader.equals(text, "größe 🚗")
      let isOther = reader.equals(text, "größe 🚘")
      #expect(isName && !isOther)
    }
  }

  /// The word-wise scan must see a stop at each place of a word and at each distance from the end.
  @Test func everyStopIsSeenAtEveryPlace() {
    let stops: [(bytes: [UInt8], code: JSONError.Code, into: Int)] = [
      ([0x00], .controlCharacterInText, 0), ([0x1F], .controlCharacterInText, 0), ([0x80], .invalidUTF8, 0),
      ([0xFF], .invalidUTF8, 0), ([0x5C, 0x78], .invalidEscape, 1), ([0xC3, 0x28], .invalidUTF8, 1),
    ]
    for before in 0...20 {
      for after in 0...20 {
        for (bytes, code, into) in stops {
          let front = [UInt8](repeating: 0x7E, count: before)
          let back = [UInt8](repeating: 0x20, count: after)
          let expected = JSONError(code, at: 1 + before + into)
          #expect(refusal([0x22] + front + bytes + back + [0x22]) == expected)
        }
      }
    }
  }
}
