/// A file has one purpose and a function fits on a screen.
enum Sizes {
  static let fileLinesMax = 400
  static let functionLinesMax = 70

  static func violations(in file: SourceFile) -> [Violation] {
    var found: [Violation] = []
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    if count > fileLinesMax {
      found.append(Violation(path: file.path, line: count, rule: "\(count) lines, \(fileLinesMax) are the end"))
    }
    return file.path.hasSuffix(".swift") ? found + longFunctions(in: file) : found
  }

  /// The formatter puts a function's closing brace under its first letter: indentation alone finds the end.
  private static func longFunctions(in file: SourceFile) -> [Violation] {
    var found: [Violation] = []
    for (start, line) in file.lines(with: "func", "init") where opensFunction(line) {
      let indentation = line.prefix { $0 == " " }
      let end = file.lines[(start + 1)...].firstIndex {
        $0.hasPrefix(indentation + "}") && !$0.hasPrefix(indentation + " ")
      }
      guard let end, end - start - 1 > functionLinesMax else { continue }
      let rule = "a function of \(end - start - 1) lines, \(functionLinesMax) are the end"
      found.append(Violation(path: file.path, line: start + 1, rule: rule))
    }
    return found
  }

  private static func opensFunction(_ line: Substring) -> Bool {
    guard !line.hasSuffix("}") else { return false }
    let words = line.split(separator: " ")
    return words.contains("func") || words.contains { $0.hasPrefix("init(") || $0.hasPrefix("init?(") }
  }
}
