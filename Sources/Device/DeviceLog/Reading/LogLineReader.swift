import Base
import Contract

/// One entry of a text log as it stands there: its head and what follows until the next head.
struct LogLines {
  let line: Int
  let time: WallInstant
  /// Behind the time, with all following lines, without blank lines at the end.
  let text: Substring
}

/// Cuts a text log of either platform into entries. Lines before the first head, and lines that were cut or garbled, go
/// with the entry before them.
struct LogLineReader: Sequence, IteratorProtocol {
  private let lines: [Substring]
  private let platform: DevicePlatform
  private var position = 0
  /// Android writes no years: after December comes January of the next one.
  private var year = LogHead.assumedYear
  private var lastMonth = 1

  init(_ text: String, platform: DevicePlatform) {
    lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    self.platform = platform
  }

  private func head(_ line: Substring) -> (WallInstant, Substring)? {
    platform == .ios ? LogHead.ios(line) : LogHead.android(line)
  }

  mutating func next() -> LogLines? {
    while position < lines.count {
      let first = position
      position += 1
      guard let (time, rest) = head(lines[first]) else { continue }
      while position < lines.count, head(lines[position]) == nil { position += 1 }
      var last = position - 1
      while last > first, lines[last].isEmpty { last -= 1 }
      let dated = platform == .ios ? time : inYear(time)
      let text = last > first ? rest.base[rest.startIndex..<lines[last].endIndex] : rest
      return LogLines(line: first + 1, time: dated, text: text)
    }
    return nil
  }

  private mutating func inYear(_ time: WallInstant) -> WallInstant {
    let month = time.civilDate.month
    if lastMonth == 12, month == 1 { year += 1 }
    lastMonth = month
    return time.moved(toYear: year)
  }

  /// Lines of the text, whether they belong to an entry or not.
  var lineCount: Int { lines.count }
}
