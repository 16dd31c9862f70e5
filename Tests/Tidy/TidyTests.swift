import Testing

/// The house rules, held against the repository as it stands.
@Suite struct TidyTests {
  private func check(_ folders: [String], _ endings: [String], _ rule: (SourceFile) -> [Violation]) throws {
    let files = try SourceTree.files(in: folders, endings: endings)
    try #require(!files.isEmpty)
    for violation in files.flatMap(rule) { Issue.record("\(violation.description)") }
  }

  @Test func importsFollowTheArrows() throws {
    try check(["Sources"], [".swift"], Arrows.ofRepository().violations(in:))
  }

  @Test func theTableOfTargetsIsTheManifest() throws {
    let arrows = try Arrows.ofRepository()
    #expect(arrows.targets.count > 30)
    for violation in arrows.violations(inTable: try SourceTree.file("docs/architecture.md")) {
      Issue.record("\(violation)")
    }
  }

  @Test func theTableOfInvariantsNamesWhatJudgesThem() throws {
    let violations = InvariantTable.violations(
      in: try SourceTree.file("docs/architecture.md"),
      cases: try SourceTree.file("Sources/Simulator/Scenario/Sections/Verdict/Invariant.swift"),
      judges: try SourceTree.files(in: ["Sources/Simulator/Oracle"], endings: [".swift"]),
      rules: try SourceTree.files(in: ["Sources/Simulator/Oracle/Rules"], endings: [".swift"]))
    for violation in violations { Issue.record("\(violation)") }
  }

  @Test func aTypeNameHasOneMeaning() throws {
    let files = try SourceTree.files(in: ["Sources"], endings: [".swift"])
    let glossary = try SourceTree.file("docs/glossary.md")
    for violation in try Names.violations(in: files, of: .ofRepository(), glossary: glossary) {
      Issue.record("\(violation)")
    }
  }

  @Test func everyTypeOfTheGlossaryExists() throws {
    let page = try SourceTree.file("docs/glossary.md")
    let files = try SourceTree.files(in: ["Sources"], endings: [".swift"])
    for violation in Names.violations(inGlossary: page, of: files) { Issue.record("\(violation)") }
  }

  @Test func whatIsDeclaredIsUsed() throws {
    let sources = try SourceTree.files(in: ["Sources"], endings: [".swift"])
    let benches = try SourceTree.files(in: ["loadtest"], endings: [".swift"])
    for violation in Uses.violations(in: sources, usedBy: benches) {
      Issue.record("\(violation)")
    }
  }

  @Test func foundationStaysOffTheWay() throws {
    try check(["Sources", "Tests", "loadtest"], [".swift"], Marks.foundationViolations)
  }

  @Test func nothingIsLeftBehind() throws {
    try check(["Sources", "Tests", "loadtest"], [".swift", ".c", ".h"], Marks.violations)
    try check(["page"], [".html", ".css", ".js"], Marks.violations)
  }

  @Test func headerFieldsAreNamedInOnePlace() throws {
    let names = HeaderNames.names(in: try SourceTree.file(HeaderNames.table))
    #expect(names.count > 30)
    try check(["Sources"], [".swift"]) { HeaderNames.violations(in: $0, names: names) }
  }

  @Test func noExemptionIsLeftOver() throws {
    let files = try SourceTree.files(in: ["Sources", "Tests", "loadtest"], endings: [".swift", ".c", ".h"])
    for stale in Exemptions.all.flatMap({ $0.stale(in: files) }) { Issue.record("\(stale)") }
    let tables = try SourceTree.files(in: ["Sources/Simulator/Scenario"], endings: [".swift"])
    for stale in ScenarioKeys.stale(in: tables) { Issue.record("\(stale)") }
    for stale in try Arrows.ofRepository().stale(in: files) { Issue.record("\(stale)") }
  }

  @Test func commentsNameWhatIsThere() throws {
    let comments = Comments(product: try SourceTree.files(in: ["Sources"], endings: [".swift"]))
    try check(["Sources"], [".swift"], comments.violations)
  }

  @Test func everyTestIsRun() throws {
    try check(["Tests"], [".swift"], Marks.silentTests)
  }

  @Test func filesAndFunctionsStaySmall() throws {
    try check(["Sources", "Tests", "loadtest"], [".swift", ".c", ".h"], Sizes.violations)
    try check(["page"], [".html", ".css", ".js"], Sizes.violations)
  }

  @Test func storedPropertiesStandBeforeFunctions() throws {
    try check(["Sources"], [".swift"], StoredProperties.violations)
  }

  @Test func everyKeyOfAScenarioDoesSomething() throws {
    let tables = try SourceTree.files(in: ["Sources/Simulator/Scenario"], endings: [".swift"])
    let readers = try SourceTree.files(
      in: ["Sources/Simulator", "Sources/App"], endings: [".swift"])
    for violation in ScenarioKeys.violations(in: tables, readBy: readers) { Issue.record("\(violation)") }
  }

  @Test func whatOthersSeeIsDocumented() throws {
    try check(["Sources"], [".swift"], Documentation.violations)
  }

  @Test func everyRuleThatIsCitedIsOnThePage() throws {
    let page = try SourceTree.file("docs/sdk-behaviour.md")
    let numbers = Citations.numbers(in: page)
    #expect(numbers.count > 150)
    try check(["Sources", "Tests", "loadtest"], [".swift", ".c", ".h", ".sh", ".py"]) {
      Citations.violations(in: $0, numbers: numbers)
    }
    try check(["docs"], [".md"]) { Citations.violations(in: $0, numbers: numbers) }
  }

  @Test func thePageOfTheSDKNamesFilesAndTestsThatExist() throws {
    let page = try SourceTree.file("docs/sdk-behaviour.md")
    let sources = try SourceTree.files(in: ["Sources"], endings: [".swift"])
    let tests = try SourceTree.files(in: ["Tests"], endings: [".swift"])
    let named = Dictionary(tests.map { (Citations.name(of: $0), Citations.tests(in: $0)) }) { $0.union($1) }
    let violations = Citations.violations(
      inPage: page, sources: Set(sources.map { Citations.name(of: $0) }), tests: named)
    for violation in violations { Issue.record("\(violation)") }
  }
}
