/// As much of the shell's grammar as it takes to tell one command of a block from the next.
enum ShellText {
  /// One for each line, together with the lines that an open quote or a backslash adds to it; without remarks.
  static func commands(in lines: [Substring]) -> [String] {
    var commands: [String] = []
    var open = ""
    for line in lines {
      open += (open.isEmpty ? "" : "\n") + line
      guard let command = complete(open) else { continue }
      if !command.isEmpty { commands.append(command) }
      open = ""
    }
    return open.isEmpty ? commands : commands + [open]
  }

  /// Nil while a quote is open or the line goes on.
  private static func complete(_ text: String) -> String? {
    var quote: Character?
    var isEscaped = false
    var isAtWord = true
    var command = ""
    for character in text {
      if quote == nil, !isEscaped, isAtWord, character == "#" { break }
      command.append(character)
      if isEscaped {
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      }
      isAtWord = quote == nil && character.isWhitespace
    }
    if quote != nil || isEscaped { return nil }
    while command.last?.isWhitespace == true { command.removeLast() }
    return command
  }
}
