/// A word has one meaning: no two targets use one name for two types. The names of the SDK's own API are given, and the
/// targets behind it may have types of the same names.
enum Names {
  private static let api = "BackgroundGeolocation"
  private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
  private static let modifiers: Set<Substring> = ["public", "package", "internal", "final", "indirect"]

  /// The names of the glossary are not nested in types of other targets either.
  static func violations(in files: [SourceFile], of arrows: Arrows, glossary: SourceFile) -> [Violation] {
    let words = Set(glossary.lines.flatMap { quoted($0).map(\.name) })
    var owners: [Substring: String] = [:]
    for file in files {
      guard let target = arrows.target(of: file.path)?.name, target != api else { continue }
      for name in file.lines.compactMap({ declared(on: $0) }) where words.contains(name) { owners[name] = target }
    }
    var found = violations(in: files, of: arrows)
    for file in files {
      guard let target = arrows.target(of: file.path)?.name, target != api else { continue }
      for (index, line) in file.lines.enumerated() where line.first == " " {
        guard let name = declared(on: line.drop { $0 == " " }, modifiers: modifiers.union(["private", "fileprivate"])),
          let owner = owners[name], owner != target
        else {
          continue
        }
        found.append(
          Violation(path: file.path, line: index + 1, rule: "\(name) is a word of the glossary, and a type of \(owner)")
        )
      }
    }
    return found
  }

  private static func violations(in files: [SourceFile], of arrows: Arrows) -> [Violation] {
    var first: [Substring: Substring] = [:]
    var found: [Violation] = []
    for file in files {
      guard let target = arrows.target(of: file.path)?.name, target != api else { continue }
      for (index, line) in file.lines.enumerated() {
        guard let name = declared(on: line) else { continue }
        let other = first[name] ?? target[...]
        first[name] = other
        if other != target {
          found.append(
            Violation(path: file.path, line: index + 1, rule: "\(name) is the name of a type of \(other) too"))
        }
      }
    }
    return found
  }

  /// Names in backticks that begin with a capital letter are those of types. A type is in the file of its name, or in the one that
  /// the page gives behind it: `Name` in `File.swift`.
  static func violations(inGlossary page: SourceFile, of files: [SourceFile]) -> [Violation] {
    var places: [Substring: Set<Substring>] = [:]
    for file in files {
      for line in file.lines {
        if let name = declared(on: line) { places[name, default: []].insert(fileName(of: file)) }
      }
    }
    return page.lines.enumerated().flatMap { index, line in
      quoted(line).compactMap { name, home in
        guard let places = places[name] else { return "there is no type \(name)" }
        return places.contains(home ?? name + ".swift")
          ? nil : "\(name) is in \(places.sorted().joined(separator: ", "))"
      }.map { Violation(path: page.path, line: index + 1, rule: $0) }
    }
  }

  private static func fileName(of file: SourceFile) -> Substring {
    file.path.split(separator: "/").last ?? ""
  }

  /// The names on a line, each with the file that stands behind it.
  private static func quoted(_ line: Substring) -> [(name: Substring, home: Substring?)] {
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.compactMap { place in
      let name = parts[place]
      let isName = name.first?.isUppercase == true && name.allSatisfy { $0.isLetter || $0.isNumber }
      guard place % 2 == 1, isName else { return nil }
      return (name, place + 2 < parts.count && parts[place + 1] == " in " ? parts[place + 2] : nil)
    }
  }

  /// A type that other files of its target see.
  private static func declared(
    on line: Substring, modifiers: Set<Substring> = modifiers
  ) -> Substring? {
    guard line.first?.isLetter == true || line.first == "@" else { return nil }
    let words = line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains($0) }
    guard let kind = words.first, kinds.contains(kind), let name = words.dropFirst().first else { return nil }
    return name.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}

/// What is declared is used: by the product itself or by a benchmark, not by a test alone. What is public is for others.
enum Uses {
  private static let kinds: Set<Substring> = ["func", "var", "let"]
  private static let modifiers: Set<Substring> = [
    "package", "internal", "private", "fileprivate", "private(set)", "internal(set)", "static", "final", "mutating",
    "lazy", "borrowing", "consuming",
  ]

  static func violations(in sources: [SourceFile], usedBy others: [SourceFile]) -> [Violation] {
    var counts: [UInt64: Int] = [:]
    for file in sources + others {
      for line in file.lines { Words.forEach(of: line) { counts[$0, default: 0] += 1 } }
    }
    return sources.flatMap { file in
      file.lines.enumerated().compactMap { index, line in
        guard let name = declared(on: line), counts[Words.hash(name.utf8)] == 1 else { return nil }
        return Violation(path: file.path, line: index + 1, rule: "\(name) is used nowhere in the product")
      }
    }
  }

  private static func declared(on line: Substring) -> Substring? {
    let words = line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains($0) }
    guard let kind = words.first, kinds.contains(kind), let rest = words.dropFirst().first else { return nil }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.count > 2 ? name : nil
  }
}

/// Words of code, by their hashes: quicker than a text for each.
enum Words {
  /// A comment has none.
  static func forEach(of line: Substring, _ body: (UInt64) -> Void) {
    var (word, last) = (start, UInt8(0))
    for byte in line.utf8 {
      if byte == UInt8(ascii: "/"), last == byte { return }
      last = byte
      if isPart(byte) {
        word = (word ^ UInt64(byte)) &* prime
      } else if word != start {
        body(word)
        word = start
      }
    }
    if word != start { body(word) }
  }

  static func isPart(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
  }

  /// FNV-1a (https://www.rfc-editor.org/rfc/rfc9923).
  static func hash(_ word: some Sequence<UInt8>) -> UInt64 {
    word.reduce(start) { ($0 ^ UInt64($1)) &* prime }
  }

  private static let (start, prime) = (UInt64(0xCBF2_9CE4_8422_2325), UInt64(0x0000_0100_0000_01B3))
}
