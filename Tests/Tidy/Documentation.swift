/// What another module or a user of the product can see says what it is.
enum Documentation {
  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "actor", "func", "var", "let", "init", "subscript", "typealias", "case",
  ]
  private static let types: Set<Substring> = ["struct", "class", "enum", "protocol", "actor"]

  /// Every public declaration needs a `///` line; of the package ones every type does.
  static func violations(in file: SourceFile) -> [Violation] {
    file.lines(with: "public", "package").compactMap { index, line in
      guard let declaration = declaration(line) else { return nil }
      guard declaration.isPublic || types.contains(declaration.kind) else { return nil }
      guard !isDocumented(lineAt: index, of: file) else { return nil }
      let access = declaration.isPublic ? "public" : "package"
      return Violation(path: file.path, line: index + 1, rule: "\(access) \(declaration.kind) without a /// line")
    }
  }

  private static func declaration(_ line: Substring) -> (kind: Substring, isPublic: Bool)? {
    let words = line.split(separator: " ").map { $0.prefix { $0 != "(" && $0 != "<" && $0 != "?" } }
    guard let access = words.firstIndex(where: { $0 == "public" || $0 == "package" }), !words.contains("import"),
      words[..<access].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) }),
      let kind = words[(access + 1)...].first(where: { kinds.contains($0) })
    else { return nil }
    return (kind, words[access] == "public")
  }

  private static let modifiers: Set<Substring> = ["static", "final", "override", "mutating", "nonisolated", "indirect"]

  /// The comment may stand above the attributes of the declaration.
  private static func isDocumented(lineAt index: Int, of file: SourceFile) -> Bool {
    for line in file.lines[..<index].reversed() {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("///") { return true }
      if !text.hasPrefix("@") { return false }
    }
    return false
  }
}
