internal import Base
internal import Contract
internal import JSON

extension ScenarioDocument {
  /// The same document with what `scenario`, which was made from it, has chosen and scaled; and without what a run only
  /// is judged by, or writes.
  package func adopting(_ scenario: Scenario) -> ScenarioDocument {
    var result = self
    for name in ["$schema", "description", "checks", "thresholds", "coverage", "outputs"] {
      result.remove(DocumentPath([.key(name)]))
    }
    if result.json["clock"] == nil { result.set(DocumentPath([.key("clock")]), to: .emptyObject) }
    result.setSeconds(scenario.clock.duration.seconds, at: DocumentPath([.key("clock"), .key("duration")]))
    result.setSeconds(scenario.clock.settle.seconds, at: DocumentPath([.key("clock"), .key("settle")]))
    for name in fleetNames where !scenario.fleets.contains(where: { $0.name == name }) {
      result.remove(DocumentPath([.key("fleets"), .key(name)]))
    }
    for fleet in scenario.fleets { result.adopt(fleet) }
    for index in faultNames.indices.reversed() {
      let place = DocumentPath([.key("faults"), .index(index)])
      guard let fault = scenario.faults.first(where: { $0.name == faultNames[index] }) else {
        result.remove(place)
        continue
      }
      if let count = fault.selection.count {
        result.set(place.appending(.key("select"), .key("count")), to: .integer(Int64(count)))
      }
      if let occurrences = fault.occurrences { result.setOccurrences(occurrences, of: index) }
    }
    return result
  }

  private mutating func adopt(_ fleet: Named<Fleet>) {
    let place = DocumentPath([.key("fleets"), .key(fleet.name)])
    func number(_ key: String) -> DocumentPath { place.appending(.key(key)) }
    func target(_ stage: Int) -> DocumentPath { place.appending(.key("stages"), .index(stage), .key("target")) }
    switch fleet.value.executor {
    case .constantDevices(let constant): set(number("devices"), to: .integer(Int64(constant.devices)))
    case .rampingDevices(let ramp):
      set(number("startDevices"), to: .integer(Int64(ramp.startDevices)))
      for (index, stage) in ramp.stages.enumerated() { set(target(index), to: .double(stage.target)) }
    case .constantArrivals(let arrivals):
      set(number("rate"), to: .double(arrivals.rate))
      set(number("maxDevices"), to: .integer(Int64(arrivals.maxDevices)))
    case .rampingArrivals(let arrivals):
      set(number("startRate"), to: .double(arrivals.startRate))
      set(number("maxDevices"), to: .integer(Int64(arrivals.maxDevices)))
      for (index, stage) in arrivals.stages.enumerated() { set(target(index), to: .double(stage.target)) }
    }
    if let members = fleet.value.traits.members { setMembers(members, of: fleet.name) }
  }

  /// Instead of whatever says when the fault comes, and to whom.
  package mutating func setOccurrences(_ occurrences: [ListedOccurrence], of fault: Int) {
    let place = DocumentPath([.key("faults"), .index(fault)])
    for key in ["at", "rate", "select"] { remove(place.appending(.key(key))) }
    set(place.appending(.key("occurrences")), to: .array(occurrences.map(\.json)))
  }

  package mutating func setMembers(_ members: [Int], of fleet: String) {
    set(
      DocumentPath([.key("fleets"), .key(fleet), .key("members")]), to: .array(members.map { .integer(Int64($0)) }))
  }

  package var fleetNames: [String] {
    guard case .object(let fleets)? = json["fleets"] else { return [] }
    return fleets.members.map(\.key)
  }

  package var faultNames: [String] {
    guard case .array(let faults)? = json["faults"] else { return [] }
    return faults.map { if case .string(let name)? = $0["name"] { name } else { "" } }
  }
}

extension ListedOccurrence {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "fleet": .string(fleet), "member": .integer(Int64(member)), "at": .string(Measure.duration.text(start.seconds)),
    ]
    if number != 0 { object["number"] = .integer(Int64(number)) }
    return .object(object)
  }
}
