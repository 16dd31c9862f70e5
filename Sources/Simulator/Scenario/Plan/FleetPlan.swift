internal import Base
internal import Contract

/// What one expects of a fleet before it runs. Chance, faults and queues are left out: an estimate for people who want
/// to know whether a scenario is a test or a catastrophe.
package struct FleetPlan: Equatable, Sendable {
  package let name: String
  package let peakDevices: Int
  package let deviceHours: Double
  package let records: Double
  package let requests: Double

  /// The run is cut into so many pieces to add devices up.
  static let pieces = 1_000
  /// The share of the day in which the people of a plan are on the way.
  private static func movingShare(_ plan: DailyPlan) -> Double {
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
  }

  /// `share` of the run's duration has passed.
  static func devices(of fleet: Fleet, at share: Double, in scenario: Scenario) -> Double {
    let seconds = share * scenario.clock.duration.seconds - fleet.traits.startTime.seconds
    guard seconds >= 0 else { return 0 }
    let speed = scenario.motion(named: scenario.motionName(of: fleet.traits))?.cruisingMetresPerSecond ?? 1
    let tripSeconds = fleet.traits.trip.distance.mean / max(speed, 0.1)
    return fleet.executor.devices(at: seconds, tripSeconds: tripSeconds) * fleet.simulatedShare
  }

  private static func movingShare(of traits: FleetTraits, speed: Double, in scenario: Scenario) -> Double {
    // Without a route they turn round at once at both ends of their way to work.
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

  /// Distance over the distance filter, which grows with speed (SDK §14.1); every fix without one.
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
