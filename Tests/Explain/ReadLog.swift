import Base
import DeviceLog
import Testing

@testable import Explain

/// Reads logs as `explain` does, in pieces.
enum ReadLog {
  static func story(
    _ bytes: [UInt8], file: String = "phone.log", of uuid: UUID128? = nil, gapsAbove milliseconds: Int64 = 60_000,
    zone: LogZone? = nil, after earlier: LogStory? = nil, before next: WallInstant? = nil,
    written: WallInstant? = nil, pieceBytes: Int = 1_000
  ) throws -> LogStory {
    var stream = LogStream()
    var story = LogStory(file: file, of: uuid, gapsAbove: milliseconds, zone: zone, after: earlier, before: next)
    var rest = bytes[...]
    while !rest.isEmpty {
      for passage in stream.take(rest.prefix(pieceBytes)) { story.take(passage, on: try #require(stream.platform)) }
      rest = rest.dropFirst(pieceBytes)
    }
    for passage in stream.finish() { story.take(passage, on: try #require(stream.platform)) }
    story.finish(written: written)
    return story
  }

  static func story(_ text: String, of uuid: UUID128? = nil, zone: LogZone? = nil) throws -> LogStory {
    try story(Array(text.utf8), of: uuid, zone: zone)
  }
}
