/// The table in `docs/architecture.md` that leads from the number of an invariant to the files that judge it.
enum InvariantTable {
  /// A row names an invariant in its first column and files in the second. `cases` declares the invariants; each file named must be
  /// one of `judges` and mention its invariant, and every one of `rules` must be named.
  static func violations(
    in page: SourceFile, cases: SourceFile, judges: [SourceFile], rules: [SourceFile]
  ) -> [Violation] {
    let names = names(in: cases)
    var (missing, unnamed) = (Set(names.keys), Set(rules.map(\.path)))
    var found: [Violation] = []
    for (index, line) in page.lines.enumerated() {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count == 4, let number = number(in: cells[1]) else { continue }
      func report(_ rule: String) { found.append(Violation(path: page.path, line: index + 1, rule: rule)) }
      guard let name = names[number] else {
        report("there is no invariant \(number)")
        continue
      }
      missing.remove(number)
      for path in cells[2].split(separator: "`").filter({ $0.hasSuffix(".swift") }) {
        guard let file = judges.first(where: { $0.path.hasSuffix("/" + path) }) else {
          report("there is no \(path)")
          continue
        }
        unnamed.remove(file.path)
        if !file.contains("." + name) { report("\(path) says nothing of \(number)") }
      }
    }
    return found
      + missing.sorted().map { Violation(path: page.path, line: 1, rule: "the table does not name \($0)") }
      + unnamed.sorted().map { Violation(path: page.path, line: 1, rule: "the table does not name \($0)") }
  }

  /// `case order = "I9-order"`: the name by the number.
  private static func names(in file: SourceFile) -> [Substring: String] {
    file.lines.reduce(into: [:]) { names, line in
      let parts = line.split(separator: "\"")
      let words = line.split(separator: " ")
      guard words.first == "case", parts.count == 2, let number = parts[1].split(separator: "-").first,
        Self.number(in: number) != nil
      else { return }
      names[number] = String(words[1])
    }
  }

  private static func number(in cell: Substring) -> Substring? {
    let text = cell.split(separator: " ").first ?? ""
    return text.first == "I" && text.count > 1 && text.dropFirst().allSatisfy(\.isNumber) ? text : nil
  }
}
