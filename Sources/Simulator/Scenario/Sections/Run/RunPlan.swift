internal import Base
internal import Contract

/// The estimate of a run before it begins; `--dry-run` prints it.
package struct RunPlan: Equatable, Sendable {
  package let fleets: [FleetPlan]
  package let peakDevices: Int
  /// The maximum memory of the process, as far as it depends on the number of devices and the longest outage.
  package let memoryBytes: Double
  private let scenario: Scenario

  /// An idle device with engine, queue and link (docs/architecture.md).
  private static let bytesPerDevice = 10_000.0
  /// A record that waits in a queue.
  private static let bytesPerRecord = 700.0
  /// The program, the server and its caches.
  private static let bytesAtRest = 64e6
  /// The number of rows of the plan.
  private static let rows = 12

  package init(_ scenario: Scenario) {
    self.scenario = scenario
    fleets = scenario.fleets.map { FleetPlan(of: $0, in: scenario) }
    let sums = (0..<FleetPlan.pieces).map { piece in
      scenario.fleets.reduce(0) {
        $0 + FleetPlan.devices(of: $1.value, at: (Double(piece) + 0.5) / Double(FleetPlan.pieces), in: scenario)
      }
    }
    peakDevices = Int((sums.max() ?? 0).rounded(.up))
    let recordsPerSecond = fleets.reduce(0) { $0 + $1.records } / max(1, scenario.clock.duration.seconds)
    let silence = scenario.faults.map { $0.silenceSeconds(in: scenario) }.max() ?? 0
    memoryBytes =
      Self.bytesAtRest + Double(peakDevices) * Self.bytesPerDevice + recordsPerSecond * silence * Self.bytesPerRecord
  }
}

extension RunPlan {
  /// The plan as text of several lines.
  package var text: String {
    let clock = scenario.clock
    let duration = QuantityKind.duration.text(clock.duration.seconds)
    let settle = QuantityKind.duration.text(clock.settle.seconds)
    var lines = [
      "plan of \(scenario.name): \(clock.mode.rawValue), seed \(scenario.seed), \(duration) and \(settle) to settle"
    ]
    lines += scenario.replacements + (scenario.anonymityNote.map { ["note: \($0)"] } ?? []) + [""]
    lines += Self.table(
      [["fleet", "devices", "device-hours", "records", "requests"]]
        + fleets.map { fleet in
          [
            fleet.name, fleet.peakDevices.grouped, fleet.deviceHours.tenths, fleet.records.wholeText,
            fleet.requests.wholeText,
          ]
        })
    lines += ["", "devices over time"]
    lines += Self.table(
      [["at"] + fleets.map(\.name)]
        + (0...Self.rows).map { row in
          let share = Double(row) / Double(Self.rows)
          let seconds = (share * clock.duration.seconds).rounded()
          return [QuantityKind.duration.text(seconds)]
            + scenario.fleets.map { FleetPlan.devices(of: $0.value, at: share, in: scenario).rounded().wholeText }
        })
    lines += [
      "", "faults: \(scenario.faults.isEmpty ? "none" : scenario.faults.map(\.name).joined(separator: ", "))",
      "expected, without faults: \(range(\.recordRange)) records, \(range(\.requestRange)) requests,"
        + " at most \(peakDevices.grouped) device\(peakDevices == 1 ? "" : "s"), about \((memoryBytes / 1e6).wholeText) MB",
      spreadReason,
    ]
    return lines.joined(separator: "\n")
  }

  private func range(_ path: KeyPath<FleetPlan, ClosedRange<Double>>) -> String {
    let least = fleets.reduce(0) { $0 + $1[keyPath: path].lowerBound }
    let greatest = fleets.reduce(0) { $0 + $1[keyPath: path].upperBound }
    return least.wholeText == greatest.wholeText ? greatest.wholeText : "\(least.wholeText) to \(greatest.wholeText)"
  }

  /// The reason for a range instead of a number.
  private var spreadReason: String {
    let start =
      "phones wait before and between trips and at crossings, and their speeds differ"
    let day = "; a run shorter than a day can have none or all of the planned trips"
    return start + (fleets.contains(where: \.isPartOfDay) ? day : "")
  }

