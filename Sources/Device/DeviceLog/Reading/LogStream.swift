package import Base
package import Contract

/// Reads a log of any length as it comes, in pieces of any size, with the memory of one piece and one entry.
package struct LogStream {
  private var cutter = LogLineCutter()
  private var line: [UInt8] = []

  /// What is behind so many bytes of a line is left out; no line of a device is so long.
  private static let lineBytesMax = 1 << 18

  package init() {}

  /// Nil until the first line with a head has come: the text may be no log of the SDK.
  package var platform: DevicePlatform? { cutter.platform }
  package var lineCount: Int { cutter.lineCount }

  /// The entries that end in this piece.
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

  /// The last entry.
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

/// An entry of a log: where it stands, what it says to people, and what it says to the reader.
package struct LogPassage: Equatable, Sendable {
  /// Counts from 1, as an editor does.
  package let line: Int
  /// What the head of the line says, read as if it were UTC.
  package let time: WallInstant
  /// Behind the time, with all lines of the entry.
  package let text: String
  package let contents: [LogFact.Content]

  init(_ entry: LogLines, on platform: DevicePlatform?) {
    line = entry.line
    time = entry.time
    text = String(entry.text)
    contents = entry.contents(on: platform)
  }
}
