import JSON
import Scenario
import Upload

extension OutsideSetup {
  /// Puts the streets of the run's cities under the devices on the target's live page. Only a Rolling Road server has
  /// one; it is asked first by reading. Gives why a page shows no streets; nil when
  /// it does, or when there is no page.
  package func showStreets(of setup: RunSetup) throws -> String? {
    guard isOurs, let map = CityMap(setup)?.geoJSON else { return nil }
    let administration = TargetAdministration(try Questioner(transport), of: self)
    let answer = administration.ask("/admin/v1/map")
    if answer.wantsToken { return "the live page shows no streets: the server's administration wants --admin-token" }
    guard JSONValue(answerOf: answer)?["type"] == .string("FeatureCollection") else { return nil }
    return administration.ask("/admin/v1/map", by: "PUT", body: map).refusal.map {
      "the live page shows no streets: \($0)"
    }
  }
}
