import JSON
import Testing

@testable import Scenario

/// A scenario that is written down again is the same scenario.
@Suite struct ScenarioDocumentTests {
  private func path(_ text: String) throws -> DocumentPath { try #require(DocumentPath(text)) }

  @Test func whatWasReadReadsTheSameAgain() throws {
    let overrides = ["clock.duration=3h", "fleets.few.devices=4"].compactMap { Override(setting: $0) }
    let first = try ScenarioReader(overrides: overrides) { $0 == "RUN" ? "seven" : nil }.read(EveryKey.text)
    let second = try ScenarioReader.read(first.document)
    #expect(second.document == first.document)
    // Headers and tags keep their positions, which are those of another text.
    let (one, other) = (first.scenario, second.scenario)
    #expect(one.seed == other.seed && one.clock == other.clock && one.routes.map(\.value) == other.routes.map(\.value))
    #expect(one.motions.map(\.value.speed) == other.motions.map(\.value.speed))
    #expect(one.fleets.map(\.value.executor) == other.fleets.map(\.value.executor))
    #expect(one.fleets.map(\.value.traits.members) == other.fleets.map(\.value.traits.members))
    #expect(one.faults.map(\.selection) == other.faults.map(\.selection) && one.coverage == other.coverage)
    #expect(second.scenario.target.headers["X-Run"] == "seven")
    #expect(second.scenario.sdk == first.scenario.sdk)
  }

  @Test func variablesThatStandForNumbersStillDo() throws {
    let text = scenario("target: { headers: { A: '$${HOME} ${NAME} ${device.id}' } }", fleet: "devices: '${N}'")
    let first = try ScenarioReader { ["N": "7", "NAME": "${x"][$0] }.read(text)
    #expect(try first.document[path("target.headers.A")] == .string("$${HOME} $${x ${device.id}"))
    let second = try ScenarioReader.read(first.document)
    #expect(second.document == first.document)
    #expect(second.scenario.fleets[0].value.executor.peakDevices == 7)
  }

  @Test func valuesAreChangedWhereTheyStand() throws {
    var document = try ScenarioReader().read(EveryKey.text).document
    document.set(try path("fleets.vans.members"), to: .array([.integer(1)]))
    document.set(try path("fleets.nobody.members"), to: .array([.integer(1)]))
    document.remove(try path("faults[0]"))
    document.remove(try path("faults[99]"))
    document.remove(try path("clock.settle"))
    let changed = try ScenarioReader.read(document).scenario
    #expect(changed.fleets.map(\.value.traits.members) == [[1], nil, nil, nil])
    #expect(changed.faults.first?.name == "late" && changed.clock.settle == Clock().settle)
    #expect(try document[path("fleets.nobody")] == nil && document[path("faults[0].name")] == .string("late"))
  }

  @Test func membersAreJudged() {
    let inOrder = "f:1:69: fleets.cars.members[1]: 1 follows 1; write each number once, in ascending order"
    #expect(problems(in: scenario(fleet: "devices: 3, members: [1, 1]")) == [inOrder])
    let beyond = "f:1:69: fleets.cars.members[1]: there is no device 3 among 3; write numbers from 0 to 2"
    #expect(problems(in: scenario(fleet: "devices: 3, members: [0, 3]")) == [beyond])
  }

  @Test func aScaleKeepsTheMembersThatThereAre() throws {
    let scaled = try read(scenario(fleet: "devices: 10, members: [0, 4, 9]")).scaled(by: 0.5)
    #expect(scaled.fleets[0].value.traits.members == [0, 4])
    #expect(RunPlan(try read(scenario(fleet: "devices: 10, members: [0, 4, 9]"))).peakDevices == 3)
  }
}
