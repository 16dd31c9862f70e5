import JSON
import Testing

@testable import Telemetry

/// Bytes on the wire, against vectors worked out by hand from the documents of their formats.
@Suite struct WireFormatTests {
  /// The examples of https://protobuf.dev/programming-guides/encoding/, and what follows from its tables.
  @Test func protobufIsAsItsDocumentSays() {
    var writer = ProtobufWriter()
    writer.integer(MessageField(1, "a"), 150, isOptional: false)
    #expect(writer.finish() == [0x08, 0x96, 0x01])
    writer.text(MessageField(2, "b"), "testing")
    #expect(writer.finish() == [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67])
    writer.message(MessageField(3, "c")) { $0.integer(MessageField(1, "a"), 150, isOptional: false) }
    #expect(writer.finish() == [0x1A, 0x03, 0x08, 0x96, 0x01])
    writer.counts(MessageField(6, "f"), [3, 270, 86_942])
    #expect(writer.finish() == [0x32, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05])
    writer.integer(MessageField(1, "a"), -2, isOptional: false)
    #expect(writer.finish() == [0x08, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01])
    for (value, coded) in [(Int32(-1), UInt8(1)), (1, 2), (-2, 3)] {
      writer.zigzag(MessageField(1, "a"), value)
      #expect(writer.finish() == [0x08, coded])
    }
    writer.zigzag(MessageField(1, "a"), .min)
    #expect(writer.finish() == [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
    writer.zigzag(MessageField(1, "a"), .max)
    #expect(writer.finish() == [0x08, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F])
    writer.fixed(MessageField(16, "p"), 0x0102_0304_0506_0708)
    #expect(writer.finish() == [0x81, 0x01, 8, 7, 6, 5, 4, 3, 2, 1])
    writer.double(MessageField(1, "a"), 1)
    #expect(writer.finish() == [0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F])
    writer.identity(MessageField(1, "a"), [0x0102_0304_0506_0708])
    #expect(writer.finish() == [0x0A, 8, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func whatAReaderAssumesIsLeftOutUnlessItIsToBeTold() {
    var writer = ProtobufWriter()
    writer.integer(MessageField(1, "a"), 0, isOptional: false)
    writer.text(MessageField(2, "b"), "")
    writer.fixed(MessageField(3, "c"), 0)
    writer.double(MessageField(4, "d"), 0)
    writer.zigzag(MessageField(5, "e"), 0)
    writer.counts(MessageField(6, "f"), [])
    writer.flag(MessageField(7, "g"), false)
    #expect(writer.finish() == [])
    writer.double(MessageField(4, "d"), 0, isOptional: true)
    writer.signedFixed(MessageField(6, "f"), 0, isOptional: true)
    #expect(writer.finish() == [0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0x31, 0, 0, 0, 0, 0, 0, 0, 0])
    writer.double(MessageField(4, "d"), -0.0)
    #expect(writer.finish() == [0x21, 0, 0, 0, 0, 0, 0, 0, 0x80])
  }

