import Base
import Contract
import DeviceLog
import Support
import Testing
import Vocabulary

/// Logs come cut and mixed up: the reader takes what is whole and stays alive.
struct GarbledLogTests {
  private static func sample(_ platform: DevicePlatform) -> [UInt8] {
    let start = WallInstant(millisecondsSince1970: 1_785_249_226_653)
    let log = LogText(platform: platform)
    var bytes: [UInt8] = []
    log.appendBanner(Configuration(platform: platform), at: start, to: &bytes)
    for entry in EveryLogEntry.all(at: start) { log.append(entry, at: start, to: &bytes) }
    return bytes
  }

  @Test(arguments: DevicePlatform.allCases) func aLogMayEndAnywhere(platform: DevicePlatform) throws {
    let bytes = Self.sample(platform)
    let whole = try #require(LogReader(String(decoding: bytes, as: UTF8.self))).facts
    for length in stride(from: 0, to: bytes.count, by: 97) {
      let facts = LogReader(String(decoding: bytes[..<length], as: UTF8.self))?.facts ?? []
      // The last entry may be half there; the ones before it are what they were.
      let agreed = zip(facts, whole).prefix { $0.0 == $0.1 }.count
      #expect(agreed >= facts.count - 2, "cut at \(length)")
    }
  }

  @Test(arguments: DevicePlatform.allCases) func aGarbledLogIsReadWithoutAnEnd(platform: DevicePlatform) {
    let bytes = Self.sample(platform)
    var generator = SeededGenerator(seed: 20_261_121)
    for _ in 0..<40 {
      var garbled = bytes
      for _ in 0..<50 {
        garbled[Int.random(in: 0..<garbled.count, using: &generator)] = UInt8.random(
          in: .min ... .max, using: &generator)
      }
      let reader = LogReader(String(decoding: garbled, as: UTF8.self))
      #expect((reader?.facts.count ?? 0) <= bytes.count)
    }
  }

  @Test func whatIsNoLogIsRefused() {
    #expect(LogReader("") == nil)
    #expect(LogReader("a poem\nin two lines\n") == nil)
  }
}
