import FoundationEssentials
import Testing

@testable import CommandLine

/// A page of the documentation and the commands in its blocks of code.
struct Document: Sendable, CustomTestStringConvertible {
  /// A block that says ```` ```sh ```` holds commands; one that says nothing would hide them.
  struct Block: Sendable {
    let line: Int
    let language: String
    var text: [Substring] = []
  }

  let path: String
  let blocks: [Block]
  /// Four blanks make a block too, in which commands would not be seen.
  let indentedCommands: [String]

  var testDescription: String { path }

  /// In the order of the page.
  var commands: [String] {
    blocks.filter { ["sh", "bash"].contains($0.language) }.flatMap { ShellText.commands(in: $0.text) }
  }

  init(path: String, text: String) {
    self.path = path
    var blocks: [Block] = []
    var indentedCommands: [String] = []
    var isInside = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        if !isInside { blocks.append(Block(line: index + 1, language: String(line.dropFirst(3)))) }
        isInside.toggle()
      } else if isInside {
        blocks[blocks.count - 1].text.append(line)
      } else if line.hasPrefix("    "), Self.programs.contains(String(line.drop { $0 == " " }.prefix { $0 != " " })) {
        indentedCommands.append(String(line))
      }
    }
    (self.blocks, self.indentedCommands) = (blocks, indentedCommands)
  }

  private static let programs = ["rollingroad", "curl", "docker", "kubectl", "scripts/run", "scripts/test", "swift"]

  /// The root of the checkout, from the place of this very file.
  static let root: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  /// README.md and the pages of docs/.
  static let all: [Document] = {
    do {
      let pages = try FileManager.default.contentsOfDirectory(atPath: "\(root)/docs").filter { $0.hasSuffix(".md") }
      return try (["README.md"] + pages.sorted().map { "docs/\($0)" }).map {
        Document(path: $0, text: try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8))
      }
    } catch { preconditionFailure("the documentation cannot be read: \(error)") }
  }()

  /// The examples of `--help`, each command's a page of its own.
  static let help: [Document] = CommandTable.commands.filter { !$0.examples.isEmpty }.map { command in
    let block = ["```sh"] + command.examples + ["```", ""]
    return Document(path: "rollingroad \(command.name) --help", text: block.joined(separator: "\n"))
  }
}
