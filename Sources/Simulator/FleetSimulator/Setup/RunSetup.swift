package import Base
package import Contract
package import JSON
package import Scenario
import Vocabulary
package import World

/// All inputs of a run, except the server and its timing.
package struct RunSetup: Sendable {
  package var seed: UInt64
  /// The date and time at which the run begins.
  package var start: WallInstant
  /// The duration of the drives.
  package var duration: Nanoseconds
  /// The duration of the settle phase, without faults.
  package var settle: Nanoseconds
  /// The devices' offset from UTC.
  package var zoneOffsetSeconds = 0
  /// The changes of the offset, in order.
  package var zoneChanges: [(instant: WallInstant, offsetSeconds: Int)] = []
  /// The links of devices.
  package var radio: RadioTable
  package var fleets: [FleetSetup]
  /// The faults, with unique names.
  package var faults: [Fault]
  /// The acts of the scenario, in order of time.
  package var acts: [PlannedAct] = []
  /// Whether a person may act on the run.
  var isSteerable = false
  /// The shard that this is; nil: the whole.
  var shard: Shard?
  /// The number of devices of the whole run, for a shard; nil: those that are simulated.
  var counted: Int?
  /// For each fleet, the devices of the whole run whose tracks a map shows; nil: `membersOnMap` chooses them.
  var mapped: [[Int]]?
  /// Invariants whose violation ends the drives.
  package var endingInvariants: Set<Invariant> = []
  /// The invariant whose first violation ends the run; acknowledged records are then looked up in the store at once.
  package var breakingInvariant: Invariant?
  /// The real server; nil: the in-process server, in virtual time.
  package var outside: OutsideSetup?
  /// The headers of every request to the in-process server, which override those of the app.
  package var insideHeaders: [Named<String>] = []
  /// How apps receive their tokens; nil: the server requires none.
  package var authorization: TargetAuthorization?
  /// How long a device keeps an idle connection.
  package var keepAlive = Nanoseconds.seconds(300)
  /// Whether apps accept only the server's known key.
  package var pinsKey = false
  /// The names of the devices whose SDK logs go to watchers.
  package var logged: Set<String> = []
  /// The share of devices whose records are traced; nil: uploads carry no trace context.
  package var tracedShare: Double?
  /// The invariants that are checked.
  package var invariants = Invariant.allCases

  package init(
    seed: UInt64, start: WallInstant, duration: Nanoseconds, settle: Nanoseconds, radio: RadioTable = .presets,
    fleets: [FleetSetup], faults: [Fault] = []
  ) {
    self.radio = radio
    self.seed = seed
    self.start = start
    self.duration = duration
    self.settle = settle
    self.fleets = fleets
    self.faults = faults
  }

  /// The seed of record uuids. A run over sockets leaves its records beside those of earlier runs of its seed: with the same
  /// uuids at slightly different times they would look like repeated rows.
  var identitySeed: UInt64 {
    guard let number = outside?.runNumber, number != 0 else { return seed }
    return SplitMix64.mix(seed ^ SplitMix64.mix(number))
  }

  /// The names of the simulated devices, in order.
  package var deviceNames: [String] {
    fleets.flatMap { fleet in fleet.simulated.map { "\(fleet.name)-\($0)" } }
  }

  /// The names of devices that other processes simulate.
  var namesOfOtherShards: [String] {
    guard shard != nil else { return [] }
    return fleets.flatMap { fleet in
      let own = Set(fleet.simulated)
      return (0..<fleet.devices).filter { !own.contains($0) }.map { "\(fleet.name)-\($0)" }
    }
  }

  /// The number of devices in the scenario, for a shard that of all shards.
  package var devicesOfWhole: Int {
    counted ?? fleets.reduce(0) { sum, fleet in sum + fleet.simulated.count(where: { $0 < fleet.devices }) }
  }

  /// The number of each device in the whole run, whichever shard simulates it.
  var deviceNumbers: [Int] {
    var before = 0
    var numbers: [Int] = []
    for fleet in fleets {
      numbers += fleet.simulated.map { before + $0 }
      before += fleet.devices
    }
    return numbers
  }

  /// Draws a share of the devices; depends on the seed only.
  package func devicesDrawn(share: Double) -> [Bool] {
    fleets.flatMap { fleet in
      fleet.simulated.map { index in
        let lot = SplitMix64.mix(seed ^ SplitMix64.mix(fleet.key(of: index)))
        return Double(lot >> 11) / Double(1 << 53) < share
      }
    }
  }

  func moment(at instant: MonotonicInstant) -> Moment {
    Moment(monotonic: instant, wall: start.advanced(byMilliseconds: instant.nanoseconds / 1_000_000))
  }

  /// The number of log entries that a device keeps for a server that requests its log; 0 when none in the run can.
  var logEntriesKept: Int {
    let asks = faults.contains { fault in
      guard case .remote(let remote) = fault.action else { return false }
      return remote.commands.contains { $0.name == .uploadLog }
    }
    guard outside != nil || asks else { return 0 }
    let devices = max(1, fleets.reduce(0) { $0 + $1.devices })
    return min(5_000, max(64, 250_000 / devices))
  }
}

