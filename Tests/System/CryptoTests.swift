import COpenSSL
import Testing

@Suite struct CryptoTests {
  private func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func hmac(key: [UInt8], _ bytes: [UInt8]) -> String {
    var out = [UInt8](repeating: 0, count: Int(rr_sha256_length))
    let isFilled = unsafe rr_hmac_sha256(key, key.count, bytes, bytes.count, &out)
    #expect(isFilled == 1)
    return hex(out)
  }

  private func sha256(_ bytes: [UInt8]) -> String {
    var out = [UInt8](repeating: 0, count: Int(rr_sha256_length))
    let isFilled = unsafe rr_sha256(bytes, bytes.count, &out)
    #expect(isFilled == 1)
    return hex(out)
  }

  /// RFC 4231 §4.2 to §4.8; of the truncated case 5 the first 128 bits.
  @Test func hmacGivesTheValuesOfRFC4231() {
    let long = [UInt8](repeating: 0xAA, count: 131)
    #expect(
      hmac(key: [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      hmac(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hmac(key: [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50))
        == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    #expect(
      hmac(key: Array(1...25), [UInt8](repeating: 0xCD, count: 50))
        == "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
    #expect(
      hmac(key: [UInt8](repeating: 0x0C, count: 20), Array("Test With Truncation".utf8))
        .hasPrefix("a3b6167473100ee06e0c796c2955552b"))
    #expect(
      hmac(key: long, Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    #expect(
      hmac(
        key: long,
        Array(
          ("This is a test using a larger than block-size key and a larger than block-size data. "
            + "The key needs to be hashed before being used by the HMAC algorithm.").utf8))
        == "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")
  }

  @Test func hmacTakesAnEmptyKeyAndAnEmptyMessage() {
    #expect(hmac(key: [], []) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  /// FIPS 180-4, the examples of NIST.
  @Test func sha256GivesTheValuesOfNIST() {
    #expect(sha256([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(sha256(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      sha256(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      sha256([UInt8](repeating: 0x61, count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func comparisonFindsADifferenceInEveryBit() {
    let bytes: [UInt8] = Array(0..<32)
    #expect(unsafe rr_equal_constant_time(bytes, bytes, 32) == 1)
    for bit in 0..<256 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(unsafe rr_equal_constant_time(bytes, other, 32) == 0, "bit \(bit)")
    }
    let nothing = unsafe rr_equal_constant_time(bytes, bytes, 0)
    #expect(nothing == 1)
  }

  @Test func randomBytesDifferAndFillTheWholeBuffer() {
    var draws: Set<[UInt8]> = []
    var seen = [UInt8](repeating: 0, count: 32)
    for _ in 0..<64 {
      var out = [UInt8](repeating: 0, count: 32)
      let isFilled = unsafe rr_random_bytes(&out, 32)
      #expect(isFilled == 1)
      draws.insert(out)
      for index in seen.indices { seen[index] |= out[index] }
    }
    #expect(draws.count == 64)
    // A byte that 64 draws left at zero was not written: chance does that once in 2⁵¹².
    #expect(!seen.contains(0))
  }

  /// 2³² as an int is 0: it would succeed and fill nothing.
  @Test func lengthsBeyondAnIntAreRefused() {
    var out = [UInt8](repeating: 0, count: 32)
    let isFilled = unsafe rr_random_bytes(&out, 1 << 32)
    #expect(isFilled == 0)
    let key: [UInt8] = [1]
    let isSigned = unsafe rr_hmac_sha256(key, 1 << 32, key, 1, &out)
    #expect(isSigned == 0)
  }
}
