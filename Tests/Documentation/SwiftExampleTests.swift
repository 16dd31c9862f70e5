import FoundationEssentials
import IngestServer
import Support
import Testing

/// Programs in Swift: ours, those of the pages, and those of the SDK's documents where they are at hand.
@Suite(.timeLimit(.minutes(10))) struct SwiftExampleTests {
  private static let ownFiles: [String] = files(below: "Tests/Examples")

  private static func files(below folder: String) -> [String] {
    do {
      return try FileManager.default.subpathsOfDirectory(atPath: "\(Document.root)/\(folder)")
        .filter { $0.hasSuffix(".swift") }.sorted().map { "\(Document.root)/\(folder)/\($0)" }
    } catch { preconditionFailure("\(folder) cannot be read: \(error)") }
  }

  /// In mode 6 the build has compiled them.
  @Test func ourExamplesCompileInMode5AndRun() async {
    #expect(await SwiftCompiler.complaint(about: Self.ownFiles, mode: 5) == nil)
    let outcome = await Shell.run("'\(BuiltProgram.path(of: "examples"))'")
    #expect(
      outcome.exitCode == 0 && outcome.output.hasSuffix("the examples have run\n"), "\(outcome.output.suffix(2_000))")
  }

  /// A listener that changes what belongs to the main actor is refused where nothing says that it is on it.
  @Test func whatWouldBeARaceIsRefused() async throws {
    let scratch = try Scratch()
    let file = try scratch.write(
      """
      import BackgroundGeolocation
      @MainActor final class Screen { var count = 0 }
      func listen(_ bgGeo: BGGeo, _ screen: Screen) { bgGeo.onLocation { _ in screen.count += 1 } }
      """, to: "race.swift")
    let complaint = try #require(await SwiftCompiler.complaint(about: [file], mode: 6))
    #expect(complaint.contains("race.swift:3"), "\(complaint)")
  }

  /// A member that no example shows has not been tried in both modes.
  @Test func everyMemberOfTheAPIIsInAnExample() throws {
    let words = try Self.ownFiles.reduce(into: Set<Substring>()) { words, path in
      try words.formUnion(
        String(contentsOfFile: path, encoding: .utf8).split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }
    let folder = "Sources/Device/BackgroundGeolocation"
    for path in Self.files(below: folder) where !path.contains("/Platform/") && !path.hasSuffix("/CoreLocation.swift") {
      for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
        guard let name = Self.publicMember(in: line), !Self.unshown.contains(name) else { continue }
        #expect(words.contains(name), "\(name) of \(path)")
      }
    }
  }

  /// The instance of an app keeps its files beside the program.
  private static let unshown: Set<Substring> = ["shared", "hash", "platform", "unspecified", "ORDER_ASC"]

  private static func publicMember(in line: Substring) -> Substring? {
    var words = line.split(separator: " ")[...]
    guard words.popFirst() == "public" else { return nil }
    if words.first == "static" { words.removeFirst() }
    guard let kind = words.popFirst(), ["func", "var", "let"].contains(kind), let name = words.first else { return nil }
    let end = name.firstIndex { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? name.endIndex
    return name[..<end].isEmpty ? nil : name[..<end]
  }

  @Test(arguments: SwiftCompiler.modes)
  func theBlocksOfThePagesCompileAndRun(mode: Int) async throws {
    for page in Document.all {
      for block in page.blocks where block.language == "swift" {
        let reader = try Reader()
        try Data(Self.track.utf8).write(to: URL(filePath: "\(reader.folder)/drive.gpx"))
        let lines = block.text.map { $0.replacing("http://127.0.0.1:8080", with: reader.server.url) }
        let file = "\(reader.folder)/block.swift"
        let program = """
          \(lines.filter { $0.hasPrefix("import ") }.joined(separator: "\n"))
          @main struct Page {
            static func main() async throws {
          \(lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n"))
            }
          }
          """
        try Data(program.utf8).write(to: URL(filePath: file))
        let outcome = await SwiftCompiler.run(["-parse-as-library", file], mode: mode, in: reader.folder)
        #expect(outcome.exitCode == 0, "\(page.path):\(block.line): \(outcome.output)")
        guard lines.contains(where: { $0.contains(reader.server.url) }) else { continue }
        let stored = await reader.type("curl -s http://127.0.0.1:8080/admin/v1/devices/phone-1/locations")
        #expect(stored.output.contains(#""odometer""#), "\(page.path):\(block.line): \(stored.output)")
      }
    }
  }

  /// A minute and a half north at 36 km/h.
  private static let track: String = {
    let points = (0..<90).map { second in
      let time = "2026-07-28T18:\(34 + second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
      return "<trkpt lat=\"\(45.5 + Double(second) * 9e-5)\" lon=\"-73.6\"><time>\(time)</time></trkpt>"
    }
    return "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
  }()
}
