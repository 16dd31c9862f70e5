package import Base

/// A fault: what goes wrong, for which devices, and when.
package struct Fault: Equatable, Sendable {
  package var name: String
  /// The time since the start of the run; nil for faults that occur at a rate or are listed.
  package var start: Nanoseconds?
  /// 0 for events.
  package var duration: Nanoseconds
  /// The mean number of occurrences per hour and device; 0: only at `start`.
  package var perDeviceHour: Double
  /// The listed occurrences; nil: determined by `start`, `perDeviceHour`, `selection` and the seed.
  package var occurrences: [ListedOccurrence]?
  package var selection: FaultSelection
  package var action: FaultAction
  package var position: SourcePosition
  /// The index in the list of the text, which a selection of fleets does not change.
  package var number = 0

  /// `start` is nil for faults that occur at a rate.
  package init(
    name: String, start: Nanoseconds? = nil, duration: Nanoseconds = .zero, perDeviceHour: Double = 0,
    selection: FaultSelection = FaultSelection(), action: FaultAction,
    position: SourcePosition = SourcePosition(line: 1, column: 1)
  ) {
    self.name = name
    self.start = start
    self.duration = duration
    self.perDeviceHour = perDeviceHour
    self.selection = selection
    self.action = action
    self.position = position
  }
}

/// An entry of `faults` with exactly one action.
struct FaultSection: ScenarioSection {
  var name = ""
  var start: Nanoseconds?
  var duration: Nanoseconds?
  var rate: FaultRate?
  var occurrences: [ListedOccurrence]?
  var selection = FaultSelection()
  var actions: [FaultAction] = []

  static let table = Table<FaultSection>(
    "fault", "A fault: the affected devices, the time (`at`, `rate` or `occurrences`), and one action.",
    [
      .required("name", \.name, .text, "Name in reports and in the tag `fault`."),
      .optional("at", \.start, .duration, "Start time, counted from the start of the run."),
      .optional("for", \.duration, .duration, "Duration; events need none."),
      .optional("rate", \.rate, .section(), "Random occurrences at this rate, instead of `at`."),
      .optional(
        "occurrences", \.occurrences, .list(of: .section()), "List of occurrences with their devices, instead of `at`."),
      .key("select", \.selection, .section(), "Affected devices; all by default."),
    ] + FaultAction.keys)
}

/// `{ perDeviceHour }`.
struct FaultRate: ScenarioSection, Equatable {
  var perDeviceHour = 0.0

  static let table = Table<FaultRate>(
    "fault-rate", "Rate of random occurrences.",
    [.required("perDeviceHour", \.perDeviceHour, .number(0...3_600), "Occurrences per hour and device.")])
}

/// The devices that a fault affects; all of them without any key.
package struct FaultSelection: Equatable, Sendable {
  package var fleet: String?
  package var fraction: Double?
  package var count: Int?
  /// Only devices in this area at the start of the fault.
  package var place: Polygon?

  package init() {}
}

extension FaultSelection: ScenarioSection {
  static let table = Table<FaultSelection>(
    "select", "Devices that a fault affects; without any key, all devices.",
    [
      .optional("fleet", \.fleet, .name(in: .fleets), "Devices of one fleet."),
      .optional("fraction", \.fraction, .share, "Probability that a device is affected, drawn from the seed."),
      .optional(
        "count", \.count, .count,
        "Number of affected devices, drawn from the seed; with `place`, those of them that are inside it."),
      .optional(
        "place", \.place, .polygon, "Devices inside this polygon of [latitude, longitude] when the fault starts."),
    ])
}

/// A listed occurrence of a fault for one device, which happens wherever the device is.
package struct ListedOccurrence: Equatable, Sendable {
  package var fleet = ""
  /// The index of the device in its fleet.
  package var member = 0
  /// The time since the start of the run.
  package var start = Nanoseconds.zero
  /// The ordinal of the occurrence without a list, which determines its random draws.
  package var number = 0

  package init() {}

  package init(fleet: String, member: Int, start: Nanoseconds, number: Int) {
    (self.fleet, self.member, self.start, self.number) = (fleet, member, start, number)
  }
}