  @Test(arguments: [0, 1, 126, 127, 128, 129, 16_383, 16_384, 70_000])
  func messagesOfEveryLengthAreReadBack(_ length: Int) {
    let text = String(repeating: "x", count: length)
    var writer = ProtobufWriter()
    writer.message(MessageField(1, "a")) { writer in
      writer.message(MessageField(2, "b")) { $0.text(MessageField(3, "c"), text, isOptional: true) }
    }
    var outer = ProtobufReader(writer.finish()[...])
    guard case .delimited(1, let middle)? = outer.next() else { return #expect(Bool(false)) }
    var inner = ProtobufReader(middle)
    guard case .delimited(2, let content)? = inner.next() else { return #expect(Bool(false)) }
    var innermost = ProtobufReader(content)
    #expect(innermost.next() == .delimited(3, Array(text.utf8)[...]))
    #expect(innermost.next() == nil && inner.next() == nil && outer.next() == nil)
  }

  /// What a receiver answers is not trusted.
  @Test func aMessageFromOutsideMayEndAnywhere() {
    let whole: [UInt8] = [
      0x08, 0x96, 0x01, 0x12, 0x03, 1, 2, 3, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4, 0x2A, 0x00,
    ]
    var ends: [Int] = []
    for length in 0...whole.count {
      var reader = ProtobufReader(whole[..<length])
      var count = 0
      while reader.next() != nil { count += 1 }
      ends.append(count)
    }
    #expect(ends == ends.sorted() && ends.last == 5)
    for wrong: [UInt8] in [
      [0x00], [0x0B], [0x0C], [0x0F], [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
    ] {
      var reader = ProtobufReader(wrong[...])
      #expect(reader.next() == nil)
    }
    var endless = ProtobufReader([UInt8](repeating: 0xFF, count: 64)[...])
    #expect(endless.next() == nil)
  }

  @Test func inJSONLongIntegersAreTextsAndIdentitiesAreDigits() throws {
    var writer = MessageJSONWriter()
    writer.fixed(MessageField(1, "time"), 1_772_445_600_000_000_000)
    writer.signedFixed(MessageField(2, "asInt"), 0, isOptional: true)
    writer.identity(MessageField(3, "spanId"), [0xAB])
    writer.small(MessageField(4, "kind"), 3)
    writer.counts(MessageField(5, "counts"), [1, 0])
    writer.messages(MessageField(6, "parts"), ["x", ""]) { $1.text(MessageField(1, "key"), $0) }
    writer.double(MessageField(7, "sum"), 0.5)
    #expect(
      String(decoding: writer.finish(), as: UTF8.self)
        == #"{"time":"1772445600000000000","asInt":"0","spanId":"00000000000000ab","kind":3,"counts":["1","0"],"#
        + #""parts":[{"key":"x"},{}],"sum":0.5}"#)
    #expect(writer.finish() == Array("{}".utf8))
  }
}

/// Packed blocks, unpacked by a reader written from the description of the format.
@Suite struct SnappyTests {
  private func unpack(_ block: [UInt8]) -> [UInt8]? {
    var (length, shift, position) = (0, 0, 0)
    while position < block.count {
      length |= Int(block[position] & 0x7F) << shift
      shift += 7
      position += 1
      if block[position - 1] < 0x80 { break }
    }
    var content: [UInt8] = []
    while position < block.count {
      let tag = Int(block[position])
      position += 1
      switch tag & 3 {
      case 0:
        var count = tag >> 2 + 1
        if count > 60 {
          let bytes = count - 60
          guard position + bytes <= block.count else { return nil }
          count = (0..<bytes).reduce(1) { $0 + Int(block[position + $1]) << (8 * $1) }
          position += bytes
        }
        guard position + count <= block.count else { return nil }
        content += block[position..<position + count]
        position += count
      case 2:
        guard position + 2 <= block.count else { return nil }
        let offset = Int(block[position]) | Int(block[position + 1]) << 8
        guard offset > 0, offset <= content.count else { return nil }
        for _ in 0...tag >> 2 { content.append(content[content.count - offset]) }
        position += 2
      default: return nil
      }
    }
    return content.count == length ? content : nil
  }

  @Test func hereIsABlockByHand() {
    #expect(SnappyBlock.pack([]) == [0])
    #expect(SnappyBlock.pack(Array("abc".utf8)) == [3, 2 << 2] + Array("abc".utf8))
    // Four letters, and a copy of eight from four before.
    #expect(SnappyBlock.pack(Array("wikiwikiwiki".utf8)) == [12, 3 << 2] + Array("wiki".utf8) + [7 << 2 | 2, 4, 0])
  }

  @Test(arguments: 0..<64)
  func everyContentComesBack(_ seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let alphabet = 1 + next(256)
    var content: [UInt8] = []
    let length = [0, 1, 3, 4, 59, 60, 61, 255, 256, 257, 65_535, 65_536, 65_537, 200_000][next(14)]
    while content.count < length {
      if content.count > 8, next(3) > 0 {
        let start = next(content.count)
        content += content[start..<min(content.count, start + next(300))]
      } else {
        content += (0..<1 + next(100)).map { _ in UInt8(next(alphabet)) }
      }
    }
    content.removeLast(content.count - length)
    let block = SnappyBlock.pack(content)
    #expect(unpack(block) == content)
    #expect(block.count <= 32 + content.count + content.count / 6)
  }
}
