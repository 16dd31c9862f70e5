import Base
import Contract
import DeviceLog
import Support
import Testing
import Vocabulary

/// Logs come cut and mixed up: the reader takes what is whole and stays alive.
struct GarbledLogTests {
  private static let start = WallInstant(millisecondsSince1970: 1_785_249_226_653)

  /// The settings as a log begins with them.
  private static func banner(_ platform: DevicePlatform) -> [UInt8] {
    var bytes: [UInt8] = []
    LogText(platform: platform).appendBanner(Configuration(platform: platform), at: start, to: &bytes)
    return bytes
  }

  private static func lines(of entries: some Sequence<LogEntry>, _ platform: DevicePlatform) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries { LogText(platform: platform).append(entry, at: start, to: &bytes) }
    return bytes
  }

  private static func facts(of bytes: some Collection<UInt8>) -> [LogFact] {
    LogReader(String(decoding: bytes, as: UTF8.self))?.facts ?? []
  }

  /// Each entry after two others, cut at every fifth of its bytes. A piece of a line belongs to the entry before it, so that only
  /// the first of the two is as ever.
  @Test(arguments: DevicePlatform.allCases) func aLogMayEndAnywhere(platform: DevicePlatform) throws {
    let entries = EveryLogEntry.all(at: Self.start)
    let first = Self.lines(of: [.heartbeat], platform)
    let known = Self.facts(of: first)
    let before = first + first
    try #require(!known.isEmpty)
    for (index, entry) in entries.enumerated() {
      let log = before + Self.lines(of: [entry], platform)
      let whole = Self.facts(of: log)
      for length in stride(from: before.count + index % 5, to: log.count, by: 5) {
        let facts = Self.facts(of: log[..<length])
        #expect(facts.starts(with: known), "\(entry) cut at \(length)")
        // The last entry may be half there; it is one or two facts.
        let agreed = zip(facts, whole).prefix { $0.0 == $0.1 }.count
        #expect(agreed >= facts.count - 2, "\(entry) cut at \(length)")
      }
    }
    let banner = Self.banner(platform)
    for length in stride(from: 0, to: banner.count, by: 23) { #expect(Self.facts(of: banner[..<length]).count <= 2) }
  }

  @Test(arguments: DevicePlatform.allCases) func aGarbledLogIsReadWithoutAnEnd(platform: DevicePlatform) {
    let entries = EveryLogEntry.all(at: Self.start)
    var generator = SeededGenerator(seed: 20_261_121)
    for first in stride(from: 0, to: entries.count, by: 6) {
      let bytes = Self.lines(of: entries[first...].prefix(12), platform)
      for _ in 0..<20 {
        var garbled = bytes
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
          garbled[Int.random(in: 0..<garbled.count, using: &generator)] = UInt8.random(
            in: .min ... .max, using: &generator)
        }
        #expect(Self.facts(of: garbled).count <= bytes.count)
      }
    }
  }

  @Test func whatIsNoLogIsRefused() {
    #expect(LogReader("") == nil)
    #expect(LogReader("a poem\nin two lines\n") == nil)
  }
}
