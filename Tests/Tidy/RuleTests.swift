import Testing

/// The rules themselves: each is shown a file that breaks it and one that does not.
@Suite struct RuleTests {
  private func lines(_ violations: [Violation]) -> [Int] { violations.map(\.line) }

  private static let manifest = SourceFile(
    path: "Package.swift",
    text: """
      func library(_ name: String, in folder: String = "", needs: [Target.Dependency] = []) -> Target {
        .target(name: name, dependencies: needs, path: "Sources/\\(folder)\\(name)", swiftSettings: productSettings)
      }
          .library(name: "JSON", targets: ["JSON"]),
          // library("Comment", needs: ["Base"]),
          library("Base"),
          library("JSON", in: "Wire/"),
          library(
            "Contract", in: "Wire/",
            needs: [
              "JSON", "Base",
            ]),
          library("World", in: "Simulator/", needs: ["Base"]), library("Scenario", in: "Simulator/"),
          library("BackgroundGeolocation", in: "Device/"),
          .target(name: "Support", dependencies: ["Base"], path: "Tests/Support"),
          .executableTarget(
            name: "rollingroad", dependencies: ["JSON"], path: "Sources/App/rollingroad", swiftSettings: settings),
      """)
  private let arrows = Arrows(manifest: Self.manifest)

