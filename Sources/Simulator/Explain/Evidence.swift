package import Base

/// What shows that something happened: when, where it stands, and what stands there.
package struct Evidence: Equatable, Sendable {
  /// Where it can be looked up: `phone.log:2200`, `journal #812`, the store.
  package var place: String
  /// Of a log, its line; the reader's times are made from the phone's by it.
  package var line: Int?
  /// Nil for what a store has now.
  package var time: WallInstant?
  /// What it means.
  package var words: String
  /// What stands there, cut to a line; empty where the words say all.
  package var quote: String

  package init(_ words: String, place: String, line: Int? = nil, time: WallInstant? = nil, quote: String = "") {
    (self.place, self.line, self.time, self.words, self.quote) = (place, line, time, words, quote)
  }
}

/// The first line of an entry that says something, for people.
enum EntryQuote {
  private static let lettersMax = 140

  static func of(_ text: String) -> String { found(in: text).quote }

  /// How many lines below the head of the entry it stands.
  static func found(in text: String) -> (quote: String, below: Int) {
    var place: (words: Substring, below: Int)?
    for (below, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.drop { " ║╟╔╠╚═─".contains($0) }
      guard words.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
      // Android has its message below the place.
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
  /// A log must not steer the terminal on which it is quoted.
  fileprivate var isControl: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) } }
}

/// Figures in sentences.
enum StoryText {
  /// `81.5 s`, `46 min 22 s`, `17 h 3 min`.
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
