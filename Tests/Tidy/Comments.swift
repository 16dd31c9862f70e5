/// A documentation comment names what is there: a parameter that was renamed or taken out is not told any more.
struct Comments {
  /// What the product declares, and the words of its texts: keys, events, codes.
  private var known: Set<UInt64> = []

  init(product: [SourceFile]) {
    for file in product {
      for line in file.lines where !Comments.isComment(line) {
        let words = Comments.words(of: line)
        // All of a list of cases.
        if words.contains("case") { known.formUnion(words.map { Words.hash($0.utf8) }) }
        for (word, next) in zip(words, words.dropFirst()) where Comments.declaring.contains(word) {
          known.insert(Words.hash(next.utf8))
        }
        let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
        for place in pieces.indices where place % 2 == 1 { Words.forEach(of: pieces[place]) { known.insert($0) } }
      }
    }
  }

  /// Of the comment above a function: what stands in backticks is a word of its file, or known to the product; what
  /// `- Parameter name:` or the list under `- Parameters:` names is a word of the declaration.
  func violations(in file: SourceFile) -> [Violation] {
    var here: Set<UInt64> = []
    for line in file.lines where !Comments.isComment(line) { Words.forEach(of: line) { here.insert($0) } }
    var (found, comment): ([Violation], [Int]) = ([], [])
    for (index, line) in file.lines.enumerated() {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("///") {
        comment.append(index)
        continue
      }
      let words = Comments.words(of: text)
      if text.hasPrefix("@"), !words.contains("func") { continue }
      if ["func", "init", "subscript"].contains(where: words.contains), !Comments.isComment(line) {
        let end = file.lines[index...].firstIndex { $0.hasSuffix("{") || $0.hasSuffix("}") } ?? index
        let declaration = Set(file.lines[index...end].flatMap(Comments.words))
        for place in comment {
          for name in Comments.quoted(on: file.lines[place])
          where !here.contains(Words.hash(name.utf8)) && !known.contains(Words.hash(name.utf8)) {
            found.append(Violation(path: file.path, line: place + 1, rule: "there is no \(name)"))
          }
          if let name = Comments.parameter(on: file.lines[place]), !declaration.contains(name) {
            found.append(Violation(path: file.path, line: place + 1, rule: "there is no parameter \(name)"))
          }
        }
      }
      comment = []
    }
    return found
  }

  private static let declaring: Set<Substring> = [
    "func", "var", "let", "struct", "enum", "class", "protocol", "typealias",
  ]

  private static func isComment(_ line: Substring) -> Bool { line.drop { $0 == " " }.hasPrefix("//") }

  private static func words(of line: Substring) -> [Substring] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
  }

  /// Those that can be names of values: `name`, not `Type`, `-x` or `{"a":1}`.
  private static func quoted(on line: Substring) -> [Substring] {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { place, name in
      place % 2 == 1 && name.first?.isLowercase == true && name.allSatisfy { $0.isLetter || $0.isNumber }
    }.map(\.element)
  }

  /// `/// - Parameter name:`, or `///   - name:` in a list of them.
  private static func parameter(on line: Substring) -> Substring? {
    let text = line.drop { $0 == " " || $0 == "/" }
    guard text.hasPrefix("- "), let name = text.split(separator: ":").first?.dropFirst(2) else { return nil }
    let isList = line.contains("///   - ")
    let words = name.split(separator: " ")
    if words.count == 2, words[0] == "Parameter" { return words[1] }
    return isList && words.count == 1 && text.contains(":") ? words[0] : nil
  }
}