  @Test func theManifestIsRead() {
    #expect(
      arrows.targets.map(\.name) == [
        "Base", "JSON", "Contract", "World", "Scenario", "BackgroundGeolocation", "rollingroad",
      ])
    #expect(
      arrows.target(of: "Sources/Wire/Contract/A.swift")
        == Arrows.Target(name: "Contract", folder: "Sources/Wire/Contract", needs: ["JSON", "Base"]))
    #expect(arrows.target(of: "Sources/App/rollingroad/main.swift")?.needs == ["JSON"])
  }

  @Test func aTableThatMissesAnInvariantIsFound() {
    let page = SourceFile(
      path: "docs/architecture.md",
      text: """
        | I1 | `Rules/A.swift` |
        | I2 | `Rules/A.swift`, `Book/Gone.swift` |
        | I9 | `Rules/A.swift` |
        """)
    let cases = SourceFile(
      path: "I.swift", text: "  case one = \"I1-one\"\n  case two = \"I2-two\"\n  case three = \"I3-three\"\n")
    let (first, second) = (
      SourceFile(path: "Oracle/Rules/A.swift", text: "{ .one }"), SourceFile(path: "Oracle/Rules/B.swift", text: "")
    )
    let found = InvariantTable.violations(
      in: page, cases: cases, judges: [first, second], rules: [first, second])
    #expect(
      found.map(\.description) == [
        "docs/architecture.md:2: Rules/A.swift says nothing of I2",
        "docs/architecture.md:2: there is no Book/Gone.swift",
        "docs/architecture.md:3: there is no invariant I9",
        "docs/architecture.md:1: the table does not name I3",
        "docs/architecture.md:1: the table does not name Oracle/Rules/B.swift",
      ])
  }

  @Test func aTableThatIsNotTheManifestIsFound() {
    let page = SourceFile(
      path: "docs/architecture.md",
      text: """
        | folder | target | knows | imports |
        | `Sources/Base` | `Base` | clocks | nothing |
        | `Sources/Wire` | `JSON` `Contract` | bytes | `Base` |
        | | `World` | bodies | `Base` `Contract` |
        | | `BackgroundGeolocation` `rollingroad` | all | all of the above but `JSON` |
        """)
    #expect(
      arrows.violations(inTable: page).map(\.description) == [
        "docs/architecture.md:3: the arrow to JSON is missing",
        "docs/architecture.md:4: the manifest has no arrow to Contract",
        "docs/architecture.md:1: the table does not name the target Scenario",
      ])
  }

  @Test(arguments: [
    "import Glibc", "package import Base", "@preconcurrency public import Foundation", "import struct Base.Instant",
    "import IngestServer",
  ])
  func aWrongArrowIsFound(line: String) {
    let file = SourceFile(path: "Sources/Wire/JSON/Reader.swift", text: "// JSON\n\(line)\n")
    #expect(lines(arrows.violations(in: file)) == [2])
  }

  @Test func aRightArrowIsNot() {
    let text =
      "package import Base\nimport JSON\nimport Synchronization\n// import Glibc is not ours\nlet important = 1\n"
    #expect(arrows.violations(in: SourceFile(path: "Sources/Wire/Contract/A.swift", text: text)) == [])
  }

  @Test func baseReadsTheClockInOneFileOnly() {
    let text = "import Glibc\n"
    #expect(arrows.violations(in: SourceFile(path: "Sources/Base/Time/SystemClock.swift", text: text)) == [])
    #expect(lines(arrows.violations(in: SourceFile(path: "Sources/Base/Random/A.swift", text: text))) == [1])
  }

  @Test func aFolderOutsideTheArchitectureIsFound() {
    #expect(lines(arrows.violations(in: SourceFile(path: "Sources/Misc/A.swift", text: "let a = 1\n"))) == [1])
  }

  @Test func aTypeNameOfTwoTargetsIsFound() {
    let glossary = SourceFile(path: "docs/glossary.md", text: "| way | `Way` |\n")
    let world = SourceFile(
      path: "Sources/Simulator/World/A.swift", text: "package struct Trip: Sendable {\n}\nstruct Way {\n}\n")
    func violations(_ path: String, _ text: String) -> [Int] {
      lines(Names.violations(in: [world, SourceFile(path: path, text: text)], of: arrows, glossary: glossary))
    }
    let scenario = "Sources/Simulator/Scenario/B.swift"
    #expect(violations(scenario, "enum Other {}\n@safe final class Trip {}\n") == [2])
    #expect(violations(scenario, "private struct Trip {}\nstruct A {\n  struct Trip {}\n}\n") == [])
    #expect(violations(scenario, "struct A {\n  private struct Way {}\n}\n") == [2])
    #expect(violations("Sources/Simulator/World/B.swift", "struct A {\n  struct Way {}\n}\n") == [])
    #expect(violations("Sources/Device/BackgroundGeolocation/B.swift", "public struct Trip {}\n") == [])
    #expect(violations("Sources/Simulator/World/B.swift", "struct Trip<T> {}\n") == [])
  }

  @Test func aTypeThatTheGlossaryInventsOrMisplacesIsFound() {
    let page = SourceFile(
      path: "docs/glossary.md",
      text:
        "| trip | `Trip` in `A.swift` |\n| ghost | `url`, `Ghost` |\n| trip | `Trip` |\n| way | `Way` |\n| leg | `Trip` in `Way.swift` |\n"
    )
    let world = SourceFile(path: "Sources/Simulator/World/A.swift", text: "package struct Trip: Sendable {\n}\n")
    let way = SourceFile(path: "Sources/Simulator/World/Way.swift", text: "struct Way {\n}\n")
    #expect(lines(Names.violations(inGlossary: page, of: [world, way])) == [2, 3, 5])
  }

  @Test func whatNothingUsesIsFound() {
    let source = SourceFile(
      path: "Sources/Base/A.swift",
      text:
        "let idle = 1 // idle\nlet used = 2\n  private static func lonely(_ a: Int) {}\nfunc measured() -> Int { used }\n"
    )
    let bench = SourceFile(path: "loadtest/base/main.swift", text: "print(measured()) // lonely\n")
    #expect(lines(Uses.violations(in: [source], usedBy: [bench])) == [1, 3])
  }

  @Test func aKeyThatNothingReadsIsFound() {
    let table = SourceFile(
      path: "Table.swift",
      text: """
        struct Plan { // idle
          var used = 1
          var idle = 1
          var part = Part()
        }
        extension Plan {
          static let table = Table<Plan>(
            [
              .key("used", \\.used, .count, "It is."),
              .optional(
                "idle", \\.idle, .count, "It is not."),
              .key("part", \\.part, .section(), "It is."),
            ])
        }
        extension Part {
          static let table = Table<Part>(
            [.key("used", \\.used, .count, "That of the plan is.")])
        }
        """)
    func violations(_ reader: String) -> [Int] {
      lines(ScenarioKeys.violations(in: [table], readBy: [table, SourceFile(path: "Reader.swift", text: reader)]))
    }
    let reads = "func read(plan: Plan, other: Other) {\n  if let section = plan.part { use(plan.used, other.idle) }\n"
    #expect(violations(reads) == [10, 17])
    #expect(violations(reads + "  use(section.used)\n}\n") == [10])
    #expect(violations(reads + "}\nextension Part {\n  var twice: Int { used * 2 }\n}\n") == [10])
    #expect(violations(reads + "  use(parts.map { $0.used })\n}\nlet parts: [Part]\n") == [10])
  }

  @Test func aKeyThatIsReadAfterAllIsTakenOffTheList() {
    let table = SourceFile(
      path: "Table.swift",
      text: "extension Scenario {\n  let table = Table<Scenario>(\n    .key(\"version\", \\.version, .count, \"\"),\n")
    let reader = SourceFile(path: "Reader.swift", text: "let scenario: Scenario\nlet a = scenario.version\n")
    #expect(ScenarioKeys.violations(in: [table], readBy: [table]) == [])
    #expect(lines(ScenarioKeys.violations(in: [table], readBy: [table, reader])) == [3])
    #expect(ScenarioKeys.stale(in: [table]).contains("ScenarioKeys.decidedByTable: no table has Dialect.version"))
    #expect(ScenarioKeys.stale(in: [table]).count == ScenarioKeys.decidedByTable.count - 1)
  }

  @Test(arguments: Marks.all)
  func eachMarkIsFound(mark: Marks.Mark) {
    let file = SourceFile(path: "Sources/Base/A.swift", text: "let a = 1\n  \(mark.word) b\n")
    #expect(lines(Marks.violations(in: file)) == [2])
  }

  @Test func aHeaderNameAsALiteralIsFound() {
    let table = SourceFile(
      path: HeaderNames.table,
      text: "static let retryAfter: StaticString = \"Retry-After\"\nstatic let link: StaticString = \"Link\"\n")
    let names = HeaderNames.names(in: table)
    #expect(names == ["retry-after", "link"])
    let text = """
      let a = ["retry-after", "x"]
      append("Retry-After: \\(seconds)")
      writer.member("link", link)
      if name.lowercased() == "link" { return }
      let b = "Link"
      // "Retry-After"
      """
    let folder = "Sources/Server/IngestServer/"
    #expect(
      lines(HeaderNames.violations(in: SourceFile(path: folder + "A.swift", text: text), names: names)) == [1, 2, 4, 5])
    #expect(HeaderNames.violations(in: table, names: names) == [])
  }

  @Test func anExemptionThatNothingNeedsIsFound() {
    let exemptions = Exemptions(list: "List", entries: ["Sources/A/", "Sources/B/", "Sources/C/"]) {
      $0.lines.contains("broken")
    }
    let files = [
      SourceFile(path: "Sources/A/A.swift", text: "broken\n"), SourceFile(path: "Sources/B/B.swift", text: "mended\n"),
    ]
    #expect(
      exemptions.stale(in: files)
        == ["List: nothing in Sources/B/ needs it", "List: nothing in Sources/C/ needs it"])
  }

  @Test func anArrowThatNothingFollowsIsFound() {
    let files = [
      SourceFile(path: "Sources/Wire/Contract/A.swift", text: "import JSON\n"),
      SourceFile(path: "Sources/App/rollingroad/main.swift", text: "import JSON\nimport Glibc\n"),
    ]
    let stale = arrows.stale(in: files)
    #expect(stale.contains("Contract does not import Base") && stale.contains("nothing imports Synchronization"))
    #expect(!stale.contains("Contract does not import JSON") && !stale.contains("rollingroad does not import Glibc"))
  }

  @Test func aParameterThatIsNoMoreIsFound() {
    let file = SourceFile(
      path: "Sources/Base/A.swift",
      text: """
        /// Adds `count` to `total`, under `"key"`; `Other` is a type, and `elsewhere` another function.
        /// - Parameter count: How many.
        /// - Parameters:
        ///   - gone: A second one.
        ///   - step: A third.
        @inlinable
        package func add(
          _ count: Int, step: Int
        ) {
        }
        /// Not `total`, a property.
        var sum = 0
        """)
    let other = SourceFile(path: "Sources/Base/B.swift", text: "func elsewhere() {}\n")
    #expect(
      Comments(product: [file, other]).violations(in: file).map(\.description)
        == [
          "Sources/Base/A.swift:1: there is no total", "Sources/Base/A.swift:4: there is no parameter gone",
        ])
  }

  @Test func unsafeIsFoundOutsideItsPlaces() {
    let text = "let a = unsafe pointer.pointee\n// unsafe in a comment is a word\n"
    #expect(lines(Marks.violations(in: SourceFile(path: "Sources/Wire/Contract/A.swift", text: text))) == [1])
    #expect(Marks.violations(in: SourceFile(path: "Sources/Database/A.swift", text: text)) == [])
  }

  @Test func foundationIsFound() {
    let text = "import Foundation\nimport FoundationEssentials\n"
    #expect(lines(Marks.foundationViolations(in: SourceFile(path: "Sources/Base/A.swift", text: text))) == [1, 2])
    #expect(lines(Marks.foundationViolations(in: SourceFile(path: "Tests/Base/A.swift", text: text))) == [1])
  }

  @Test func aPrivateTestIsFound() {
    let mark = "@Te" + "st"
    let text = """
      \(mark) private func a() {}
        \(mark)(arguments: [1, 2])
        fileprivate func b(c: Int) {}
      private func helper() {}
      \(mark) func d() {}
      """
    #expect(lines(Marks.silentTests(in: SourceFile(path: "Tests/Base/A.swift", text: text))) == [1, 3])
  }

  @Test func theLastAllowedLineIsAllowed() {
    let allowed = String(repeating: "// line\n", count: Sizes.fileLinesMax)
    #expect(Sizes.violations(in: SourceFile(path: "Sources/Base/A.swift", text: allowed)) == [])
    #expect(Sizes.violations(in: SourceFile(path: "Sources/Base/A.swift", text: allowed + "// line\n")).count == 1)
  }

  @Test func aLongFunctionIsFound() {
    func file(_ count: Int) -> SourceFile {
      let body = String(repeating: "    work()\n", count: count)
      return SourceFile(
        path: "Sources/Base/A.swift", text: "struct A {\n  func long() {\n\(body)  }\n  func short() {}\n}\n")
    }
    #expect(Sizes.violations(in: file(Sizes.functionLinesMax)) == [])
    #expect(lines(Sizes.violations(in: file(Sizes.functionLinesMax + 1))) == [2])
  }

  @Test func aStoredPropertyAfterAFunctionIsFound() {
    let text = """
      struct A {
        struct B {
          let early: Int
          init(_ early: Int) { self.early = early }
        }
        let early: Int
        static func make() -> A {
          let local = 1
          return A(local)
        }
        private(set) var allowed = 0
        func f() {}
        private(set) var late = 0
        @Guarded let later: Int
        static let shared = 0
        var computed: Int { 0 }
        var observed = 0 {
          didSet {}
        }
      }
      extension A {
        var computed: Int {
          0
        }
      }
      """
    let file = SourceFile(path: "Sources/Base/A.swift", text: text)
    #expect(lines(StoredProperties.violations(in: file)) == [13, 14, 17])
  }

  @Test func anUndocumentedSymbolIsFound() {
    let text = """
      public struct A {
        /// Said.
        @discardableResult
        public func said() -> Int { 1 }
        public init() {}
        package var internalDetail = 1
      }
      package enum B {}
      public import Base
      """
    #expect(lines(Documentation.violations(in: SourceFile(path: "Sources/Base/A.swift", text: text))) == [1, 5, 8])
  }

  private let page = SourceFile(
    path: "docs/sdk-behaviour.md",
    text: """
      ## 9. Answers
      ### 9.3 Retries
      | 9.3.1 | There is no timer. | D | `Uploader`, `Gone` | `RetryTests.aTest`, `RetryTests.another` |
      """)

  @Test func aRuleThatIsNotOnThePageIsFound() {
    let sdk = "SD" + "K"
    let text = "// \(sdk) §9.3 and §9.3.1.\n// RFC 9110 §15.5\n// (\(sdk) §9.4)\n/// \(sdk) §9, §10; RFC 9112 §6.\n"
    let numbers = Citations.numbers(in: page)
    #expect(numbers == ["9", "9.3", "9.3.1"])
    let found = Citations.violations(in: SourceFile(path: "Sources/Base/A.swift", text: text), numbers: numbers)
    #expect(lines(found) == [3, 4])
  }

  @Test func aTestOrFileThatThePageInventsIsFound() {
    let tests = SourceFile(
      path: "Tests/Upload/RetryTests.swift", text: "  @Test func aTest() {}\n  func `raw name`() {}\n")
    #expect(Citations.tests(in: tests) == ["aTest", "raw name"])
    let found = Citations.violations(
      inPage: page, sources: ["Uploader"], tests: [Citations.name(of: tests): Citations.tests(in: tests)])
    #expect(found.map(\.rule) == ["there is no test RetryTests.another", "there is no file Gone.swift"])
  }
}