extension RunSetup {
  /// The setup of a scenario. Throws the parts of it that cannot be simulated.
  package init(_ scenario: Scenario, files: RouteFiles = .none) throws(UnsupportedScenarioError) {
    var problems: [ScenarioProblem] = []
    let radio = RunSetup.radioTable(of: scenario)
    var movements = MovementBuilder(scenario, files)
    var fleets: [FleetSetup] = []
    for fleet in scenario.fleets {
      if let setup = RunSetup.fleet(fleet.name, fleet.value, of: scenario, radio, &movements, &problems) {
        fleets.append(setup)
      }
    }
    files.releaseRoutes()
    problems += RunSetup.problems(of: scenario)
    guard problems.isEmpty else { throw UnsupportedScenarioError(problems) }
    self.init(
      seed: scenario.seed, start: scenario.clock.start, duration: scenario.clock.duration,
      settle: scenario.clock.settle, radio: radio, fleets: fleets, faults: scenario.faults)
    zoneOffsetSeconds = scenario.clock.zoneOffsetSeconds
    zoneChanges = scenario.clock.zoneChanges.map { ($0.instant, $0.offsetSeconds) }.sorted { $0.0 < $1.0 }
    acts = scenario.acts
    invariants = scenario.invariants.checked
    if scenario.invariants.onViolation != .proceed { endingInvariants = Set(invariants) }
    keepAlive = scenario.target.connections.keepAlive
    pinsKey = scenario.target.security.pinnedKey != nil
    if scenario.target.authorization.strategy == .jwt { authorization = scenario.target.authorization }
    outside = RunSetup.outside(scenario, fleets)
    insideHeaders = scenario.target.headers
  }
}

/// A group of devices with the same setup.
package struct FleetSetup: Sendable {
  /// The key of the fleet's random streams: renaming it changes its draws; other fleets do not.
  package var name: String
  package var devices: Int
  /// The number of places after those, for phones that acts add during the run.
  package var room = 0
  /// The simulated members, in order and once each; nil: all. A member has the same name, random draws and trips as
  /// in the whole fleet.
  package var members: [Int]?
  package var movement: Movement
  package var radio: RadioModel
  package var habits: HabitRates
  package var receiver = GPSModel.inVehicle
  package var battery = PhoneBattery()
  package var presence = Presence.from(MonotonicInstant(nanoseconds: 0))
  /// The fences that the app adds before it starts the SDK for the first time.
  package var geofences: [Geofence] = []
  /// Whether the app calls `startGeofences` when it has no schedule.
  package var startsGeofencesOnly = false
  package var behaviour = SDKBehaviour.observed
  /// Tags for thresholds and reports.
  package var tags: [Tag] = []
  /// The number of trips that found no free device.
  package var droppedTrips = 0
  /// Nil for fleets without trips on demand.
  var trips: TripPlan?
  /// The common configuration of all devices.
  package var configuration: Configuration
  /// The documents of the configuration, where devices differ in it; otherwise empty.
  package var documents: [JSONValue] = []

  package init(
    name: String, devices: Int, movement: Movement, radio: RadioModel = .constant(.lte),
    habits: HabitRates = HabitRates(killsPerHour: 0, rebootsPerHour: 0), configuration: Configuration,
    members: [Int]? = nil
  ) {
    precondition(devices >= 0, "devices are counted from 0")
    self.members = members
    self.name = name
    self.devices = devices
    self.movement = movement
    self.radio = radio
    self.habits = habits
    self.configuration = configuration
  }

  /// The indices of the simulated devices.
  package var simulated: [Int] { members ?? Array(0..<devices + room) }

  /// A tag of the fleet's devices.
  package struct Tag: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  func key(of index: Int) -> UInt64 { FleetSetup.key(of: index, in: name) }

  /// Returns the key of a device's random streams: FNV-1a of the fleet's name in the upper bits, its index in the lower ones.
  static func key(of index: Int, in name: String) -> UInt64 {
    UInt64(FNV1a.hash32(name)) << 32 | UInt64(index)
  }
}

