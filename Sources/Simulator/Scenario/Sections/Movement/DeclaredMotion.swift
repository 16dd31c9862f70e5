package import Base

/// The movement of a body and the errors of its sensors.
package struct DeclaredMotion: Equatable, Sendable {
  package var speed = SpeedModel.driver(DriverSpeed())
  package var gps = DeclaredReceiver()
  /// The share of each motion activity that is reported while moving; the sum is 1.
  package var activity: [Named<Double>] = []

  package init() {}

  /// The mean speed on the way, without stops.
  package var cruisingMetresPerSecond: Double {
    switch speed {
    case .driver(let driver): driver.desiredMetresPerSecond
    case .steady(let steady): steady.meanMetresPerSecond
    }
  }
}

extension DeclaredMotion: ScenarioSection {
  static let table = Table<DeclaredMotion>(
    "motion", "Movement of a device and the errors of its sensors.",
    [
      .optional("extends", \.base, .name(in: .motion), "Motion that supplies the keys missing here."),
      .key("speed", \.speed, .speed, "Speed; that of a car in town by default."),
      .key("gps", \.gps, .gps, "Error of the GPS receiver; about 4 m by default."),
      .key("activity", \.activity, .activityShares, "What the motion sensor reports on the way, as shares."),
    ])

  /// Inheritance is resolved before a motion is read; the key is only validated.
  private var base: String? {
    get { nil }
    set {}
  }
}

extension ValueCodec where Value == [Named<Double>] {
  /// Shares of the SDK's motion activities.
  static var activityShares: ValueCodec {
    let names = ["still", "on_foot", "walking", "running", "on_bicycle", "in_vehicle", "unknown"]
    let shares = map(of: .share, names: names, what: "activity")
    return ValueCodec(shares.schema, show: shares.show) { value, context in
      guard let read = shares.read(value, &context) else { return nil }
      let sum = read.reduce(0) { $0 + $1.value }
      if !read.isEmpty && (sum - 1).magnitude > 1e-6 {
        context.refuse(
          .contradiction, value.position, "the shares add up to \(sum.short)", remedy: "make them add up to 1")
      }
      return read
    }
  }
}

/// Motions that every scenario may use without declaring them.
enum MotionPreset {
  static let names = document.memberNames

  /// In the language of scenarios.
  static let document: JSON5Value = {
    do throws(ScenarioError) { return try JSON5Reader.read(text) } catch {
      preconditionFailure("the presets are JSON5")
    }
  }()

  private static let text = """
    {
      driving: {
        speed: { model: "idm", desired: "50km/h", accel: 1.4, brake: 2 },
        gps: { model: "ornstein-uhlenbeck", sigma: "4m", tau: "45s" },
        activity: { in_vehicle: 0.9, unknown: 0.08, still: 0.02 },
      },
      walking: {
        speed: { model: "constant", mean: "1.35m/s", cv: 0.15 },
        gps: { model: "ornstein-uhlenbeck", sigma: "6m", tau: "90s" },
        activity: { on_foot: 0.92, still: 0.08 },
      },
      cycling: {
        speed: { model: "idm", desired: "18km/h", accel: 0.8, brake: 1.5 },
        gps: { model: "ornstein-uhlenbeck", sigma: "5m", tau: "60s" },
        activity: { on_bicycle: 0.88, unknown: 0.1, still: 0.02 },
      },
    }
    """
}

extension Scenario {
  /// Returns the motion that a fleet declares, or one that suits its route.
  package func motionName(of fleet: FleetTraits) -> String {
    if let motion = fleet.motion { return motion }
    switch fleet.routes.flatMap({ name in routes.first { $0.name == name }?.value }) {
    case .walk: return "walking"
    case .city(let city):
      switch city.trips {
      case .plan(.walker): return "walking"
      case .plan(.cyclist): return "cycling"
      case .plan, .markov: return "driving"
      }
    case .collection, .replay, nil: return "driving"
    }
  }

  /// Returns the declared or preset motion of that name. Names are validated when the scenario is read.
  package func motion(named name: String) -> DeclaredMotion? {
    if let declared = motions.first(where: { $0.name == name }) { return declared.value }
    guard let preset = MotionPreset.document[name] else { return nil }
    var context = DecodingContext(names: DeclaredNames(in: nil))
    return ValueCodec<DeclaredMotion>.section().read(preset, &context)
  }
}

/// Resolves `extends` of motions on the text's values before they are read: keys of `speed` and `gps` are inherited
/// individually if the model is the same, `activity` as a whole.
struct MotionInheritance {
  private let declared: JSON5Value?
  private(set) var problems: [ScenarioError] = []

