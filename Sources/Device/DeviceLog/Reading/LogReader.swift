package import Contract

/// Reads the text log of a real device: which platform wrote it, and what each entry says (SDK §20.2, §20.3).
package struct LogReader: Sendable {
  package let platform: DevicePlatform
  package let facts: [LogFact]
  /// Lines of the text.
  package let lineCount: Int
  /// Entries that no rule of this reader knows.
  package let otherCount: Int

  /// Nil when the text is no log of the SDK. Entries that are cut or garbled are kept as unknown ones.
  package init?(_ text: String) {
    guard let platform = Self.platform(of: text) else { return nil }
    self.platform = platform
    let entries = LogLineReader(text, platform: platform)
    lineCount = entries.lineCount
    var facts: [LogFact] = []
    for entry in entries {
      let contents = platform == .ios ? IOSLogGrammar.read(entry) : AndroidLogGrammar.read(entry)
      for content in contents { facts.append(LogFact(line: entry.line, time: entry.time, content: content)) }
    }
    otherCount = facts.count { fact in
      if case .other = fact.content { return true }
      return false
    }
    self.facts = facts
  }

  /// The first line with a head decides; a log may begin in the middle of an entry.
  private static func platform(of text: String) -> DevicePlatform? {
    for line in text.split(separator: "\n").prefix(10_000) {
      if LogHead.ios(line) != nil { return .ios }
      if LogHead.android(line) != nil { return .android }
    }
    return nil
  }
}
