import Base
import Support
import Testing

@Suite struct UUID128Tests {
  private func parsed(_ text: String) -> UUID128? { UUID128(text: Array(text.utf8).span) }

  private func upperCase(_ uuid: UUID128) -> String {
    var bytes: [UInt8] = []
    uuid.append(upperCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func lowerCase(_ uuid: UUID128) -> String {
    var bytes: [UInt8] = []
    uuid.append(lowerCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    "3F2504E0-4F89-41D3-9A0C-0305E82C3301", "3f2504e04f8941d39a0c0305e82c3301",
    "{3F2504E0-4F89-41D3-9A0C-0305E82C3301}",
    "urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  ])
  func storesSpellThemInTheirWays(text: String) {
    #expect(UUID128(stored: text.utf8.span) == UUID128(high: 0x3F25_04E0_4F89_41D3, low: 0x9A0C_0305_E82C_3301))
  }

  @Test(arguments: ["", "{}", "3f2504e04f8941d39a0c0305e82c330g", "3f2504e04f8941d39a0c0305e82c33", "urn:uuid:"])
  func whatIsNoneIsNone(text: String) { #expect(UUID128(stored: text.utf8.span) == nil) }

  @Test func aTextIsReadInEitherCase() {
    // The example of RFC 9562, appendix A.3.
    let uuid = UUID128(high: 0x919108F7_52D1_4320, low: 0x9BAC_F847DB4148A8)
    #expect(parsed("919108f7-52d1-4320-9bac-f847db4148a8") == uuid)
    #expect(parsed("919108F7-52D1-4320-9BAC-F847DB4148A8") == uuid)
    #expect(parsed("919108f7-52D1-4320-9bAC-F847db4148A8") == uuid)
    #expect(lowerCase(uuid) == "919108f7-52d1-4320-9bac-f847db4148a8")
    #expect(upperCase(uuid) == "919108F7-52D1-4320-9BAC-F847DB4148A8")
  }

  @Test func everyOtherByteAtEveryPlaceIsRefused() {
    let valid = Array("919108f7-52d1-4320-9bac-f847db4148a8".utf8)
    for position in valid.indices {
      for byte in UInt8.min ... .max {
        var changed = valid
        changed[position] = byte
        let isHyphenPlace = [8, 13, 18, 23].contains(position)
        let fits = isHyphenPlace ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit && byte < 128
        #expect((UUID128(text: changed.span) != nil) == fits, "byte \(byte) at \(position)")
      }
    }
  }

  @Test func aTextOfAnotherLengthIsRefusedWithoutReadingBeyondIt() {
    let long = Array("919108f7-52d1-4320-9bac-f847db4148a8a".utf8)
    for length in 0...37 where length != 36 {
      let bytes = GuardedBytes(Array(long.prefix(length)))
      #expect(bytes.withSpan { UUID128(text: $0) } == nil, "length \(length)")
    }
    #expect(GuardedBytes(Array(long.prefix(36))).withSpan { UUID128(text: $0) } != nil)
    #expect(parsed("{19108f7-52d1-4320-9bac-f847db4148a}") == nil)
  }

  @Test func randomValuesSurviveTheirTextAndOrderLikeIt() {
    var generator = SeededGenerator(seed: 36)
    var previous = UUID128(high: 0, low: 0)
    for _ in 0..<5_000 {
      var high = generator.next()
      if generator.chance(0.5) { high = previous.high }
      let uuid = UUID128(high: high, low: generator.next())
      #expect(parsed(lowerCase(uuid)) == uuid)
      #expect(parsed(upperCase(uuid)) == uuid)
      #expect((uuid < previous) == (lowerCase(uuid) < lowerCase(previous)))
      previous = uuid
    }
  }

  @Test func versionFourMarksSixBitsAndKeepsTheOthers() {
    let ones = UUID128(randomHigh: .max, randomLow: .max)
    let zeros = UUID128(randomHigh: 0, randomLow: 0)
    #expect(lowerCase(ones) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(lowerCase(zeros) == "00000000-0000-4000-8000-000000000000")
  }
}
