import Scenario
import Vocabulary
import World

extension SampleFilter {
  /// Why a selector matches no samples here.
  struct Problem: Error {
    let message: String
  }

  /// Returns the measure and the samples of a selector in this run.
  static func measure(
    _ selector: MetricSelector, of scenario: Scenario, _ setup: RunSetup
  ) -> Result<(Measure, SampleFilter), Problem> {
    guard let measure = Measure.of(selector.metric) else {
      preconditionFailure("\(selector.metric.name) has no measure")
    }
    if let reason = measure.absence(in: setup) { return .failure(Problem(message: reason)) }
    if measure.isOfTheWhole && !selector.tags.isEmpty {
      return .failure(Problem(message: "\(selector.metric.name) is measured for the whole run only; remove the tags"))
    }
    var filter = SampleFilter(fleets: setup.fleets.map { _ in true })
    for tag in selector.tags {
      do throws(Problem) { try filter.add(tag.name, tag.value, scenario, setup) } catch { return .failure(error) }
    }
    if measure.metric.kind == .gauge && !filter.isOfFleetsOnly {
      return .failure(Problem(message: "\(selector.metric.name) is counted by fleet; remove the other tags"))
    }
    return .success((measure, filter))
  }

  private mutating func add(
    _ tag: String, _ value: String, _ scenario: Scenario, _ setup: RunSetup
  ) throws(Problem) {
    switch tag {
    case "fleet": narrow { setup.fleets[$0].name == value }
    case "device":
      let example = setup.deviceNames.first.map { "; write one such as \($0)" } ?? ""
      let elsewhere = setup.namesOfOtherShards.contains(value) ? SampleFilter.elsewhere : nil
      device = try SampleFilter.found(setup.deviceNumber(value) ?? elsewhere, value, "device", example)
    case "network": network = try SampleFilter.found(setup.radio.network(named: value), value, "network")
    case "status": status = try SampleFilter.found(Int(value), value, "status")
    case "batch": isBatch = try SampleFilter.found(["true": true, "false": false][value], value, "batch")
    case "trigger":
      trigger = try SampleFilter.found(FlushTrigger.allCases.first { "\($0)" == value }, value, "trigger")
    case "phase": isSettling = try SampleFilter.found(["drive": false, "settle": true][value], value, "phase")
    case "check": check = scenario.checks.firstIndex { $0.name == value }
    case "fault":
      guard let index = scenario.faults.firstIndex(where: { $0.name == value }), index < 64 else {
        throw Problem(message: "of the faults only the first 64 can be told apart; list this one earlier")
      }
      fault = 1 << UInt64(index)
    default:
      narrow { fleet in
        setup.fleets[fleet].tags.contains { $0.name == tag && $0.value == value }
      }
    }
  }

  private mutating func narrow(_ isMeant: (Int) -> Bool) {
    for fleet in fleets.indices { fleets[fleet] = fleets[fleet] && isMeant(fleet) }
  }

  private static func found<Value>(
    _ value: Value?, _ text: String, _ tag: String, _ remedy: String = ""
  ) throws(Problem) -> Value {
    guard let value else { throw Problem(message: "'\(text)' is not a \(tag) of this run\(remedy)") }
    return value
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
