import JSON
import Scenario

extension Shrinker {
  private struct Member {
    let fleet: String
    let index: Int

    var name: String { "\(fleet)-\(index)" }
  }

  /// The victim alone; or as few as it takes.
  mutating func keepFewerDevices() throws {
    guard let setup = Shrinker.setup(plan.document) else { return }
    let members = setup.fleets.flatMap { fleet in fleet.simulated.map { Member(fleet: fleet.name, index: $0) } }
    guard members.count > 1 else { return }
    if try attempt(with: members.filter { $0.name == plan.device }) { return }
    _ = try DeltaDebugging.reduce(members) { try attempt(with: $0) }
  }

  private mutating func attempt(with members: [Member]) throws -> Bool {
    guard !members.isEmpty else { return false }
    var document = plan.document
    for fleet in document.fleetNames {
      let kept = members.filter { $0.fleet == fleet }.map(\.index)
      if kept.isEmpty {
        document.removeFleet(fleet)
      } else {
        document.setMembers(kept, of: fleet)
      }
    }
    return try attempt(document)
  }

  /// The shortest run that is found by halving, and what it ends with.
  mutating func cutTimeline() throws {
    for place in [DocumentPath.duration, .settle] {
      var shortest = 0.0
      guard var longest = plan.document.seconds(at: place) else { continue }
      while longest - shortest > max(1, longest / 16) {
        let middle = ((shortest + longest) / 2).rounded()
        if try attempt(plan.document.lasting(middle, at: place)) { longest = middle } else { shortest = middle }
      }
    }
  }

  mutating func keepFewerFaults() throws {
    guard case .array(let faults)? = plan.document[.faults], !faults.isEmpty else { return }
    let document = plan.document
    _ = try DeltaDebugging.reduce(faults) { kept in
      var smaller = document
      smaller.set(.faults, to: .array(kept))
      return try attempt(smaller)
    }
  }

  /// Whatever need not be said: the outer before the inner, so that most goes at once.
  mutating func takeKeysAway() throws {
    let sections = ["faults", "fleets", "sdk", "target", "geofences", "networks", "motion", "routes"]
    var left = sections.flatMap { name in
      let section = DocumentPath([.key(name)])
      return [section] + plan.document.places(below: section)
    }
    // Places behind one that was taken away have moved, or are gone with it: what stands there now is tried instead.
    while !left.isEmpty {
      let place = left.removeFirst()
      guard plan.document[place] != nil, place.steps.last != .key("members") else { continue }
      var smaller = plan.document
      smaller.remove(place)
      if try attempt(smaller) { left.removeAll { $0.steps.starts(with: place.steps) && $0 != place } }
    }
  }

  /// Shorter faults, at round times.
  mutating func roundTimes() throws {
    for index in plan.document.faultNames.indices {
      let fault = DocumentPath([.key("faults"), .index(index)])
      for place in [fault.appending(.key("for")), fault.appending(.key("at"))] {
        guard let seconds = plan.document.seconds(at: place), seconds > 0 else { continue }
        for simpler in [(seconds / 600).rounded() * 600, (seconds / 60).rounded() * 60, (seconds / 2).rounded()]
        where simpler < seconds {
          var rounded = plan.document
          rounded.setSeconds(simpler, at: place)
          if try attempt(rounded) { break }
        }
      }
    }
  }
}

extension DocumentPath {
  fileprivate static let duration = DocumentPath([.key("clock"), .key("duration")])
  fileprivate static let settle = DocumentPath([.key("clock"), .key("settle")])
  fileprivate static let faults = DocumentPath([.key("faults")])
}

extension ScenarioDocument {
  /// Without what would begin after the end.
  fileprivate func lasting(_ seconds: Double, at place: DocumentPath) -> ScenarioDocument {
    var result = self
    result.setSeconds(seconds, at: place)
    guard place == .duration else { return result }
    for index in faultNames.indices.reversed() {
      let fault = DocumentPath([.key("faults"), .index(index)])
      if let start = result.seconds(at: fault.appending(.key("at"))), start >= seconds { result.remove(fault) }
    }
    return result
  }

  /// And what concerns it alone.
  fileprivate mutating func removeFleet(_ name: String) {
    remove(DocumentPath([.key("fleets"), .key(name)]))
    for index in faultNames.indices.reversed() {
      let fault = DocumentPath([.key("faults"), .index(index)])
      if self[fault.appending(.key("select"), .key("fleet"))] == .string(name) { remove(fault) }
    }
  }
}
