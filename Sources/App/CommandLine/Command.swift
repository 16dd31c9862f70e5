/// One word of `rollingroad COMMAND`.
struct Command: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// The whole text of `rollingroad COMMAND --help`.
  let help: String
  /// Gets the words after the command's name.
  let run: @Sendable ([String], ProcessContext) -> ExitCode
}

extension Command {
  static let version = Command(
    name: "version",
    summary: "print the version and exit",
    help: """
      usage: rollingroad version

      Prints "rollingroad" and the version on one line.
      """,
    run: { words, process in
      guard words.isEmpty else {
        process.writeError("rollingroad version: unexpected '\(words[0])'; the command takes no arguments")
        return .usage
      }
      process.writeOutput("rollingroad \(Product.version)")
      return .ok
    })
}