/// A fleet's setup, shared by all its devices.
final class SharedFleet {
  let setup: FleetSetup
  /// The presence of the setup, as changed by acts.
  var presence: Presence
  private(set) var movement: Movement
  private(set) var trips: TripPlan?

  init(_ setup: FleetSetup) {
    self.setup = setup
    (presence, movement, trips) = (setup.presence, setup.movement, setup.trips)
  }

  func replan(_ plan: TripPlan) {
    let assigned = plan.assignment.trips
    trips = plan
    movement = .scheduled(plan.ground, trips: assigned)
    presence = .each(assigned.map { $0.first?.start })
  }

  /// Returns the first presence of a device according to the scenario; devices that acts add begin with their act.
  func firstPresence(of index: Int) -> MonotonicInstant? {
    index < setup.devices ? setup.presence.first(of: index) : nil
  }
}

extension RunSetup {
  static func fleet(
    _ name: String, _ fleet: Fleet, of scenario: Scenario, _ table: RadioTable, _ movements: inout MovementBuilder,
    _ problems: inout [ScenarioProblem]
  ) -> FleetSetup? {
    let traits = fleet.traits
    guard let motion = scenario.motion(named: scenario.motionName(of: traits)),
      let built = movements.build(traits, &problems)
    else { return nil }
    let schedule = schedule(name, fleet, on: built.ground, built.movement, of: scenario)
    let life = traits.lifecycle
    var setup = FleetSetup(
      name: name, devices: schedule.devices, movement: schedule.movement,
      radio: radioModel(named: traits.network, of: scenario, table),
      habits: HabitRates(
        killsPerHour: life.terminate.perHour, rebootsPerHour: life.reboot.perHour,
        relaunchSeconds: life.terminate.relaunchAfter),
      configuration: scenario.configuration(of: traits))
    setup.receiver = receiver(motion.gps)
    setup.behaviour = scenario.behaviour(of: traits)
    setup.presence = schedule.presence
    setup.droppedTrips = schedule.droppedTrips
    setup.trips = schedule.trips
    setup.room = max(0, schedule.devices(under: scenario.acts, of: name) - schedule.devices)
    setup.members = traits.members.map { members in members.filter { $0 < setup.devices + setup.room } }
    setup.battery = PhoneBattery(
      start: life.battery.start[0]...life.battery.start[1],
      drainPerHour: life.battery.drainPerHour)
    if let fences = traits.geofences {
      setup.geofences = geofences(named: fences, of: scenario, over: built.place)
    }
    setup.startsGeofencesOnly = traits.mode == .geofences
    let placeholders = DevicePlaceholders(fleet: name, index: 0, seed: scenario.seed)
    setup.tags = traits.tags.map { FleetSetup.Tag(name: $0.name, value: placeholders.fill($0.value)) }
    let documents = scenario.documents(of: traits)
    if documents.contains(where: { DevicePlaceholders.stand(in: $0) }) { setup.documents = documents }
    return setup
  }
}

/// The purpose of a random draw of the simulator, beside `RandomStreamID` of the world and the draws of devices and links.
enum FleetStreamID: UInt64 {
  case arrivals = 80
  case tripDistance = 81
  /// The delay of a reported crossing, and the error of its position.
  case crossing = 82
  case coarsePosition = 83
}

/// The parts of a scenario that this version cannot simulate.
package struct UnsupportedScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
  package let problems: [ScenarioProblem]

  init(_ problems: [ScenarioProblem]) {
    // Fleets may share what is wrong.
    self.problems = problems.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The problems without positions.
  package var description: String { problems.map(\.description).joined(separator: "; ") }
}
