import Base
internal import Contract

/// Checks of conditions on several values, after each was read.
extension DecodingContext {
  /// `others` returns the problems that only other parts of the program can find.
  mutating func judge(_ scenario: Scenario, _ document: JSON5Value, others: (Scenario) -> [ScenarioProblem]) {
    judgeClock(scenario)
    judgeTarget(scenario)
    judgeRoutes(scenario)
    judgeNetworks(scenario)
    judgeFleets(scenario)
    judgeFaults(scenario)
    judgeActs(scenario)
    judgeOutputs(scenario.outputs)
    let unread = problems
    for problem in found + others(scenario) where problem.isSound(beside: unread) {
      let error = ScenarioError(problem, in: document)
      if !problems.contains(error) { refuse(error) }
    }
  }

  private mutating func judgeClock(_ scenario: Scenario) {
    let clock = scenario.clock
    if clock.duration <= .zero {
      inside("clock.duration") {
        $0.refuse(.outOfRange, "the duration of the run is 0", remedy: "write at least \"1s\"")
      }
    }
    if clock.mode == .virtual && clock.timestamps == .shiftToNow {
      inside("clock.timestamps") {
        $0.refuse(
          .contradiction, "mode virtual keeps the date of clock.start", remedy: "remove it, or use another mode",
          reading: ["clock.mode"])
      }
    }
    judgeDates(scenario)
  }

  /// The clock of the run, and those of phones with all offsets that faults add.
  private mutating func judgeDates(_ scenario: Scenario) {
    let clock = scenario.clock
    // In seconds since 1970: no number of offsets is out of the range of a double.
    var earliest = Double(clock.start.millisecondsSince1970) / 1_000
    var latest = earliest + (clock.duration + clock.settle).seconds
    for case .device(let device) in scenario.faults.map(\.action) {
      let offset = device.clockOffset?.seconds ?? 0
      earliest += min(offset, 0)
      latest += max(offset, 0)
    }
    let dates = (Clock.dates.lowerBound.millisecondsSince1970, Clock.dates.upperBound.millisecondsSince1970)
    guard earliest * 1_000 < Double(dates.0) || latest * 1_000 > Double(dates.1) else { return }
    inside("clock.start") {
      $0.refuse(
        .outOfRange, "clocks of the run would leave the years 0101 to 9899",
        remedy: "write another date, a shorter duration, or smaller values of clockOffset", reading: ["clock"])
    }
  }

  private mutating func judgeFleets(_ scenario: Scenario) {
    inside("fleets") { context in
      if scenario.fleets.isEmpty, scenario.requests.isEmpty {
        context.refuse(
          .missing, "there is no fleet", remedy: "add one: phones: { devices: 25 }", reading: ["requests"])
      }
      if !scenario.fleets.isEmpty, !scenario.requests.isEmpty {
        context.refuse(.contradiction, "both fleets and requests", remedy: "keep one of them", reading: ["requests"])
      }
      for fleet in scenario.fleets {
        context.inside(fleet.name.asPathStep) { context in
          context.judgeName(of: fleet, scenario)
          context.judgeMembers(of: fleet, scenario)
          context.judgeTags(of: fleet)
          context.judgeTrip(of: fleet)
          guard scenario.isOver(at: fleet.value.traits.startTime) else { return }
          context.inside("startTime") {
            $0.refuse(
              .contradiction, "the fleet starts after the end of the run",
              remedy: "make clock.duration longer or startTime shorter", reading: ["clock.duration"])
          }
        }
      }
    }
  }

  /// Devices are named after their fleet and their number. Servers take names of up to 255 bytes, and a header field takes no
  /// control character.
  private mutating func judgeName(of fleet: Named<Fleet>, _ scenario: Scenario) {
    let longest = "\(fleet.name)-\(max(0, scenario.places(of: fleet) - 1))".utf8.count
    guard longest > 255 || fleet.name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
    refuse(
      .outOfRange, longest > 255 ? "a device's name would have \(longest) bytes" : "a name with a control character",
      remedy: "devices are named FLEET-NUMBER: use at most 255 bytes in all, without control characters")
  }

  private mutating func judgeTags(of fleet: Named<Fleet>) {
    for tag in fleet.value.traits.tags where Metric.tags.contains(tag.name) {
      inside("tags.\(tag.name.asPathStep)") {
        $0.refuse(
          .contradiction, "every metric has a tag '\(tag.name)' already", remedy: "give it another name")
      }
    }
  }