  init(of document: JSON5Value) { declared = document["motion"] }

  /// Returns the motions with inherited keys.
  mutating func resolved() -> JSON5Value? {
    guard var motions = declared, case .object(var members) = motions.content else { return declared }
    for index in members.indices { members[index].value = resolve(members[index], after: []) }
    motions.content = .object(members)
    return motions
  }

  private mutating func resolve(_ motion: JSON5Value.Member, after names: [String]) -> JSON5Value {
    guard let extends = motion.value["extends"], case .string(let name) = extends.content else { return motion.value }
    guard !names.contains(name), name != motion.key else {
      problems.append(
        ScenarioError(
          .contradiction, at: extends.position, path: "motion.\(motion.key.asPathStep).extends",
          "a motion cannot extend itself, directly or through others", remedy: "remove one 'extends'"))
      return motion.value
    }
    if case .object(let members)? = declared?.content, let base = members.first(where: { $0.key == name }) {
      return motion.value.taking(over: resolve(base, after: names + [motion.key]))
    }
    return MotionPreset.document[name].map(motion.value.taking) ?? motion.value
  }
}

extension JSON5Value {
  fileprivate func taking(over base: JSON5Value) -> JSON5Value {
    guard case .object(var members) = content, case .object(let inherited) = base.content else { return self }
    for member in inherited where member.key != "extends" {
      if let index = members.firstIndex(where: { $0.key == member.key }) {
        if member.key != "activity" { members[index].value = members[index].value.completing(from: member.value) }
      } else {
        members.append(member)
      }
    }
    var result = self
    result.content = .object(members)
    return result
  }

  /// Inherits keys of the same model.
  private func completing(from base: JSON5Value) -> JSON5Value {
    guard case .object(var members) = content, case .object(let inherited) = base.content else { return self }
    if let model = self["model"], model.content != base["model"]?.content { return self }
    for member in inherited where !members.contains(where: { $0.key == member.key }) { members.append(member) }
    var result = self
    result.content = .object(members)
    return result
  }
}

/// The speed of a body along its route.
package enum SpeedModel: Equatable, Sendable {
  case driver(DriverSpeed)
  case steady(SteadySpeed)
}

/// A driver with a desired speed who brakes for curves, lights and stops.
package struct DriverSpeed: Equatable, Sendable {
  package var desiredMetresPerSecond = 50 / 3.6
  /// In m/s².
  package var acceleration = 1.4
  /// In m/s².
  package var braking = 2.0
  package var stops: StopEvents?

  package init() {}
}

extension DriverSpeed: ScenarioSection {
  static let table = Table<DriverSpeed>(
    "speed-idm", "Driver model that brakes for curves, lights and stops.",
    [
      .key("desired", \.desiredMetresPerSecond, .quantity(.speed), "The speed on a free road."),
      .key("accel", \.acceleration, .number(0.05...20), "Comfortable acceleration in m/s²."),
      .key("brake", \.braking, .number(0.05...20), "Comfortable braking in m/s²."),
      .optional(
        "stops", \.stops, .section(), "Stops in addition to those that the streets cause, such as at traffic lights."),
    ])
}

/// Random stops, independent of the map.
package struct StopEvents: Equatable, Sendable {
  package var perKilometre = 1.0
  /// In seconds.
  package var duration = Distribution.exponential(mean: 22)

  package init() {}
}

extension StopEvents: ScenarioSection {
  static let table = Table<StopEvents>(
    "stops", "Stops without a cause on the map.",
    [
      .key("perKm", \.perKilometre, .number(0...100), "Average number per kilometre."),
      .key("duration", \.duration, .distribution(InSeconds.self), "How long they last; about 22 s by default."),
    ])
}

/// A constant speed, different for each body.
package struct SteadySpeed: Equatable, Sendable {
  package var meanMetresPerSecond = 1.35
  package var variation = 0.15

  package init() {}
}

extension SteadySpeed: ScenarioSection {
  static let table = Table<SteadySpeed>(
    "speed-constant", "The same speed all the way, different for each body.",
    [
      .key("mean", \.meanMetresPerSecond, .quantity(.speed), "The mean of all bodies."),
      .key("cv", \.variation, .share, "Standard deviation between bodies, as a share of the mean."),
    ])
}

extension ValueCodec where Value == SpeedModel {
  static var speed: ValueCodec {
    variants(
      tag: "model", standard: "idm", [Variant("idm") { .driver($0) }, Variant("constant") { .steady($0) }])
  }
}
