/// The Swift examples in a text that does not mark them: each begins where it gets the instance, and ends before the
/// first line that is no code.
enum UnfencedCode {
  struct Example {
    let line: Int
    var lines: [Substring]
    /// Some begin in the middle of a program.
    var text: String {
      let code = lines.joined(separator: "\n")
      return code.contains(beginning) ? code : "\(beginning)\n\(code)"
    }
  }

  private static let beginning = "let bgGeo = BGGeo.shared"
  private static let words = [
    "//", "let ", "var ", "func ", "Task", "if ", "for ", "bgGeo.", "try ", "await ", "print(", "switch ", "}", ")",
  ]

  static func examples(in text: String) -> [Example] {
    var examples: [Example] = []
    var isInside = false
    var depth = 0
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line == beginning || (!isInside && line.hasPrefix("let ") && line.contains(" = bgGeo.")) {
        examples.append(Example(line: index + 1, lines: []))
        (isInside, depth) = (true, 0)
      }
      guard isInside else { continue }
      guard depth > 0 || line.isEmpty || words.contains(where: line.hasPrefix) else {
        isInside = false
        continue
      }
      examples[examples.count - 1].lines.append(line)
      for character in line {
        if "([{".contains(character) { depth += 1 }
        if ")]}".contains(character) { depth -= 1 }
      }
    }
    return examples
  }
}