  private static func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      "  "
        + row.enumerated().map { column, cell in
          let space = String(repeating: " ", count: widths[column] - cell.count)
          return column == 0 ? cell + space : space + cell
        }.joined(separator: "  ")
    }
  }
}

extension Fault {
  /// Returns how long a network is down for the devices that it affects.
  fileprivate func silenceSeconds(in scenario: Scenario) -> Double {
    guard case .network(let name) = action, case .link(let link)? = scenario.network(named: name),
      link.upBitsPerSecond == 0
    else { return 0 }
    return duration.seconds * (selection.fraction ?? 1)
  }
}

extension Double {
  fileprivate var wholeText: String { magnitude < 1e15 ? Int64(rounded()).grouped : "\(self)" }

  fileprivate var tenths: String { "\(Int64(self).grouped).\(Int64((self * 10).rounded()) % 10)" }
}

/// The estimate for a fleet. Randomness, faults and queues are ignored: it only shows whether a scenario is a
/// test or a catastrophe.
package struct FleetPlan: Equatable, Sendable {
  package let name: String
  package let peakDevices: Int
  package let deviceHours: Double
  package let records: Double
  package let requests: Double
  /// The range of actual runs without faults.
  package let recordRange: ClosedRange<Double>
  package let requestRange: ClosedRange<Double>
  /// Whether people follow a daily schedule and the run is shorter than a day: it may contain none of their trips, or all.
  package let isPartOfDay: Bool

  /// The number of pieces of the run for the integration of devices.
  static let pieces = 1_000
  /// How long a phone is present before it makes records: it must depart, and its SDK must detect it.
  private static let startSeconds = 40.0
  /// The observed range, relative to constant cruising: crossings and stops reduce it, and faster transports increase it.
  private static let usualShare = 0.6...1.3

  /// Returns the share of the day that people of a plan travel.
  private static func movingShare(_ plan: DeclaredPlan) -> Double {
    switch plan {
    case .commuter, .nightShift: 0.06
    case .courier: 0.25
    case .walker: 0.08
    case .cyclist: 0.06
    case .parked: 0
    }
  }

  init(of fleet: Named<Fleet>, in scenario: Scenario) {
    let traits = fleet.value.traits
    let configuration = scenario.configuration(of: traits)
    let speed = scenario.motion(named: scenario.motionName(of: traits))?.cruisingMetresPerSecond ?? 0
    let lengths = (0..<Self.pieces).map {
      Self.devices(of: fleet.value, at: (Double($0) + 0.5) / Double(Self.pieces), in: scenario)
    }
    let pieceSeconds = scenario.clock.duration.seconds / Double(Self.pieces)
    let deviceSeconds = lengths.reduce(0, +) * pieceSeconds
    let moving = fleet.value.executor.startsTrips ? 1 : Self.movingShare(of: traits, speed: speed, in: scenario)
    name = fleet.name
    peakDevices = Int((lengths.max() ?? 0).rounded(.up))
    deviceHours = deviceSeconds / 3_600
    records =
      configuration.persistence.persistMode == .none
      ? 0 : deviceSeconds * moving * Self.recordsPerSecond(at: speed, configuration)
    requests = configuration.http.autoSync ? records / Self.recordsPerRequest(configuration) : 0
    let seconds = scenario.clock.duration.seconds
    isPartOfDay = seconds < 86_400 && Self.followsPlan(traits, in: scenario)
    let begun = max(0, 1 - Self.startSeconds / max(seconds, 1))
    // All trips of a day, as far as time permits.
    let wholeDay = moving > 0 ? min(1 / moving, 86_400 / max(seconds, 1)) : 0
    recordRange =
      isPartOfDay
      ? 0...records * wholeDay : records * begun * Self.usualShare.lowerBound...records * Self.usualShare.upperBound
    let share = records > 0 ? requests / records : 0
    requestRange = recordRange.lowerBound * share...recordRange.upperBound * share
  }

  private static func followsPlan(_ traits: FleetTraits, in scenario: Scenario) -> Bool {
    guard let name = traits.routes, case .city(let city)? = scenario.routes.first(where: { $0.name == name })?.value,
      case .plan = city.trips
    else { return false }
    return true
  }

  /// Returns the expected number of devices; `share` is the elapsed share of the run's duration.
  static func devices(of fleet: Fleet, at share: Double, in scenario: Scenario) -> Double {
    let seconds = share * scenario.clock.duration.seconds - fleet.traits.startTime.seconds
    guard seconds >= 0 else { return 0 }
    let speed = scenario.motion(named: scenario.motionName(of: fleet.traits))?.cruisingMetresPerSecond ?? 1
    let tripSeconds = fleet.traits.trip.distance.mean / max(speed, 0.1)
    return fleet.executor.devices(at: seconds, tripSeconds: tripSeconds) * fleet.simulatedShare
  }

  private static func movingShare(of traits: FleetTraits, speed: Double, in scenario: Scenario) -> Double {
    // Without a route they turn round at once at both ends of their commute.
    guard let name = traits.routes, let route = scenario.routes.first(where: { $0.name == name })?.value else {
      let tripSeconds = GridCity().extentMetres / 2 / max(speed, 0.1)
      return tripSeconds / (tripSeconds + 60)
    }
    switch route {
    case .collection, .replay, .walk: return 1
    case .city(let city):
      switch city.trips {
      case .plan(let plan): return movingShare(plan)
      case .markov(let dwell):
        let tripSeconds = city.extentMetres / 2 / max(speed, 0.1)
        return tripSeconds / (tripSeconds + dwell.mean)
      }
    }
  }

  /// Returns the speed divided by the distance filter, which grows with speed (SDK §14.1); the rate of fixes without a filter.
  private static func recordsPerSecond(at speed: Double, _ configuration: Configuration) -> Double {
    let filter = configuration.effectiveDistanceFilterMetres
    guard filter > 0 else { return 1 }
    let steps = (speed / 5).rounded()
    let elasticity = configuration.geolocation.disableElasticity ? 0 : configuration.geolocation.elasticityMultiplier
    return min(1, speed / (filter * (1 + max(0, elasticity) * steps)))
  }

  private static func recordsPerRequest(_ configuration: Configuration) -> Double {
    guard configuration.http.batchSync else { return 1 }
    let waiting = Double(max(1, configuration.http.autoSyncThreshold))
    return configuration.http.maxBatchSize > 0 ? min(waiting, Double(configuration.http.maxBatchSize)) : waiting
  }
}

