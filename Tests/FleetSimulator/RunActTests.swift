import Base
import FleetSimulator
import JSON
import Scenario
import Testing

/// Acts as JSON.
@Suite struct RunActTests {
  private func read(_ text: String) throws -> RunAct {
    try RunAct(json: JSONValue(parsing: Array(text.utf8).span))
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let corners = [(48.0, 11.0), (48.5, 11.0), (48.5, 11.5)].compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }
    let acts: [RunAct] = [
      .addPhones(50, fleet: "cars"), .removePhones(1, fleet: "cars"), .changeRate(1.5, fleet: "cars"),
      .dropNetwork(RunAct.NetworkDrop(for: .seconds(90), in: Polygon(corners), fleet: "cars")),
      .dropNetwork(RunAct.NetworkDrop(for: .milliseconds(1_500))), .expireTokens(fleet: nil),
      .expireTokens(fleet: "cars"), .killApps(RunAct.AppKill(.share(0.25))),
      .killApps(RunAct.AppKill(.count(3), fleet: "cars")), .pause, .resume, .stop, .abort,
    ]
    #expect(Set(acts.map(\.name)) == Set(RunAct.names))
    for act in acts { #expect(try RunAct(json: act.json) == act) }
  }

  @Test(arguments: [
    ("[]", "an act is an object"), ("{}", "the act has no name"), (#"{"adPhones": {}}"#, "did you mean 'addPhones'?"),
    (#"{"pause": {}, "stop": {}}"#, "stop: a second act"), (#"{"pause": 1}"#, "pause: not an object"),
    (#"{"addPhones": {"fleet": "a"}}"#, "addPhones.count: missing; write a whole number"),
    (#"{"addPhones": {"fleet": "a", "count": 0}}"#, "addPhones.count: not a count"),
    (#"{"addPhones": {"flet": "a", "count": 1}}"#, "addPhones.flet: unknown key; did you mean 'fleet'?"),
    (#"{"addPhones": {"count": 1}}"#, "addPhones.fleet: missing"),
    (#"{"changeRate": {"fleet": "a", "factor": -1}}"#, "changeRate.factor: out of range"),
    (#"{"dropNetwork": {"for": 5}}"#, "dropNetwork.for: not a duration"),
    (#"{"dropNetwork": {"for": "5s", "place": [[1, 2]]}}"#, "dropNetwork.place: not a polygon"),
    (#"{"dropNetwork": {"for": "5s", "place": [[1, 2], [1, 3], [99, 3]]}}"#, "dropNetwork.place[2]: not a place"),
    (#"{"killApps": {}}"#, "killApps: no number of apps"),
    (#"{"killApps": {"share": 0.5, "count": 2}}"#, "killApps: both share and count"),
    (#"{"killApps": {"share": 1.5}}"#, "killApps.share: out of range"),
  ])
  func whatIsWrongIsNamed(text: String, message: String) throws {
    let error = #expect(throws: RunActError.self) { try read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func namesAreThoseOfTheRun() throws {
    let read = try ScenarioReader().read(
      """
      { version: 1, name: "x", clock: { mode: "realtime" }, target: { url: "http://127.0.0.1:1/locations" },
        fleets: { cars: { devices: 1 },
          trips: { executor: "constant-arrival-rate", rate: 1, timeUnit: "1m", maxDevices: 5 } } }
      """)
    var setup = try RunSetup(read.scenario)
    let steering = RunSteering(read.scenario, &setup, document: read.document, places: 1)
    func message(_ act: RunAct) -> String {
      do throws(RunActError) { _ = try steering.submit(act) } catch { return error.description }
      return ""
    }
    #expect(message(.expireTokens(fleet: "car")) == "expireTokens.fleet: there is no fleet 'car'; did you mean 'cars'?")
    #expect(message(.pause).hasPrefix("pause: real-time runs cannot be paused; use"))
    #expect(message(.addPhones(1, fleet: "trips")).contains("changeRate"))
    var drop = RunAct.NetworkDrop(for: .seconds(1))
    drop.network = "nome"
    #expect(message(.dropNetwork(drop)).hasSuffix("did you mean 'none'?"))
    #expect(steering.entries.isEmpty && message(.stop).isEmpty && steering.entries.count == 1)
  }
}
