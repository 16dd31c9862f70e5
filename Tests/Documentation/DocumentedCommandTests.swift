import Testing

/// Every command of the documentation does what it says, typed by somebody who has nothing but the page.
@Suite struct DocumentedCommandTests {
  @Test(.timeLimit(.minutes(20)), arguments: (Document.all + Document.help).filter { !$0.commands.isEmpty })
  func everyCommandOfAPageRuns(page: Document) async throws {
    let reader = try Reader()
    for command in page.commands where !Treatment.isRepeated(command, on: page) {
      if let complaint = await reader.complaint(about: command) { Issue.record("\(page.path): \(complaint)") }
    }
  }

  @Test func everyBlockSaysWhatItHolds() {
    for page in Document.all {
      for block in page.blocks {
        #expect(
          ["sh", "swift", "text", "json", "json5", "yaml"].contains(block.language), "\(page.path):\(block.line)")
      }
      #expect(page.indentedCommands == [], "\(page.path)")
    }
  }

  @Test func nothingIsNamedThatNoPageHas() {
    let commands = (Document.all + Document.help).flatMap(\.commands)
    for (beginning, _) in Treatment.special {
      #expect(commands.contains { $0.hasPrefix(beginning) }, "\(beginning)")
    }
    for beginning in Treatment.once {
      #expect(commands.contains { $0.hasPrefix(beginning) }, "\(beginning)")
    }
    for (words, _) in Treatment.shorter { #expect(commands.contains { $0.contains(words) }, "\(words)") }
  }

  @Test func aCommandThatDoesNotWorkIsFound() async throws {
    let page = Document(
      path: "a.md",
      text: "```sh\nrollingroad simulat first-drive # not a word\ncurl -s http://127.0.0.1:8080/nowhere\n```\n")
    let reader = try Reader()
    for command in page.commands { #expect(await reader.complaint(about: command) != nil, "\(command)") }
    #expect(page.commands.count == 2)
  }

  @Test func aBlockIsTakenApartAsTheShellDoes() {
    let block = """
      one --a 'b # c'   # a remark that isn't one

      # nothing
      two -d '
        {"x": "it"}'
      three \\
        four
      """
    #expect(
      ShellText.commands(in: block.split(separator: "\n", omittingEmptySubsequences: false))
        == ["one --a 'b # c'", "two -d '\n  {\"x\": \"it\"}'", "three \\\n  four"])
  }
}