extension Executor {
  /// Returns the expected number of devices `seconds` after the fleet began, with trips of `tripSeconds`. Fractions are
  /// kept, because it is an expectation.
  func devices(at seconds: Double, tripSeconds: Double) -> Double {
    switch self {
    case .constantDevices(let constant): Double(constant.devices)
    case .rampingDevices(let ramp):
      Executor.value(at: seconds, from: Double(ramp.startDevices), ramp.stages, ramp.shape)
    case .constantArrivals(let arrivals):
      min(
        Double(arrivals.maxDevices),
        arrivals.rate / arrivals.timeUnit.atLeastOneMillisecond * min(tripSeconds, seconds))
    case .rampingArrivals(let arrivals):
      // Little's law: the devices under way started within the duration of the last trip.
      min(
        Double(arrivals.maxDevices),
        Executor.value(
          at: max(0, seconds - min(tripSeconds, seconds) / 2), from: arrivals.startRate, arrivals.stages, .linear)
          / arrivals.timeUnit.atLeastOneMillisecond * min(tripSeconds, seconds))
    }
  }

  /// Whether a device exists only during its trips.
  package var startsTrips: Bool {
    switch self {
    case .constantDevices, .rampingDevices: false
    case .constantArrivals, .rampingArrivals: true
    }
  }

  private static func value(at seconds: Double, from start: Double, _ stages: [Stage], _ schema: StageShape) -> Double {
    var value = start
    var rest = seconds
    for stage in stages {
      let length = stage.duration.seconds
      if rest < length {
        return schema == .heaviside ? value : value + (stage.target - value) * rest / length
      }
      rest -= length
      value = stage.target
    }
    return value
  }
}

extension Nanoseconds {
  fileprivate var atLeastOneMillisecond: Double { max(seconds, 1e-3) }
}
