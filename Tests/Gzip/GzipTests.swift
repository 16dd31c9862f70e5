import Gzip
import Support
import Testing

/// Files that gzip wrote, of one text in the three kinds of blocks, made with `gzip -n` and Python's zlib.
struct GzipTests {
  private static let text = String(repeating: "a phone drives through a tunnel and out again\n", count: 40)
  private static let dynamic: [UInt8] = bytes(
    "1f8b0800000000000003edcac109c0300c03c07fa7d06a82983850ec92da99bf8354f73ee2f10cc3d8ebd88bf29d3d1d"
      + "447584dd600c641738b9e2a2b6b6b6b6b6f62ff70701c7425a30070000")
  private static let fixed: [UInt8] = bytes(
    "1f8b08000000000000034b5428c8c8cf4bd5514844630000ce21ee9c19000000")

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var digits = hexadecimal.utf8.makeIterator()
    while let high = digits.next(), let low = digits.next() {
      let pair = String(decoding: [high, low], as: UTF8.self)
      bytes.append(UInt8(pair, radix: 16) ?? 0)
    }
    return bytes
  }

  @Test(arguments: [fixed, dynamic]) func whatGzipWroteIsRead(file: [UInt8]) throws {
    #expect(GzipFile.isPacked(file))
    let content = try GzipFile.unpack(file, limit: 1 << 20)
    #expect(content == Array(Self.text.utf8) || content == Array(Self.letters.utf8))
  }

  /// Short enough for the fixed code.
  private static let letters = "a phone, a phone, a phone"

  @Test func whatIsPackedIsReadBack() throws {
    for count in [0, 1, 65_535, 65_536, 200_000] {
      let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }
      #expect(try GzipFile.unpack(GzipFile.pack(content), limit: 1 << 20) == content)
    }
  }

  @Test func membersFollowEachOther() throws {
    let content = try GzipFile.unpack(Self.fixed + GzipFile.pack([1, 2, 3]), limit: 1_000)
    #expect(content == Array(Self.letters.utf8) + [1, 2, 3])
  }

  @Test func namesCommentsAndExtraFieldsArePassedOver() throws {
    let file = Self.bytes("1f8b081e000000000003020007076e616d6500636f6d6d656e7400f580ab00008316dc8c01000000")
    #expect(try GzipFile.unpack(file, limit: 10) == Array("x".utf8))
  }

  @Test func aFileMayNotEndAnywhereElse() {
    for length in 0..<Self.dynamic.count {
      #expect(throws: GzipError.self, "cut at \(length)") {
        _ = try GzipFile.unpack(Array(Self.dynamic[..<length]), limit: 1 << 20)
      }
    }
  }

  @Test func oneWrongBitIsFound() {
    let content = Array(Self.text.utf8)
    for bit in 80..<Self.dynamic.count * 8 {
      var file = Self.dynamic
      file[bit / 8] ^= 1 << UInt8(bit % 8)
      do throws(GzipError) {
        #expect(try GzipFile.unpack(file, limit: 1 << 20) == content, "bit \(bit)")
      } catch {}
    }
  }

  @Test func aSmallFileMayNotHoldMoreThanTheLimit() {
    #expect(throws: GzipError.tooLarge(limit: 100)) { _ = try GzipFile.unpack(Self.dynamic, limit: 100) }
  }

  @Test func noiseIsReadWithoutATrap() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let noise = (0..<200).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      do throws(GzipError) {
        #expect(try GzipFile.unpack(Array(Self.fixed[..<10]) + noise, limit: 1 << 16).count <= 1 << 16)
      } catch {}
    }
  }

  @Test func theLimitItselfIsNotTooMuch() throws {
    let content = Array(Self.text.utf8)
    #expect(try GzipFile.unpack(Self.dynamic, limit: content.count) == content)
    #expect(throws: GzipError.tooLarge(limit: content.count - 1)) {
      _ = try GzipFile.unpack(Self.dynamic, limit: content.count - 1)
    }
  }

  @Test func theLimitIsThatOfAllMembersTogether() {
    #expect(throws: GzipError.tooLarge(limit: 30)) { _ = try GzipFile.unpack(Self.fixed + Self.fixed, limit: 30) }
  }

  @Test func whatFollowsTheLastMemberIsDamage() {
    #expect(throws: GzipError.damaged) { _ = try GzipFile.unpack(Self.fixed + [0, 0, 0, 0], limit: 1_000) }
  }

  @Test func anotherContentThanThatOfTheChecksumIsFound() {
    var file = Self.fixed
    file[file.count - 8] ^= 1
    #expect(throws: GzipError.checksum) { _ = try GzipFile.unpack(file, limit: 1_000) }
    file = Self.fixed
    file[file.count - 4] ^= 1
    #expect(throws: GzipError.checksum) { _ = try GzipFile.unpack(file, limit: 1_000) }
  }

  /// CRC-32 of "123456789" is the check value of RFC 1952's polynomial: 0xCBF43926.
  @Test func aPackedFileHasTheFormOfGzip() {
    let file = GzipFile.pack(Array("123456789".utf8))
    #expect(file.prefix(10) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
    #expect(Array(file.suffix(8)) == [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0])
  }

  /// RFC 9110 §8.4.1.3: x-gzip is gzip; names of codings are equal in either case.
  @Test func aBodyIsReadByItsCoding() throws {
    for name in ["gzip", "x-gzip", "GZip"] {
      #expect(try ContentCoding(name).content(of: Self.fixed, limit: 25) == Array(Self.letters.utf8), "\(name)")
      #expect(try ContentCoding(name).content(of: [], limit: 24) == [], "an answer with 204 has no file")
      #expect(throws: GzipError.self) { _ = try ContentCoding(name).content(of: Self.fixed, limit: 24) }
    }
    for name in [nil, "identity"] { #expect(try ContentCoding(name).content(of: Self.fixed, limit: 0) == Self.fixed) }
    for name in ["br", "gzip, gzip"] { #expect(try ContentCoding(name).content(of: Self.fixed, limit: 24) == nil) }
  }

  @Test func textBecomesSmall() {
    let content = Array(Self.text.utf8)
    #expect(GzipFile.pack(content).count * 10 < content.count)
  }
}
