/// A key of the scenario language that is read and then forgotten would do nothing without a word. The property that a table
/// puts it into has to be read somewhere: as a member of something that has the type of that table, not as the same word of another type.
enum ScenarioKeys {
  private struct Row {
    let type: Substring
    let key: Substring
    let property: Substring
    let path: String
    let line: Int

    var name: String { "\(type).\(property)" }
  }

  /// Properties that no code reads, because the table itself decides about the key.
  static let decidedByTable = [
    // Its codec takes 1 alone.
    "Scenario.version", "Dialect.version",
  ]

  /// Entries of that list that no table has.
  static func stale(in tables: [SourceFile]) -> [String] {
    let names = Set(tables.flatMap(rows).map(\.name))
    return decidedByTable.filter { !names.contains($0) }.map { "ScenarioKeys.decidedByTable: no table has \($0)" }
  }

  static func violations(in tables: [SourceFile], readBy readers: [SourceFile]) -> [Violation] {
    let rows = tables.flatMap(rows)
    var scan = KeyScan(types: Set(rows.map(\.type)), properties: Set(rows.map(\.property)))
    for file in readers { scan.read(file) }
    let owners = scan.owners()
    func isRead(_ row: Row) -> Bool {
      scan.isReadInside(row.property, of: row.type)
        || scan.reads[row.property, default: []].contains { !$0.isDisjoint(with: owners[row.type] ?? []) }
    }
    return rows.compactMap { row in
      let isExpected = decidedByTable.contains(row.name)
      guard isRead(row) == isExpected else { return nil }
      let rule =
        isExpected
        ? "\(row.name) is read: take it off the list of those that are not"
        : "nothing reads '\(row.property)' of \(row.type), and so '\(row.key)' does nothing"
      return Violation(path: row.path, line: row.line, rule: rule)
    }
  }

  /// `.key("name", \.property, …)`, on one line or two, in the table of the type that was declared or named last.
  private static func rows(of file: SourceFile) -> [Row] {
    var type: Substring = ""
    return file.lines.indices.compactMap { index in
      let line = file.lines[index]
      if let name = KeyScan.extended(by: line) { type = name }
      if let table = line.firstRange(of: " Table<") {
        let name = line[table.upperBound...].prefix { $0.isLetter || $0.isNumber }
        if name != "Self" { type = name }
      }
      let start = line.drop { $0 == " " || $0 == "[" }
      guard KeyScan.rowStarts.contains(where: { start.hasPrefix($0) }) else { return nil }
      let parts = file.lines[index...].prefix(2).joined(separator: " ").split(separator: "\"", maxSplits: 2)
      guard parts.count == 3, let path = parts[2].firstRange(of: "\\.") else { return nil }
      let name = parts[2][path.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "." }
      return Row(type: type, key: parts[1], property: name, path: file.path, line: index + 1)
    }
  }
}

/// Who has a value of a section's type, and which members of what are read. It knows names and not types: a variable of any
/// file that is declared with the type, a case that carries it, and what is bound to one of these count as such a value.
private struct KeyScan {
  static let rowStarts = [".key(", ".optional(", ".required("]

  let types: Set<Substring>
  let properties: Set<Substring>
  /// For each property, of what it is read: the receiver, or all words of the line when the receiver is an expression.
  private(set) var reads: [Substring: [Set<Substring>]] = [:]
  private var declared: [Substring: Set<Substring>] = [:]
  private var bound: [Substring: Set<Substring>] = [:]
  /// Words without a receiver in the bodies of types.
  private var inside: [Substring: Set<Substring>] = [:]

  init(types: Set<Substring>, properties: Set<Substring>) {
    (self.types, self.properties) = (types, properties)
  }

  func isReadInside(_ property: Substring, of type: Substring) -> Bool { inside[type]?.contains(property) == true }

  /// Names of values of each type.
  func owners() -> [Substring: Set<Substring>] {
    declared.mapValues { names in
      var (all, open) = (names, Array(names))
      while let name = open.popLast() {
        for other in bound[name, default: []] where all.insert(other).inserted { open.append(other) }
      }
      return all
    }
  }

