import FoundationEssentials
import Support
import Testing

/// The examples of the SDK's own documents, where somebody has put them beside the checkout: they are not ours to keep.
@Suite(.timeLimit(.minutes(10))) struct VendorExampleTests {
  private struct Example {
    let name: String
    let text: String
  }

  private static let folder = "\(Document.root)/../shared/seeds"
  private static var isThere: Bool { FileManager.default.fileExists(atPath: folder) }

  private static func examples() throws -> [Example] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".txt") }.sorted().flatMap {
      file in
      UnfencedCode.examples(in: try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)).map {
        Example(name: "\(file.prefix(3))_\($0.line)", text: $0.text)
      }
    }
  }

  /// In a function, and in one of the main actor.
  @Test(.enabled(if: isThere, "the documents are not there"), arguments: SwiftCompiler.modes)
  func theyCompile(mode: Int) async throws {
    let scratch = try Scratch()
    let examples = try Self.examples()
    #expect(examples.count >= 54)
    let functions = examples.map {
      "func f\($0.name)() {\n\($0.text)\n}\n@MainActor func m\($0.name)() {\n\($0.text)\n}\n"
    }
    let file = try scratch.write(Self.imports + functions.joined(), to: "examples.swift")
    #expect(await SwiftCompiler.complaint(about: ["-parse-as-library", file], mode: mode) == nil)
  }

  /// Each on a phone of its own, which lives on for a while; on the main actor, as in an app.
  @Test(.enabled(if: isThere, "the documents are not there"))
  func theyRun() async throws {
    let scratch = try Scratch()
    let examples = try Self.examples()
    let functions = examples.map { example in
      """
      @MainActor func f\(example.name)(_ desk: Desk) async throws {
      \(example.text.replacing("BGGeo.shared", with: "desk.bgGeo"))
      try await finish(desk)
      }
      """
    }
    let calls = examples.map { "try await f\($0.name)(Desk())\nprint(\"ran \($0.name)\")" }
    let file = try scratch.write(
      """
      \(Self.imports)\(functions.joined(separator: "\n"))
      func finish(_ desk: Desk) async throws {
        desk.bgGeo.ready { _ in }
        try await desk.bgGeo.start()
        await desk.live()
        desk.bgGeo.close()
      }
      @main struct Program {
        @MainActor static func main() async throws {
      \(calls.joined(separator: "\n"))
        }
      }
      """, to: "run.swift")
    let files = ["\(Document.root)/Tests/Examples/Desk.swift", file]
    let outcome = await SwiftCompiler.run(files, mode: 6, in: scratch.path)
    #expect(outcome.exitCode == 0, "\(outcome.output.suffix(4_000))")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("ran ") }.count == examples.count)
    // A task of an example may come to ask only when its phone is being closed, which cancels what it asks for (499).
    let failures = lines.filter { line in
      ["] ERROR", "] FAILURE", "] error"].contains(where: line.contains) && !line.contains("499: cancelled")
    }
    #expect(failures == [])
  }

  private static let imports = "import BackgroundGeolocation\nimport FoundationEssentials\n"
}
