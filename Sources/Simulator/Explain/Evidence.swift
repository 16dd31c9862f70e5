package import Base

/// Evidence of an event: its time, its location in a source, and the quoted text.
package struct Evidence: Equatable, Sendable {
  /// The location in a source: `phone.log:2200`, `journal #812`, the store.
  package var place: String
  /// The line in a log, by which the phone's local times are converted.
  package var line: Int?
  /// Nil for the current content of a store.
  package var time: WallInstant?
  /// The meaning.
  package var words: String
  /// The quoted text, cut to a line; empty where the words suffice.
  package var quote: String

  package init(_ words: String, place: String, line: Int? = nil, time: WallInstant? = nil, quote: String = "") {
    (self.place, self.line, self.time, self.words, self.quote) = (place, line, time, words, quote)
  }
}

/// The first meaningful line of a log entry, for people.
enum EntryQuote {
  private static let lettersMax = 140

  static func of(_ text: String) -> String { found(in: text).quote }

  /// Returns the line, and its distance from the head of the entry in lines.
  static func found(in text: String) -> (quote: String, below: Int) {
    var place: (words: Substring, below: Int)?
    for (below, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.drop { " ║╟╔╠╚═─".contains($0) }
      guard words.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
      // Android has the message below the source location.
      let isPlace =
        words.first == "[" && words.drop(while: { $0 != "]" }).dropFirst().allSatisfy(\.isWhitespace)
      if place == nil, isPlace {
        place = (words, below)
      } else {
        return (cut((place?.words ?? "") + words), place?.below ?? below)
      }
    }
    return (cut(place?.words ?? ""), place?.below ?? 0)
  }

  static func cut(_ text: Substring) -> String {
    let plain = text.prefix(lettersMax + 1).map { $0.isNewline || $0.isControl ? " " : $0 }
    return plain.count > lettersMax ? String(plain.prefix(lettersMax - 1)) + "…" : String(plain)
  }
}

extension Character {
  /// A quoted log must not control the terminal.
  fileprivate var isControl: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) } }
}

/// Figures in sentences.
enum StoryText {
  /// Returns `81.5 s`, `46 min 22 s` or `17 h 3 min`.
  static func span(milliseconds: Int64) -> String {
    let (seconds, tenths) = (milliseconds / 1_000, (milliseconds + 50) / 100)
    if seconds < 600 { return "\(tenths / 10).\(tenths % 10) s" }
    if seconds < 7_200 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
  }

  static func metres(_ metres: Double) -> String {
    guard metres.isFinite, metres.magnitude < 1e9 else { return "an unknown number of metres" }
    return "\(Int(metres.rounded())) m"
  }

  static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