  mutating func read(_ file: SourceFile) {
    var type: Substring?
    for line in file.lines {
      if line.hasPrefix("}") { type = nil }
      let start = line.drop { $0 == " " || $0 == "[" }
      if start.hasPrefix("//") || start.hasPrefix("\"") || KeyScan.rowStarts.contains(where: { start.hasPrefix($0) }) {
        continue
      }
      let tokens = KeyScan.tokens(of: line)
      collectValues(tokens)
      collectReads(tokens, in: type.flatMap { types.contains($0) ? $0 : nil })
      if let name = KeyScan.extended(by: line) { type = name }
    }
  }

  /// `name: Type`, `name = Type(`, `case name(Type)`; and what is bound: `.name(let other)`, `other = part.name`, `other in names`.
  private mutating func collectValues(_ tokens: [Substring]) {
    let isCase = tokens.contains("case")
    for (index, name) in tokens.enumerated() where KeyScan.isWord(name) {
      let rest = tokens.dropFirst(index + 1)
      let value = rest.dropFirst()
      switch rest.first {
      case ":":
        let end = value.firstIndex { [",", ")", "=", "{"].contains($0) } ?? value.endIndex
        for type in value[..<end] where types.contains(type) { declared[type, default: []].insert(name) }
      case "=", "in":
        var chain = value.prefix { KeyScan.isWord($0) || [".", "?", "!"].contains($0) }.filter(KeyScan.isWord)
        // `codec = ValueCodec<Type>.section()`, and what such a codec has read.
        if chain == ["ValueCodec"], let type = value.dropFirst(2).first { chain.append(type) }
        if chain.last == "read" { chain.removeLast() }
        if let last = chain.last { bound[last, default: []].insert(name) }
        if let type = chain.last, types.contains(type) { declared[type, default: []].insert(name) }
      case "(" where isCase:
        for word in value.prefix(while: { $0 != ")" }) where KeyScan.isWord(word) && word != "let" {
          if types.contains(word) { declared[word, default: []].insert(name) }
          bound[name, default: []].insert(word)
        }
      default: break
      }
    }
  }

  private mutating func collectReads(_ tokens: [Substring], in type: Substring?) {
    for (index, word) in tokens.enumerated() where properties.contains(word) {
      let before = index > 0 ? tokens[index - 1] : ""
      let after = index + 1 < tokens.count ? tokens[index + 1] : ""
      guard before == "." else {
        // What is computed reads and writes something else.
        let isDeclared = (before == "var" || before == "let") && tokens.last != "{"
        if let type, !isDeclared, after != ":" || tokens.last == "{" { inside[type, default: []].insert(word) }
        continue
      }
      guard let receiver = tokens[..<(index - 1)].last(where: { $0 != "?" && $0 != "!" }) else { continue }
      switch receiver {
      case "self": if let type { inside[type, default: []].insert(word) }
      case ")", "]", "\\", "$0", "$1": reads[word, default: []].append(Set(tokens))
      default: if KeyScan.isWord(receiver) { reads[word, default: []].append([receiver]) }
      }
    }
  }

  /// The type whose body begins on a line of the outermost level.
  static func extended(by line: Substring) -> Substring? {
    guard line.first?.isLetter == true else { return nil }
    let words = line.split(separator: " ")
    guard let kind = words.firstIndex(where: { ["struct", "enum", "extension", "class"].contains($0) }) else {
      return nil
    }
    return words.dropFirst(kind + 1).first.map { $0.prefix { $0.isLetter || $0.isNumber } }
  }

  /// Words and signs, without comments and texts.
  private static func tokens(of line: Substring) -> [Substring] {
    var found: [Substring] = []
    let bytes = line.utf8
    var (index, isText) = (bytes.startIndex, false)
    while index < bytes.endIndex {
      let byte = bytes[index]
      let next = bytes.index(after: index)
      if byte == UInt8(ascii: "\"") { isText.toggle() }
      if byte == UInt8(ascii: "/"), next < bytes.endIndex, bytes[next] == byte, !isText { break }
      guard !isText, byte != UInt8(ascii: " ") else {
        index = next
        continue
      }
      let end = isPart(byte) ? bytes[index...].firstIndex { !isPart($0) } ?? bytes.endIndex : next
      found.append(line[index..<end])
      index = end
    }
    return found
  }

  private static func isPart(_ byte: UInt8) -> Bool { Words.isPart(byte) || byte == UInt8(ascii: "$") }
  private static func isWord(_ token: Substring) -> Bool { token.utf8.first.map(isPart) == true }
}
