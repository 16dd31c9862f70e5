import Base
import Contract
import JSON
import Scenario

/// The result of an act, in terms of a scenario.
enum PlannedStep: Equatable, Sendable {
  case fault(Fault)
  case act(PlannedAct)
}

/// The acts of a session, in order.
struct SteeredPlan: Sendable {
  var steps: [PlannedStep] = []

  /// Returns the document of a scenario with the acts added.
  func document(from document: ScenarioDocument, of scenario: Scenario) -> ScenarioDocument {
    var (document, whole) = (document, scenario)
    for case .fault(let fault) in steps { document.append(fault.json, to: "faults") }
    for case .act(let act) in steps { whole.insert(act) }
    if !whole.acts.isEmpty {
      document.remove(DocumentPath([.key("acts")]))
      for act in whole.acts { document.append(act.json, to: "acts") }
    }
    // Where only some members are simulated, those that acts add are included.
    for fleet in scenario.fleets where !fleet.value.executor.startsTrips {
      guard let members = fleet.value.traits.members else { continue }
      let added = fleet.value.executor.peakDevices..<whole.places(of: fleet)
      if !added.isEmpty { document.setMembers(members + Array(added), of: fleet.name) }
    }
    return document
  }
}

extension Fault {
  /// The JSON of a fault that results from an act.
  fileprivate var json: JSONValue {
    var object: JSONObject = ["name": .string(name)]
    if let start { object["at"] = .duration(start) }
    if duration > .zero { object["for"] = .duration(duration) }
    if let occurrences { object["occurrences"] = .array(occurrences.map(\.json)) }
    var select = JSONObject()
    if let fleet = selection.fleet { select["fleet"] = .string(fleet) }
    if let fraction = selection.fraction { select["fraction"] = .double(fraction) }
    if let place = selection.place {
      select["place"] = .array(place.vertices.map { .array([.double($0.latitude), .double($0.longitude)]) })
    }
    if !select.members.isEmpty { object["select"] = .object(select) }
    switch action {
    case .network(let name): object["network"] = .string(name)
    case .authorization: object["auth"] = .object(["expireAllAccessTokens": .bool(true)])
    case .lifecycle: object["lifecycle"] = .object(["terminate": .bool(true)])
    default: preconditionFailure("no act is such a fault")
    }
    return .object(object)
  }
}

extension JSONValue {
  fileprivate static func duration(_ span: Nanoseconds) -> JSONValue {
    .string(ScenarioDocument.text(ofSeconds: span.seconds))
  }
}
