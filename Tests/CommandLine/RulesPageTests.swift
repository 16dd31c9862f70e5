import AnswerCheck
import Conformance
import Scenario
import Testing

@testable import CommandLine

/// docs/rules.md lists every rule that a run is held against, in the words of the program.
@Suite struct RulesPageTests {
  private static let page = PageText.text("docs/rules.md")

  @Test func everyInvariantHasItsLine() {
    for invariant in Invariant.allCases {
      #expect(Self.page.contains("| `\(invariant.rawValue)` | \(invariant.rule) |\n"), "\(invariant.rawValue)")
    }
    #expect(Self.page.ranges(of: "| `I").count == Invariant.allCases.count)
  }

  @Test func invariantsStandUnderTheirSubject() throws {
    let parts = Self.page.split(separator: "\n## ")
    let server = try #require(parts.first { $0.hasPrefix("Invariants about the server") })
    for invariant in Invariant.allCases {
      #expect(server.contains("`\(invariant.rawValue)`") == (invariant.subject == .server), "\(invariant.rawValue)")
    }
  }

  @Test func everyClauseHasItsLine() {
    for clause in Clause.allCases {
      #expect(Self.page.contains("| \(clause.number) | \(clause.rule) | \(clause.remedy) |\n"), "\(clause.number)")
    }
    let numbers = Self.page.split(separator: "\n").count { $0.dropFirst(2).first?.isNumber ?? false }
    #expect(numbers == Clause.allCases.count)
  }
}

/// docs/operations.md has every exit code, and those of a server stand in its help too.
@Suite struct ExitCodePageTests {
  @Test func everyCodeHasItsLine() {
    let page = PageText.text("docs/operations.md")
    for code in ExitCode.allCases { #expect(page.contains("\n| \(code.rawValue) | "), "\(code)") }
  }

  @Test func theHelpOfAServerHasItsCodes() {
    for code in [ExitCode.ok, .runtimeFailure, .usage, .cannotBind] {
      #expect(Subcommand.serve.details.contains(" \(code.rawValue) "), "\(code)")
    }
  }
}

/// docs/conform.md has each clause and each key of a dialect, in the words of the program.
@Suite struct ConformancePageTests {
  @Test func thePageHasWhatTheProgramPrints() {
    let page = PageText.text("docs/conform.md")
    #expect(page.contains(ConformanceList.markdown), "rollingroad conform --list --reference prints the clauses")
    #expect(page.contains(ScenarioReference.dialect), "rollingroad schema --dialect --reference prints the keys")
  }
}

private enum PageText {
  /// Of a file of the repository.
  static func text(_ path: String) -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return String(decoding: ProcessContext.live().readFile("/\(root)/\(path)") ?? [], as: UTF8.self)
  }
}
