package import Base
package import JSON

/// An act of a person during a run, which no other section can express, at an instant of the run: before all turns of
/// devices at that instant.
package struct PlannedAct: Equatable, Sendable {
  /// The effect of the act.
  package enum Change: Equatable, Sendable {
    case addPhones(PhoneCount)
    case removePhones(PhoneCount)
    case changeRate(RateFactor)
    case end(RunEnd)
  }

  /// The time since the start of the run.
  package var start: Nanoseconds
  package var change: Change

  package init(at start: Nanoseconds, _ change: Change) { (self.start, self.change) = (start, change) }
}

/// `{ fleet, count }`.
package struct PhoneCount: Equatable, Sendable {
  package var fleet = ""
  package var count = 1

  package init() {}

  package init(fleet: String, count: Int) { (self.fleet, self.count) = (fleet, count) }
}

extension PhoneCount: ScenarioSection {
  static let table = Table<PhoneCount>(
    "phone-count", "A number of phones of a fleet.",
    [
      .required("fleet", \.fleet, .name(in: .fleets), "The fleet."),
      .required("count", \.count, .integer(1...1_000_000), "How many."),
    ])
}

/// `{ fleet, factor }`.
package struct RateFactor: Equatable, Sendable {
  package var fleet = ""
  package var factor = 1.0

  package init() {}

  package init(fleet: String, factor: Double) { (self.fleet, self.factor) = (fleet, factor) }
}

extension RateFactor: ScenarioSection {
  static let table = Table<RateFactor>(
    "rate-factor", "A factor for the activity of a fleet.",
    [
      .required("fleet", \.fleet, .name(in: .fleets), "The fleet."),
      .required(
        "factor", \.factor, .number(0...1_000),
        "Of the trips in a unit of time, for executors with trips; of the number of devices, for the others."),
    ])
}

/// How a run ends early.
package enum RunEnd: String, CaseIterable, Sendable {
  /// The drives end, and the queues drain.
  case stop
  /// The run ends at once.
  case abort
}

/// An entry of `acts` with exactly one change.
struct ActSection: ScenarioSection {
  var start = Nanoseconds.zero
  var addPhones: PhoneCount?
  var removePhones: PhoneCount?
  var changeRate: RateFactor?
  var end: RunEnd?

  var changes: [PlannedAct.Change] {
    let all: [PlannedAct.Change?] = [
      addPhones.map { .addPhones($0) }, removePhones.map { .removePhones($0) }, changeRate.map { .changeRate($0) },
      end.map { .end($0) },
    ]
    return all.compactMap { $0 }
  }

  static let changeNames = ["addPhones", "removePhones", "changeRate", "end"]

  static let table = Table<ActSection>(
    "act",
    """
    One change of the run at an instant, as the control room makes it, before anything that devices do at that \
    instant. An act has exactly one change. Use a fault where a fault can express the change.
    """,
    [
      .required("at", \.start, .duration, "The instant, counted from the start of the run."),
      .optional(
        "addPhones", \.addPhones, .section(),
        "More devices of a fleet without trips; those that were removed come back first."),
      .optional(
        "removePhones", \.removePhones, .section(),
        "Fewer devices of a fleet without trips; the last to come leave first, as at the end of a stage."),
      .optional("changeRate", \.changeRate, .section(), "Multiplies the activity of a fleet from then on."),
      .optional("end", \.end, .choice, "The drives end and the queues drain (stop), or the run ends (abort)."),
    ])
}

extension ValueCodec where Value == PlannedAct {
  static var act: ValueCodec {
    let section = ValueCodec<ActSection>.section()
    return ValueCodec(section.schema) { value, context in
      guard let act = section.read(value, &context) else { return nil }
      let present = ActSection.changeNames.filter { value[$0] != nil }
      let list = ActSection.changeNames.joined(separator: ", ")
      if present.isEmpty {
        context.refuse(.missing, value.position, "the act changes nothing", remedy: "add one of \(list)")
      } else if present.count > 1 {
        context.refuse(
          .contradiction, value[present[1]]?.position ?? value.position,
          "\(present.joined(separator: " and ")) in one act", remedy: "write an act for each")
      }
      // Without a change the act has a problem, and the list keeps its other acts.
      return PlannedAct(at: act.start, act.changes.first ?? .end(.stop))
    }
  }
}

extension PlannedAct {
  /// The fleet that it changes; nil for the whole run.
  package var fleet: String? {
    switch change {
    case .addPhones(let phones), .removePhones(let phones): phones.fleet
    case .changeRate(let rate): rate.fleet
    case .end: nil
    }
  }

  /// The form of an entry of `acts`.
  package var json: JSONValue {
    func phones(_ phones: PhoneCount) -> JSONValue {
      .object(["fleet": .string(phones.fleet), "count": .integer(Int64(phones.count))])
    }
    var object: JSONObject = ["at": .string(ScenarioDocument.text(ofSeconds: start.seconds))]
    switch change {
    case .addPhones(let count): object["addPhones"] = phones(count)
    case .removePhones(let count): object["removePhones"] = phones(count)
    case .changeRate(let rate):
      object["changeRate"] = .object(["fleet": .string(rate.fleet), "factor": .double(rate.factor)])
    case .end(let end): object["end"] = .string(end.rawValue)
    }
    return .object(object)
  }
}

extension Scenario {
  /// Inserts an act after those at the same instant.
  package mutating func insert(_ act: PlannedAct) {
    acts.insert(act, at: acts.firstIndex { $0.start > act.start } ?? acts.endIndex)
  }

  /// Returns the maximum number of devices of a fleet, including those that acts add.
  package func places(of fleet: Named<Fleet>) -> Int {
    var places = Double(fleet.value.executor.peakDevices)
    guard !fleet.value.executor.startsTrips else { return Int(places) }
    for act in acts where act.fleet == fleet.name {
      switch act.change {
      case .addPhones(let phones): places += Double(phones.count)
      case .changeRate(let rate): places *= max(1, rate.factor)
      case .removePhones, .end: break
      }
    }
    return Int(min(places.rounded(.up), 1e12))
  }
}
