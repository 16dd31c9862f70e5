import FoundationEssentials
import Support
import Testing

/// The kits of docs/kits, each with the runner it is for.
@Suite(.timeLimit(.minutes(8))) struct KitTests {
  /// The runner, and a command that succeeds where it is.
  private static let runners = [
    ("pytest", "python3 -c 'import pytest'"), ("node", "node --version"),
    ("junit", "javac --version && ls /usr/share/java/junit-platform-console.jar"), ("swift", "swift --version"),
  ]

  /// What is not on this machine is skipped, with its reason in the output of `loadtest/kits/run`.
  @Test(arguments: runners) func aKitGivesEachTestARunOfItsOwn(runner: String, isThere: String) async {
    let there = await Shell.run(isThere)
    let outcome = await Shell.run(
      """
      export ROLLINGROAD='\(BuiltProgram.path(of: "rollingroad"))' KIT_TESTS=16
      unset ROLLINGROAD_URL ROLLINGROAD_IMAGE ROLLINGROAD_ADMIN_TOKEN
      '\(Document.root)/loadtest/kits/run' \(runner)
      """)
    #expect(outcome.exitCode == 0, "\(outcome.output)")
    #expect(outcome.output.contains("skipped") == (there.exitCode != 0), "\(outcome.output)")
  }

  /// The kits start a server by themselves as well.
  @Test func aKitStartsAServer() async throws {
    guard await Shell.run("node --version").exitCode == 0 else { return }
    let outcome = await Shell.run(
      """
      export ROLLINGROAD='\(BuiltProgram.path(of: "rollingroad"))' KIT_TESTS=2
      unset ROLLINGROAD_URL ROLLINGROAD_IMAGE
      folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
      cp '\(Document.root)'/docs/kits/rollingroad.mjs '\(Document.root)'/loadtest/kits/kit.test.mjs "$folder"
      cd "$folder" && node --test kit.test.mjs
      """)
    #expect(outcome.exitCode == 0, "\(outcome.output)")
  }

  /// Each is named on the page, and the page names no other.
  @Test func thePageListsTheKits() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(Document.root)/docs/kits")
    let page = try String(contentsOfFile: "\(Document.root)/docs/kits.md", encoding: .utf8)
    let named = page.matches(of: /\]\(kits\/([^)]+)\)/).map { String($0.1) }
    #expect(files.sorted() == named.sorted())
  }
}
