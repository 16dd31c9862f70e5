import Base
import JSON
import Oracle
import Scenario
import World

extension Shrinker {
  private struct Member {
    let fleet: String
    let index: Int

    var name: String { "\(fleet)-\(index)" }
  }

  private func members() -> [Member] {
    guard let setup = setup(plan.document) else { return [] }
    return setup.fleets.flatMap { fleet in fleet.simulated.map { Member(fleet: fleet.name, index: $0) } }
  }

  /// Tries the violating device alone, with the rest of the run unchanged.
  mutating func keepViolatingDevice() throws -> Bool {
    let members = members()
    guard members.count > 1 else { return false }
    return try attempt(with: members.filter { $0.name == plan.device })
  }

  /// Keeps the violating device alone, or as few as possible.
  mutating func keepFewerDevices() throws {
    if try keepViolatingDevice() { return }
    let members = members()
    guard members.count > 1 else { return }
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

  /// Cuts the run after the violation. A violation that is found only at the end may occur in a shorter run: short ones are
  /// tried first, as they are cheapest.
  mutating func cutTimeline() throws {
    if let instant = plan.instant {
      let end = instant.seconds.rounded(.up) + 1
      if end < plan.document.seconds(at: .duration) ?? 0 {
        let cut = plan.document.lasting(end, at: .duration)
        if try !attempt(cut.lasting(Shrinker.settleSeconds, at: .settle)) { _ = try attempt(cut) }
      }
    }
    for place in [DocumentPath.duration, .settle] {
      guard let longest = plan.document.seconds(at: place) else { continue }
      var seconds = 1.0
      while seconds < longest {
        if try attempt(plan.document.lasting(seconds, at: place)) { break }
        seconds *= 2
      }
    }
  }

  /// Long enough for everything under way to arrive.
  private static let settleSeconds = 60.0

  mutating func keepFewerFaults() throws {
    guard case .array(let faults)? = plan.document[.faults], !faults.isEmpty else { return }
    let document = plan.document
    _ = try DeltaDebugging.reduce(faults) { kept in
      var smaller = document
      smaller.set(.faults, to: .array(kept))
      return try attempt(smaller)
    }
  }

  /// Replaces scheduled, random and repeated faults by their single occurrences, then keeps as few of those as possible.
  mutating func keepFewerOccurrences() throws {
    let all = occurrences
    guard !all.isEmpty, all.count <= Shrinker.occurrencesMax else { return }
    let document = plan.document
    guard try attempt(document.listing(all)) || document.listsOccurrences else { return }
    _ = try DeltaDebugging.reduce(all) { try attempt(document.listing($0)) }
  }

  private static let occurrencesMax = 10_000

  /// Removes unnecessary keys: outer ones before inner ones, so that the largest parts go first.
  mutating func takeKeysAway() throws {
    let sections = ["faults", "fleets", "sdk", "target", "geofences", "networks", "motion", "routes"]
    var left = sections.flatMap { name in
      let section = DocumentPath([.key(name)])
      return [section] + plan.document.places(below: section)
    }
    // Paths behind a removed element now refer to other elements or to none; those are tried instead.
    while !left.isEmpty {
      let place = left.removeFirst()
      guard plan.document[place] != nil, place.steps.last != .key("members") else { continue }
      var smaller = plan.document
      smaller.remove(place)
      if try attempt(smaller) { left.removeAll { $0.steps.starts(with: place.steps) && $0 != place } }
    }
  }

  /// Shortens faults, to round times.
  mutating func roundTimes() throws {
    for place in plan.document.places(below: .faults) {
      guard place.steps.last == .key("for") || place.steps.last == .key("at"),
        let seconds = plan.document.seconds(at: place), seconds > 0
      else { continue }
      let round = [600, 60, 1].map { (seconds / $0).rounded() * $0 }
      for simpler in round + [(seconds / 2).rounded()] where simpler < seconds {
        var rounded = plan.document
        rounded.setSeconds(simpler, at: place)
        if try attempt(rounded) { break }
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
  /// Returns the document without faults that would begin after the end.
  fileprivate func lasting(_ seconds: Double, at place: DocumentPath) -> ScenarioDocument {
    var result = self
    result.setSeconds(seconds, at: place)
    guard place == .duration else { return result }
    for index in faultNames.indices.reversed() {
      let fault = DocumentPath([.key("faults"), .index(index)])
      if let start = result.seconds(at: fault.appending(.key("at"))), start >= seconds { result.remove(fault) }
      result.keepOccurrences(of: index) { ScenarioDocument.start(of: $0) < seconds }
    }
    return result
  }

  private static func start(of occurrence: JSONValue) -> Double {
    if case .string(let text)? = occurrence["at"] { ScenarioDocument.seconds(text) ?? 0 } else { 0 }
  }

  /// Keeps some of the listed occurrences; removes a fault without any.
  private mutating func keepOccurrences(of fault: Int, where isKept: (JSONValue) -> Bool) {
    let place = DocumentPath([.key("faults"), .index(fault)])
    guard case .array(let listed)? = self[place.appending(.key("occurrences"))] else { return }
    let kept = listed.filter(isKept)
    if kept.isEmpty { remove(place) } else { set(place.appending(.key("occurrences")), to: .array(kept)) }
  }

  /// Whether all faults list their occurrences.
  fileprivate var listsOccurrences: Bool {
    faultNames.indices.allSatisfy { self[DocumentPath([.key("faults"), .index($0), .key("occurrences")])] != nil }
  }

  /// Returns the document with these fault occurrences only.
  fileprivate func listing(_ occurrences: [FaultOccurrence]) -> ScenarioDocument {
    var result = self
    for (index, name) in faultNames.enumerated().reversed() {
      let listed = occurrences.filter { $0.fault == name }.map { ListedOccurrence($0) }
      if listed.isEmpty {
        result.remove(DocumentPath([.key("faults"), .index(index)]))
      } else {
        result.setOccurrences(listed, of: index)
      }
    }
    return result
  }

  /// Removes a fleet and what concerns it alone.
  fileprivate mutating func removeFleet(_ name: String) {
    remove(DocumentPath([.key("fleets"), .key(name)]))
    for index in faultNames.indices.reversed() {
      let fault = DocumentPath([.key("faults"), .index(index)])
      if self[fault.appending(.key("select"), .key("fleet"))] == .string(name) { remove(fault) }
      keepOccurrences(of: index) { $0["fleet"] != .string(name) }
    }
  }
}
