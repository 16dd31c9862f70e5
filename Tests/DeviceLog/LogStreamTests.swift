import Base
import Contract
import Support
import Testing
import Vocabulary

@testable import DeviceLog

/// A log that comes in pieces is the log as a whole.
@Suite struct LogStreamTests {
  private static let start = WallInstant(millisecondsSince1970: 1_785_249_226_653)

  private static func log(_ platform: DevicePlatform) -> [UInt8] {
    var bytes: [UInt8] = []
    LogText(platform: platform).appendBanner(Configuration(platform: platform), at: start, to: &bytes)
    for entry in EveryLogEntry.all(at: start) { LogText(platform: platform).append(entry, at: start, to: &bytes) }
    return bytes
  }

  private static func facts(_ bytes: [UInt8], pieceBytes: Int) -> [LogFact] {
    var stream = LogStream()
    var passages: [LogPassage] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      passages += stream.take(rest.prefix(pieceBytes))
      rest = rest.dropFirst(pieceBytes)
    }
    passages += stream.finish()
    return passages.flatMap { passage in
      passage.contents.map { LogFact(line: passage.line, time: passage.time, content: $0) }
    }
  }

  @Test(arguments: DevicePlatform.allCases) func piecesOfAnyLengthGiveTheSameFacts(platform: DevicePlatform) throws {
    let bytes = Self.log(platform)
    let whole = try #require(LogReader(String(decoding: bytes, as: UTF8.self))).facts
    for length in [1, 2, 7, 64, 4_096, bytes.count] {
      #expect(Self.facts(bytes, pieceBytes: length) == whole, "\(length)")
    }
  }

  @Test func linesMayEndAsOnWindows() throws {
    let bytes = Self.log(.ios)
    let windows = bytes.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
    #expect(Self.facts(windows, pieceBytes: 100) == Self.facts(bytes, pieceBytes: 100))
  }

  @Test func aLineWithoutEndDoesNotFillTheMemory() {
    var stream = LogStream()
    let head = Array("2026-07-28 14:33:46.653 🔵 -[TSHeartbeatService onHeartbeat:] ❤️".utf8)
    var passages = stream.take(head[...])
    let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
    for _ in 0..<200 { passages += stream.take(filler[...]) }
    passages += stream.finish()
    #expect(passages.count == 1 && passages.allSatisfy { $0.text.utf8.count <= 1 << 18 })
  }

  @Test func whatIsNoLogHasNoPlatform() {
    var stream = LogStream()
    #expect(stream.take(Array("a poem\nin two lines\n".utf8)[...]) == [] && stream.finish() == [])
    #expect(stream.platform == nil && stream.lineCount == 2)
  }
}
