package import Base
package import Contract

/// Reads a log of any length in pieces of any size, with the memory of one piece and one entry.
package struct LogStream {
  private var cutter = LogLineCutter()
  private var line: [UInt8] = []

  /// The rest of longer lines is dropped; no device writes such lines.
  private static let lineBytesMax = 1 << 18

  package init() {}

  /// Nil until the first line with a head: the text may not be a log of the SDK.
  package var platform: DevicePlatform? { cutter.platform }
  package var lineCount: Int { cutter.lineCount }

  /// Returns the entries that end in this piece.
  package mutating func take(_ piece: ArraySlice<UInt8>) -> [LogPassage] {
    var found: [LogPassage] = []
    var rest = piece
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(rest[..<end])
      if let passage = endLine() { found.append(passage) }
      rest = rest[(end + 1)...]
    }
    append(rest)
    return found
  }

  /// Returns the last entry.
  package mutating func finish() -> [LogPassage] {
    var found: [LogPassage] = []
    if !line.isEmpty, let passage = endLine() { found.append(passage) }
    if let entry = cutter.finish() { found.append(LogPassage(entry, on: cutter.platform)) }
    return found
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    line += bytes.prefix(max(0, LogStream.lineBytesMax - line.count))
  }

  private mutating func endLine() -> LogPassage? {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let entry = cutter.take(String(decoding: line, as: UTF8.self)[...])
    line.removeAll(keepingCapacity: true)
    return entry.map { LogPassage($0, on: cutter.platform) }
  }
}

/// An entry of a log: its place, its text, and its parsed contents.
package struct LogPassage: Equatable, Sendable {
  /// The line number, from 1.
  package let line: Int
  /// The time at the head of the line, read as UTC.
  package let time: WallInstant
  /// The text after the time, with all lines of the entry.
  package let text: String
  package let contents: [LogFact.Content]

  init(_ entry: LogLines, on platform: DevicePlatform?) {
    line = entry.line
    time = entry.time
    text = String(entry.text)
    contents = entry.contents(on: platform)
  }
}
