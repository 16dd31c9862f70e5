/// Citations of `docs/sdk-behaviour.md`: a comment names a section or rule that the page has, and the page names files and
/// tests that the repository has.
enum Citations {
  static let page = "docs/sdk-behaviour.md"
  /// In halves, so that this file cites nothing.
  static let mark = "SD" + "K §"

  /// The numbers that may be cited: `## 9.`, `### 9.3 …`, and the first column of a table of rules, `| 9.3.2 | …`.
  static func numbers(in page: SourceFile) -> Set<Substring> {
    var found: Set<Substring> = []
    for line in page.lines {
      if line.hasPrefix("## ") || line.hasPrefix("### ") {
        guard let number = line.split(separator: " ").dropFirst().first, number.first?.isNumber == true else {
          continue
        }
        found.insert(number.last == "." ? number.dropLast() : number)
      } else if let rule = ruleNumber(of: line) {
        found.insert(rule)
      }
    }
    return found
  }

  /// Every § behind the word SDK on a line must be a number of the page.
  static func violations(in file: SourceFile, numbers: Set<Substring>) -> [Violation] {
    file.lines(with: mark).flatMap { index, line in
      cited(on: line).filter { !numbers.contains($0) }.map { number in
        Violation(path: file.path, line: index + 1, rule: "\(mark)\(number) is not in \(page)")
      }
    }
  }

  /// Files of a rule (fourth column) and tests anywhere on the page must exist.
  static func violations(
    inPage file: SourceFile, sources: Set<Substring>, tests: [Substring: Set<Substring>]
  ) -> [Violation] {
    file.lines.enumerated().flatMap { index, line in
      let missingTests = quoted(in: line).filter { name in
        let parts = name.split(separator: ".")
        guard parts.count == 2, parts[0].hasSuffix("Tests"), parts[0].first?.isUppercase == true else { return false }
        return tests[parts[0]]?.contains(parts[1]) != true
      }
      var missing = missingTests.map { "there is no test \($0)" }
      if ruleNumber(of: line) != nil {
        let columns = line.split(separator: "|")
        let files = columns.count > 3 ? quoted(in: columns[3]) : []
        missing += files.filter { !sources.contains($0) }.map { "there is no file \($0).swift" }
      }
      return missing.map { Violation(path: file.path, line: index + 1, rule: $0) }
    }
  }

  /// The names of the test functions of a file, raw identifiers without their backticks.
  static func tests(in file: SourceFile) -> Set<Substring> {
    var found: Set<Substring> = []
    for line in file.lines {
      guard let place = line.firstRange(of: "func ") else { continue }
      let rest = line[place.upperBound...]
      found.insert(
        rest.first == "`" ? rest.dropFirst().prefix { $0 != "`" } : rest.prefix { $0.isLetter || $0.isNumber })
    }
    return found
  }

  /// `Engine+Launch` of `Sources/Device/Engine/Life/Engine+Launch.swift`.
  static func name(of file: SourceFile) -> Substring {
    let last = file.path.split(separator: "/").last ?? ""
    return last.hasSuffix(".swift") ? last.dropLast(6) : last
  }

  private static func ruleNumber(of line: Substring) -> Substring? {
    guard line.hasPrefix("| "), let cell = line.split(separator: "|").first else { return nil }
    let number = cell.split(separator: " ").first ?? ""
    let isNumber = number.contains(".") && number.allSatisfy { $0.isNumber || $0 == "." }
    return isNumber ? number : nil
  }

  private static func quoted(in text: Substring) -> [Substring] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map(
      \.element)
  }

  private static func cited(on line: Substring) -> [Substring] {
    guard let start = line.firstRange(of: mark) else { return [] }
    let end = line[start.lowerBound...].firstRange(of: "RFC")?.lowerBound ?? line.endIndex
    return line[start.lowerBound..<end].split(separator: "§").dropFirst().map { part in
      var number = part.prefix { $0.isNumber || $0 == "." }
      while number.last == "." { number = number.dropLast() }
      return number
    }
  }
}
