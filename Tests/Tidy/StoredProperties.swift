/// The stored properties of a type stand before its functions, so that its state is seen at once.
enum StoredProperties {
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "final", "override", "required", "convenience",
    "mutating",
    "nonmutating", "nonisolated", "indirect", "lazy", "weak", "unowned", "dynamic", "consuming", "borrowing",
  ]

  /// The formatter indents the members of a type by two spaces: indentation alone finds its end.
  static func violations(in file: SourceFile) -> [Violation] {
    var found: [Violation] = []
    var types: [(members: Int, hasFunction: Bool)] = []
    for (index, line) in file.lines.enumerated() {
      let indentation = line.prefix { $0 == " " }.count
      guard indentation < line.count, !line.hasPrefix("#") else { continue }
      while let type = types.last, indentation < type.members { types.removeLast() }
      let words = line.split(separator: " ").drop { word in
        modifiers.contains(word) || word.hasPrefix("@") || word.hasSuffix("(set)")
      }
      guard let first = words.first else { continue }
      if ["struct", "class", "actor", "enum", "extension"].contains(first), line.hasSuffix("{"),
        !["func", "var"].contains(words.dropFirst().first)
      {
        types.append((indentation + 2, false))
      } else if let type = types.last, indentation == type.members {
        if first == "func" || first.hasPrefix("init(") || first.hasPrefix("init?(") {
          types[types.count - 1].hasFunction = true
        } else if type.hasFunction, first == "let" || first == "var" && !isComputed(line) {
          found.append(Violation(path: file.path, line: index + 1, rule: "a stored property after a function"))
        }
      }
    }
    return found
  }

  private static func isComputed(_ line: Substring) -> Bool {
    guard line.hasSuffix("{") || line.hasSuffix("}") else { return false }
    return !line.prefix { $0 != "{" }.contains("=")
  }
}
