package import Base

/// A group of similar devices.
package struct Fleet: Equatable, Sendable {
  package var executor = Executor.constantDevices(ConstantDevices())
  package var traits = FleetTraits()
}

/// The properties of a fleet, except the number of its devices.
package struct FleetTraits: Equatable, Sendable {
  /// The time before which the fleet does not exist.
  package var startTime = Nanoseconds.zero
  /// The indices of the simulated devices; nil: all.
  package var members: [Int]?
  /// Nil: a city made from the seed.
  package var routes: String?
  /// Nil: the motion that suits the route's plan.
  package var motion: String?
  package var network = "lte"
  package var geofences: String?
  package var mode = FleetMode.location
  package var sdk = SDK()
  /// Overrides `sdk.configuration`.
  package var configuration = SDKConfiguration()
  package var trip = DeclaredTrip()
  package var lifecycle = Lifecycle()
  package var tags: [Named<String>] = []

  package init() {}
}

extension FleetTraits: ScenarioSection {
  static let table = Table<FleetTraits>(
    "fleet", "Keys of a fleet that do not depend on its executor.",
    [
      .key("startTime", \.startTime, .duration, "The fleet starts at this time of the run."),
      .optional(
        "members", \.members, .list(of: .count),
        "Only these devices, by index from 0, each unchanged from the whole fleet; for examining one of many."),
      .optional(
        "routes", \.routes, .name(in: .routes),
        "Routes of the devices; by default between home and work, in a city generated from the seed."),
      .optional(
        "motion", \.motion, .name(in: .motion),
        "Motion of the devices; driving, walking and cycling are built in. Default: the motion of the route plan, or driving."
      ),
      .key("network", \.network, .name(in: .networks), "Network between the devices and the server."),
      .optional("geofences", \.geofences, .name(in: .geofences), "Geofences that the app adds."),
      .key(
        "mode", \.mode, .choice,
        "What the app starts: tracking, or geofence monitoring only. A schedule overrides it."),
      .key("sdk", \.sdk, .section(), "SDK of this fleet; overrides that of the scenario."),
      .key("config", \.configuration, .configuration, "Overrides `sdk.config`, key by key."),
      .key("trip", \.trip, .section(), "Length of a trip, for executors that start trips."),
      .key("lifecycle", \.lifecycle, .section(), "What users do with their phones."),
      .key("tags", \.tags, .map(of: .text), "For thresholds: `upload_duration{tier:gold}`."),
    ])
}

/// `{ executor: …, … }`: the keys of one executor and those of every fleet.
struct FleetSection<Kind: ScenarioSection>: ScenarioSection {
  var executor = Kind()
  var traits = FleetTraits()

  static var table: Table<Self> {
    Table(
      "fleet-\(Kind.table.name)", Kind.table.text, Kind.keys(at: \.executor) + FleetTraits.keys(at: \.traits))
  }
}

extension ValueCodec where Value == Fleet {
  static var fleet: ValueCodec {
    variants(
      tag: "executor", standard: "constant-devices",
      [
        variant { .constantDevices($0) }, variant { .rampingDevices($0) }, variant { .constantArrivals($0) },
        variant { .rampingArrivals($0) },
      ])
  }

  private static func variant<Kind: ScenarioSection>(
    _ wrap: @escaping @Sendable (Kind) -> Executor
  ) -> Variant<Fleet> {
    Variant(Kind.table.name) { (section: FleetSection<Kind>) in
      Fleet(executor: wrap(section.executor), traits: section.traits)
    }
  }
}

extension Fleet {
  /// The share of its devices that is simulated.
  package var simulatedShare: Double {
    guard let members = traits.members else { return 1 }
    return Double(members.count) / Double(max(1, executor.peakDevices))
  }
}

/// The mode that an app without a schedule starts.
package enum FleetMode: String, CaseIterable, Sendable {
  /// Tracking.
  case location
  /// Geofence monitoring only.
  case geofences
}

/// The properties of a trip.
package struct DeclaredTrip: Equatable, Sendable {
  /// In metres.
  package var distance = Distribution.lognormal(median: 7_000, p95: 28_000)

  package init() {}
}

extension DeclaredTrip: ScenarioSection {
  static let table = Table<DeclaredTrip>(
    "trip", "Length of a trip.",
    [
      .key(
        "distance", \.distance, .distribution(InMetres.self),
        "Distance; by default with a median of 7 km, and 28 km at the 95th percentile.")
    ])
}