  private mutating func judgeTrip(of fleet: Named<Fleet>) {
    guard fleet.value.traits.trip != DeclaredTrip(), !fleet.value.executor.startsTrips else { return }
    inside("trip") {
      $0.refuse(
        .contradiction, "the executor of the fleet starts no trips",
        remedy: "remove it, or use constant-arrival-rate or ramping-arrival-rate",
        reading: ["fleets.\(fleet.name.asPathStep).executor"])
    }
  }

  private mutating func judgeMembers(of fleet: Named<Fleet>, _ scenario: Scenario) {
    let members = fleet.value.traits.members ?? []
    inside("members") { context in
      for (index, next) in members.enumerated().dropFirst() where members[index - 1] >= next {
        context.inside("[\(index)]") {
          $0.refuse(
            .contradiction, "\(next) follows \(members[index - 1])",
            remedy: "write each number once, in ascending order")
        }
      }
      let count = scenario.places(of: fleet)
      if let last = members.last, last >= count {
        context.inside("[\(members.count - 1)]") {
          $0.refuse(
            .outOfRange, "there is no device \(last) among \(count)",
            remedy: "write numbers from 0 to \(max(0, count - 1))", reading: ["acts"])
        }
      }
    }
  }

  private mutating func judgeFaults(_ scenario: Scenario) {
    var seen: [String] = []
    for (index, fault) in scenario.faults.enumerated() {
      inside("faults[\(index)]") { context in
        if seen.contains(fault.name) {
          context.inside("name") {
            $0.refuse(.contradiction, "a second fault '\(fault.name)'", remedy: "give it a unique name")
          }
        }
        if let start = fault.start, scenario.isOver(at: start) {
          context.inside("at") { $0.refuseLateStart() }
        }
        context.judgeOccurrences(of: fault, in: scenario)
        context.inside(fault.action.key) { context in
          for problem in fault.action.problems(in: scenario) { context.refuse(problem) }
        }
      }
      seen.append(fault.name)
    }
  }

  private mutating func refuseLateStart() {
    refuse(
      .contradiction, "it starts after the end of the run", remedy: "make clock.duration longer or 'at' earlier",
      reading: ["clock.duration"])
  }

  private mutating func judgeOccurrences(of fault: Fault, in scenario: Scenario) {
    for (index, occurrence) in (fault.occurrences ?? []).enumerated() {
      inside("occurrences[\(index)]") { context in
        if scenario.isOver(at: occurrence.start) { context.inside("at") { $0.refuseLateStart() } }
        let count = scenario.fleets.first { $0.name == occurrence.fleet }.map { scenario.places(of: $0) }
        guard let count, occurrence.member >= count else { return }
        context.inside("member") {
          $0.refuse(
            .outOfRange, "there is no device \(occurrence.member) among \(count)",
            remedy: "write a number from 0 to \(max(0, count - 1))", reading: ["fleets", "acts"])
        }
      }
    }
  }

  private mutating func judgeActs(_ scenario: Scenario) {
    for (index, act) in scenario.acts.enumerated() {
      inside("acts[\(index)]") { context in
        context.inside("at") { context in
          if scenario.isOver(at: act.start) {
            context.refuse(
              .contradiction, "it comes after the end of the run", remedy: "make clock.duration longer or 'at' earlier",
              reading: ["clock.duration"])
          }
          if index > 0, act.start < scenario.acts[index - 1].start {
            context.refuse(
              .contradiction, "it is earlier than the act before it", remedy: "list acts in order of time",
              reading: ["acts[\(index - 1)]", "acts[\(index)]"])
          }
          if act.start <= .zero {
            context.refuse(
              .outOfRange, "it comes before the run", remedy: "write a time above 0", reading: ["acts[\(index)]"])
          }
        }
        context.judgePhones(of: act, in: scenario)
      }
    }
  }

  /// The phones of a fleet with trips come and go with them.
  private mutating func judgePhones(of act: PlannedAct, in scenario: Scenario) {
    let key: String
    switch act.change {
    case .addPhones: key = "addPhones"
    case .removePhones: key = "removePhones"
    case .changeRate, .end: return
    }
    guard let name = act.fleet, let fleet = scenario.fleets.first(where: { $0.name == name }),
      fleet.value.executor.startsTrips
    else { return }
    inside("\(key).fleet") {
      $0.refuse(
        .contradiction, "the phones of '\(name)' come and go with their trips",
        remedy: "change its rate, changeRate: { fleet: \"\(name)\", factor: 2 }")
    }
  }
}

extension Scenario {
  /// A run without a duration is a problem of its own.
  fileprivate func isOver(at start: Nanoseconds) -> Bool { clock.duration > .zero && start >= clock.duration }
}
