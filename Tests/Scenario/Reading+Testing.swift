import Base
import Testing

@testable import Scenario

/// The smallest scenario, with more keys where the test wants them.
func scenario(_ more: String = "", fleet: String = "devices: 1") -> String {
  "{ version: 1, name: 'x', fleets: { cars: { \(fleet) } }, \(more) }"
}

/// All problems as `line:column path: message; remedy`; empty when there are none.
func problems(in text: String, overrides: [Override] = [], variables: [String: String] = [:]) -> [String] {
  do throws(ScenarioErrors) {
    _ = try ScenarioReader(overrides: overrides) { variables[$0] }.read(text)
    return []
  } catch {
    return error.all.map { $0.text(sources: ["f"] + overrides.map(\.origin)) }
  }
}

func read(
  _ text: String, overrides: [Override] = [], variables: [String: String] = [:]
) throws -> Scenario {
  try ScenarioReader(overrides: overrides) { variables[$0] }.read(text).scenario
}
