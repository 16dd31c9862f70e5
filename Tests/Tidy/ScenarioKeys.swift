/// A key of the scenario language that is read and then forgotten would do nothing without a word: what a table puts it into
/// has to be read somewhere.
enum ScenarioKeys {
  private struct Row {
    let key: Substring
    let property: Substring
    let line: Int
  }

  static func violations(in tables: [SourceFile], readBy readers: [SourceFile]) -> [Violation] {
    var read: Set<UInt64> = []
    for file in readers {
      for line in file.lines { collectWords(of: line, into: &read) }
    }
    return tables.flatMap { file in
      rows(of: file).filter { !read.contains(Words.hash($0.property.utf8)) }.map { row in
        let rule = "nothing reads '\(row.property)', and so '\(row.key)' does nothing"
        return Violation(path: file.path, line: row.line, rule: rule)
      }
    }
  }

  /// `.key("name", \.property, …)`, on one line or two.
  private static func rows(of file: SourceFile) -> [Row] {
    file.lines.indices.compactMap { index in
      let start = file.lines[index].drop { $0 == " " }
      guard [".key(", ".optional(", ".required("].contains(where: { start.hasPrefix($0) }) else { return nil }
      let text = file.lines[index...].prefix(2).joined(separator: " ")
      let parts = text.split(separator: "\"", maxSplits: 2)
      guard parts.count == 3, let path = parts[2].firstRange(of: "\\.") else { return nil }
      let names = parts[2][path.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "." }.split(separator: ".")
      return names.last.map { Row(key: parts[1], property: $0, line: index + 1) }
    }
  }

  /// Words of code that are no place in a table (`\.word`), no declaration (`var word`), and no key (`"word"`).
  private static func collectWords(of line: Substring, into words: inout Set<UInt64>) {
    let bytes = Array(line.utf8)
    var index = bytes.firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.endIndex
    if bytes[index...].starts(with: "//".utf8) { return }
    var (isDeclared, isPlace, last) = (false, false, 0)
    while index < bytes.endIndex {
      guard Words.isPart(bytes[index]) else {
        index += 1
        continue
      }
      let end = bytes[index...].firstIndex { !Words.isPart($0) } ?? bytes.endIndex
      let isMember = index >= 2 && bytes[index - 1] == UInt8(ascii: ".")
      isPlace = isMember && (bytes[index - 2] == UInt8(ascii: "\\") || isPlace && index - 1 == last)
      let isKey = index > 0 && bytes[index - 1] == quote && end < bytes.endIndex && bytes[end] == quote
      let word = bytes[index..<end]
      // What is computed reads and writes something else.
      let isStored = isDeclared && bytes.last != UInt8(ascii: "{")
      if !isPlace && !isStored && !isKey { words.insert(Words.hash(word)) }
      isDeclared = word.elementsEqual("var".utf8) || word.elementsEqual("let".utf8)
      (index, last) = (end, end)
    }
  }

  private static let quote = UInt8(ascii: "\"")
}