extension ListedOccurrence: ScenarioSection {
  static let table = Table<ListedOccurrence>(
    "occurrence",
    "One occurrence of a fault on one device, independent of its position; failure plans consist of these.",
    [
      .required("fleet", \.fleet, .name(in: .fleets), "The fleet of the device."),
      .required("member", \.member, .count, "Index of the device in the fleet, from 0."),
      .required("at", \.start, .duration, "Start time, counted from the start of the run."),
      .key("number", \.number, .count, "Number of the occurrence for its device; random draws depend on it."),
    ])
}

extension ValueCodec where Value == Fault {
  static var fault: ValueCodec {
    let section = ValueCodec<FaultSection>.section()
    return ValueCodec(section.schema) { value, context in
      let problemsBefore = context.problems.count
      guard let fault = section.read(value, &context) else { return nil }
      context.judge(fault, at: value, isWhole: context.problems.count == problemsBefore)
      // Without an action the fault has a problem, and the list keeps its other faults.
      let action = fault.actions.first ?? .lifecycle(LifecycleFault())
      var whole = Fault(
        name: fault.name, start: fault.start, duration: fault.duration ?? .zero,
        perDeviceHour: fault.rate?.perDeviceHour ?? 0, selection: fault.selection, action: action,
        position: value.position)
      whole.occurrences = fault.occurrences
      return whole
    }
  }
}

extension ValueCodec where Value == [Fault] {
  static var faults: ValueCodec {
    let list = ValueCodec.list(of: .fault)
    return ValueCodec(list.schema, show: list.show) { value, context in
      guard var faults = list.read(value, &context) else { return nil }
      for index in faults.indices { faults[index].number = index }
      return faults
    }
  }
}

extension Fault {
  /// `faults[2].http`.
  package var path: String { "faults[\(number)].\(action.key)" }
}

extension DecodingContext {
  fileprivate mutating func judge(_ fault: FaultSection, at value: JSON5Value, isWhole: Bool) {
    let names = FaultAction.keys.map(\.schema.name)
    let present = names.filter { value[$0] != nil }
    let list = names.joined(separator: ", ")
    if present.isEmpty {
      refuse(.missing, value.position, "the fault has no action", remedy: "add one of \(list)")
    } else if present.count > 1 {
      let second = value[present[1]]?.position ?? value.position
      refuse(
        .contradiction, second, "\(present.joined(separator: " and ")) in one fault",
        remedy: "write a fault for each")
    }
    let times = ["at", "rate", "occurrences"].filter { value[$0] != nil }
    if times.isEmpty {
      refuse(
        .missing, value.position, "the start time is missing", remedy: "add at: \"10m\", or rate: { perDeviceHour: 1 }")
    } else if times.count > 1 {
      refuse(
        .contradiction, value.position, "both \(times.joined(separator: " and "))", remedy: "keep one of them")
    }
    if let select = value["select"], value["occurrences"] != nil {
      refuse(
        .contradiction, select.position, "both select and occurrences",
        remedy: "remove select: each occurrence names its device")
    }
    if fault.selection.fraction != nil && fault.selection.count != nil {
      let position = value["select"]?.position ?? value.position
      refuse(.contradiction, position, "both fraction and count", remedy: "remove one")
    }
    guard let action = fault.actions.first, present.count == 1 else { return }
    if action.isEmpty && isWhole {
      refuse(
        .missing, value[present[0]]?.position ?? value.position, "an empty \(present[0])", remedy: "add a key")
    }
    if action.span == .state && (fault.duration ?? .zero) <= .zero {
      let position = value["for"]?.position ?? value.position
      refuse(.missing, position, "the fault has no duration", remedy: "say for how long: for: \"5m\"")
    }
  }
}
