import Testing

@testable import Scenario

@Suite struct BuiltInTests {
  @Test(arguments: BuiltInScenario.all.map(\.name))
  func everyBuiltInIsInOrder(name: String) throws {
    let builtIn = try #require(BuiltInScenario.named(name))
    let result = try ScenarioReader().read(builtIn.text)
    #expect(result.scenario.name == name)
    #expect(result.notes == [])
    #expect(!result.scenario.thresholds.isEmpty && builtIn.description.hasSuffix("."))
    #expect(result.scenario.clock.mode == .virtual)
  }

  @Test func theListIsTheFolder() throws {
    let files = try RepositoryFile.names(in: "Sources/Simulator/Scenario/BuiltIn")
    #expect(files == BuiltInScenario.all.map { $0.name + ".json5" }.sorted())
    for builtIn in BuiltInScenario.all {
      #expect(try RepositoryFile.text("Sources/Simulator/Scenario/BuiltIn/\(builtIn.name).json5") == builtIn.text)
    }
  }
}
