import Scenario
import Vocabulary
import World

extension SampleFilter {
  /// Returns what is wrong with a selector in every run of that scenario.
  static func problem(_ selector: MetricSelector, in scenario: Scenario) -> ScenarioProblem? {
    let (measure, name) = (SampleFilter.measure(of: selector), selector.metric.name)
    let hasTokens = scenario.target.authorization.strategy == .jwt
    if let (reason, remedy) = measure.absence(isVirtual: scenario.clock.mode == .virtual, hasTokens: hasTokens) {
      return problem(selector, reason, remedy, reading: ["clock.mode", "target.auth"])
    }
    if measure.isOfTheWhole && !selector.tags.isEmpty {
      return problem(selector, "\(name) is measured for the whole run only", "remove the tags")
    }
    if measure.metric.kind == .gauge,
      selector.tags.contains(where: { $0.name != "fleet" && Metric.tags.contains($0.name) })
    {
      return problem(selector, "\(name) is counted by fleet", "remove the other tags")
    }
    for tag in selector.tags {
      switch tag.name {
      case "device" where !scenario.mayHave(device: tag.value):
        let example = scenario.fleets.first.map {
          "write one such as \($0.name)-\($0.value.traits.members?.first ?? 0)"
        }
        return problem(
          selector, "'\(tag.value)' is not a device of this run", example ?? "remove it", reading: ["fleets", "acts"])
      case "network":
        guard case .changing? = scenario.network(named: tag.value) else { continue }
        return problem(
          selector, "'\(tag.value)' is a changing network", "name one of its links",
          reading: ["networks.\(tag.value.asPathStep)"])
      case "fault" where scenario.faults.firstIndex(where: { $0.name == tag.value }) ?? 0 >= faultsMax:
        return problem(selector, "of the faults only the first \(faultsMax) can be told apart", "list this one earlier")
      default: break
      }
    }
    return nil
  }

  private static let faultsMax = 64

  private static func problem(
    _ selector: MetricSelector, _ message: String, _ remedy: String, reading reads: [String] = []
  ) -> ScenarioProblem {
    ScenarioProblem("thresholds.\(selector.text.asPathStep)", message, remedy: remedy, reading: reads)
  }

  private static func measure(of selector: MetricSelector) -> Measure {
    guard let measure = Measure.of(selector.metric) else {
      preconditionFailure("\(selector.metric.name) has no measure")
    }
    return measure
  }

  /// Returns the measure and the samples of a selector in this run.
  static func measure(
    _ selector: MetricSelector, of scenario: Scenario, _ setup: RunSetup
  ) throws(ScenarioProblem) -> (Measure, SampleFilter) {
    if let found = SampleFilter.problem(selector, in: scenario) { throw found }
    var filter = SampleFilter(fleets: setup.fleets.map { _ in true })
    for tag in selector.tags {
      guard filter.add(tag.name, tag.value, scenario, setup) else {
        let example = setup.deviceNames.first.map { "write one such as \($0)" }
        throw problem(selector, "'\(tag.value)' is not a \(tag.name) of this run", example ?? "remove it")
      }
    }
    return (SampleFilter.measure(of: selector), filter)
  }

  /// Returns false when the run has no such value.
  private mutating func add(_ tag: String, _ value: String, _ scenario: Scenario, _ setup: RunSetup) -> Bool {
    switch tag {
    case "fleet": narrow { setup.fleets[$0].name == value }
    case "device":
      device =
        setup.deviceNumber(value) ?? (setup.namesOfOtherShards.contains(value) ? SampleFilter.elsewhere : nil)
      return device != nil
    case "network":
      network = setup.radio.network(named: value)
      return network != nil
    case "status": status = Int(value)
    case "batch": isBatch = value == "true"
    case "trigger": trigger = FlushTrigger.allCases.first { "\($0)" == value }
    case "phase": isSettling = value == "settle"
    case "check": check = scenario.checks.firstIndex { $0.name == value }
    case "fault":
      fault = scenario.faults.firstIndex { $0.name == value }.map { 1 << UInt64($0) }
      return fault != nil
    default:
      narrow { fleet in
        setup.fleets[fleet].tags.contains { $0.name == tag && $0.value == value }
      }
    }
    return true
  }

  private mutating func narrow(_ isMeant: (Int) -> Bool) {
    for fleet in fleets.indices { fleets[fleet] = fleets[fleet] && isMeant(fleet) }
  }
}

extension Scenario {
  /// Reports whether a run may have a device of that name.
  fileprivate func mayHave(device name: String) -> Bool {
    fleets.contains { fleet in
      guard name.hasPrefix(fleet.name + "-"), let index = Int(name.dropFirst(fleet.name.count + 1)), index >= 0,
        name == "\(fleet.name)-\(index)"
      else { return false }
      return index < places(of: fleet) && fleet.value.traits.members?.contains(index) ?? true
    }
  }
}

extension RunSetup {
  /// Returns the number of the device with that name.
  fileprivate func deviceNumber(_ name: String) -> Int? {
    var number = 0
    for fleet in fleets {
      if let place = fleet.simulated.firstIndex(where: { "\(fleet.name)-\($0)" == name }) {
        return number + fleet.simulated.distance(from: fleet.simulated.startIndex, to: place)
      }
      number += fleet.simulated.count
    }
    return nil
  }
}

/// The tags of a sample. Nil: the sample has no such tag.
struct SampleTags {
  var device: Int
  var fleet: Int
  var network: RadioNetwork
  /// One bit for each fault of the scenario that is active, or was active when the record was made.
  var faults: UInt64 = 0
  var status: Int?
  var isBatch: Bool?
  var trigger: FlushTrigger?
  var check: Int?
  /// Whether it belongs to a request of the settle phase.
  var isSettling = false
}

/// The samples that a selector matches.
struct SampleFilter {
  /// Whether each fleet is included.
  var fleets: [Bool]
  var device: Int?
  /// The number of a device that another shard simulates.
  fileprivate static let elsewhere = -1
  var network: RadioNetwork?
  var fault: UInt64?
  var status: Int?
  var isBatch: Bool?
  var trigger: FlushTrigger?
  var check: Int?
  /// Nil: without the settle phase, where requests are measured.
  var isSettling: Bool?

  /// Whether only fleets are selected, whose cells exist anyway and are added up.
  var isOfFleetsOnly: Bool {
    device == nil && network == nil && fault == nil && status == nil && isBatch == nil && trigger == nil && check == nil
      && isSettling == nil
  }

  /// Reports whether the filter matches. `countsSettling`: the measure counts the settle phase, too.
  func takes(_ tags: SampleTags, countsSettling: Bool = false) -> Bool {
    guard fleets[tags.fleet] else { return false }
    if let device, device != tags.device { return false }
    if let network, network != tags.network { return false }
    if let fault, fault & tags.faults == 0 { return false }
    if let status, status != tags.status { return false }
    if let isBatch, isBatch != tags.isBatch { return false }
    if let trigger, trigger != tags.trigger { return false }
    if let check, check != tags.check { return false }
    return tags.isSettling == isSettling ?? (countsSettling && tags.isSettling)
  }
}
