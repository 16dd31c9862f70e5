/// The names of header fields stand in one table, `HeaderName` of `Contract`, and nowhere else in the product.
enum HeaderNames {
  static let table = "Sources/Wire/Contract/HeaderName.swift"
  /// HTTP1 imports nothing, and writes and reads the fields that frame a message.
  static let allowedIn = ["Sources/Wire/HTTP1/", table]

  /// In lower case.
  static func names(in table: SourceFile) -> Set<String> {
    Set(
      table.lines.filter { $0.contains(": StaticString = \"") }
        .compactMap { $0.split(separator: "\"").dropFirst().first?.lowercased() })
  }

  /// A literal that is a name, or begins with one and a colon, in any case. A name of one word is also a word of JSON: in
  /// lower case it counts where a name is compared.
  static func violations(in file: SourceFile, names: Set<String>) -> [Violation] {
    guard !allowedIn.contains(where: file.path.hasPrefix) else { return [] }
    return file.lines.enumerated().compactMap { index, line in
      guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return nil }
      let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
      for place in pieces.indices where place % 2 == 1 {
        let name = pieces[place].prefix { $0 != ":" }
        guard names.contains(name.lowercased()) else { continue }
        let isCompared = comparisons.contains { pieces[place - 1].hasSuffix($0) }
        guard name.contains("-") || name.contains(where: \.isUppercase) || isCompared else { continue }
        return Violation(path: file.path, line: index + 1, rule: "\"\(name)\": the name is in HeaderName")
      }
      return nil
    }
  }

  private static let comparisons = ["lowercased() == ", "lowercase: ", "header(", "hasName(", "isSameName(", "field("]
}
