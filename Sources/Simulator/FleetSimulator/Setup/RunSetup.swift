package import Base
package import Contract
package import JSON
package import Scenario
import Vocabulary
package import World

/// Everything that a run follows from, besides the server and the time it takes.
package struct RunSetup: Sendable {
  package var seed: UInt64
  /// The date and time at which the run begins.
  package var start: WallInstant
  /// How long the devices live.
  package var duration: Nanoseconds
  /// How long everything is healthy afterwards.
  package var settle: Nanoseconds
  /// How far the clocks on the wall are ahead of UTC where the devices are.
  package var zoneOffsetSeconds = 0
  /// When that changes, in order.
  package var zoneChanges: [(instant: WallInstant, offsetSeconds: Int)] = []
  /// The links that devices may have.
  package var radio: RadioTable
  package var fleets: [FleetSetup]
  /// What goes wrong, each under a name of its own.
  package var faults: [Fault]
  /// What a person does on the way, in the order of time.
  package var acts: [PlannedAct] = []
  /// A person may act on the run.
  var isSteerable = false
  /// The part of the run that this is; nil: the whole.
  var shard: Shard?
  /// Of a shard, how many devices the whole run has; nil: those that are simulated.
  var counted: Int?
  /// Of each fleet, those of the whole run whose ways a map shows; nil: `membersOnMap` chooses them.
  var mapped: [[Int]]?
  /// Invariants whose violation ends the drives.
  package var endingInvariants: Set<Invariant> = []
  /// With its first violation everything is over; what is acknowledged is then looked for in the store at once.
  package var breakingInvariant: Invariant?
  /// The real server that is driven at; nil: one inside, in virtual time.
  package var outside: OutsideSetup?
  /// Of every request to a server inside, over those of the app.
  package var insideHeaders: [Named<String>] = []
  /// How apps get their tokens; nil: the server wants none.
  package var authorization: TargetAuthorization?
  /// How long a device keeps a connection that it does not use.
  package var keepAlive = Nanoseconds.seconds(300)
  /// Apps take no other key of the server than the one that they know.
  package var pinsKey = false
  /// The names of the devices whose SDK's log watchers hear of.
  package var logged: Set<String> = []
  /// Share of the devices whose records are traced; nil: uploads say nothing of traces.
  package var tracedShare: Double?
  /// What is watched over.
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

  /// What the uuids of records follow from. A run over sockets leaves its records beside those of earlier runs of its seed: with
  /// the same uuids at times a little different they would look like repeated rows.
  var identitySeed: UInt64 {
    guard let number = outside?.runNumber, number != 0 else { return seed }
    return TraceHash.mix(seed ^ TraceHash.mix(number))
  }

  /// Of those that are simulated, in order.
  package var deviceNames: [String] {
    fleets.flatMap { fleet in fleet.simulated.map { "\(fleet.name)-\($0)" } }
  }

  /// Those that other processes simulate.
  var namesOfOtherShards: [String] {
    guard shard != nil else { return [] }
    return fleets.flatMap { fleet in
      let own = Set(fleet.simulated)
      return (0..<fleet.devices).filter { !own.contains($0) }.map { "\(fleet.name)-\($0)" }
    }
  }

  /// Those that the scenario has; of a shard, those of all shards.
  package var devicesOfWhole: Int {
    counted ?? fleets.reduce(0) { sum, fleet in sum + fleet.simulated.count(where: { $0 < fleet.devices }) }
  }

  /// By device: its number in the whole run, in whichever shard it is simulated.
  var deviceNumbers: [Int] {
    var before = 0
    var numbers: [Int] = []
    for fleet in fleets {
      numbers += fleet.simulated.map { before + $0 }
      before += fleet.devices
    }
    return numbers
  }

  /// A share of the devices, by place in the run; it follows from the seed alone.
  package func devicesDrawn(share: Double) -> [Bool] {
    fleets.flatMap { fleet in
      fleet.simulated.map { index in
        let lot = TraceHash.mix(seed ^ TraceHash.mix(fleet.key(of: index)))
        return Double(lot >> 11) / Double(1 << 53) < share
      }
    }
  }

  func moment(at instant: MonotonicInstant) -> Moment {
    Moment(monotonic: instant, wall: start.advanced(byMilliseconds: instant.nanoseconds / 1_000_000))
  }

  /// How many entries of its log a device keeps for a server that asks for it; 0 when none of the run can ask.
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
  /// What a scenario comes to. Throws a sentence for each thing in it that cannot be simulated yet.
  package init(_ scenario: Scenario, files: RouteFiles = .none) throws(UnsupportedScenarioError) {
    var problems: [String] = []
    let radio = RunSetup.radioTable(of: scenario)
    var movements = MovementBuilder(scenario, files)
    var fleets: [FleetSetup] = []
    for fleet in scenario.fleets {
      if let setup = RunSetup.fleet(fleet.name, fleet.value, of: scenario, radio, &movements, &problems) {
        fleets.append(setup)
      }
    }
    for fault in scenario.faults { RunSetup.judge(fault, of: scenario, &problems) }
    for act in scenario.acts { RunSetup.judge(act, of: scenario, &problems) }
    if scenario.clock.mode == .virtual { RunSetup.judge(scenario.target, &problems) }
    let outside = RunSetup.outside(scenario, fleets, &problems)
    guard problems.isEmpty else { throw UnsupportedScenarioError(problems: problems) }
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
    self.outside = outside
    insideHeaders = scenario.target.headers
  }
}

/// Devices that are alike.
package struct FleetSetup: Sendable {
  /// Tells the fleet's chances from those of other fleets: renaming it changes them, what stands beside it does not.
  package var name: String
  package var devices: Int
  /// Places after those, for phones that acts add on the way.
  package var room = 0
  /// Which of them are simulated, in order and once each; nil: all. A member is who it is in the whole fleet: it has the
  /// same name, the same chances, the same trips.
  package var members: [Int]?
  package var movement: Movement
  package var radio: RadioModel
  package var habits: HabitRates
  package var receiver = GPSModel.inVehicle
  package var battery = PhoneBattery()
  package var presence = Presence.from(MonotonicInstant(nanoseconds: 0))
  /// Which the app adds before it starts the SDK for the first time.
  package var geofences: [Geofence] = []
  /// What the app starts when it has no schedule.
  package var startsGeofencesOnly = false
  package var behaviour = SDKBehaviour.observed
  /// For thresholds and reports.
  package var tags: [Tag] = []
  /// Trips that found no free device.
  package var droppedTrips = 0
  /// Nil for fleets that make no trips on demand.
  var trips: TripPlan?
  /// Of every device, as far as devices are alike.
  package var configuration: Configuration
  /// What makes up the configuration, where devices differ in it; else empty.
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

  /// The places in the fleet of those that are simulated.
  package var simulated: [Int] { members ?? Array(0..<devices + room) }

  /// A word that its devices are told from others by.
  package struct Tag: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  func key(of index: Int) -> UInt64 { FleetSetup.key(of: index, in: name) }

  /// The number under which a device draws: FNV-1a of the fleet's name above, its place in the fleet below.
  static func key(of index: Int, in name: String) -> UInt64 {
    UInt64(FNV1a.hash32(name)) << 32 | UInt64(index)
  }
}

/// A fleet's setup, once for all its devices.
final class SharedFleet {
  let setup: FleetSetup
  /// What acts have made of those of the setup.
  var presence: Presence
  private(set) var movement: Movement
  private(set) var trips: TripPlan?

  init(_ setup: FleetSetup) {
    self.setup = setup
    (presence, movement, trips) = (setup.presence, setup.movement, setup.trips)
  }

  func order(_ trips: TripPlan) {
    let orders = trips.orders.orders
    self.trips = trips
    movement = .scheduled(trips.ground, orders: orders)
    presence = .each(orders.map { $0.first?.start })
  }

  /// When a device is there for the first time, as the scenario has it; what acts add comes with them.
  func firstPresence(of index: Int) -> MonotonicInstant? {
    index < setup.devices ? setup.presence.first(of: index) : nil
  }
}

extension RunSetup {
  static func fleet(
    _ name: String, _ fleet: Fleet, of scenario: Scenario, _ table: RadioTable, _ movements: inout MovementBuilder,
    _ problems: inout [String]
  ) -> FleetSetup? {
    let traits = fleet.traits
    guard let motion = scenario.motion(named: scenario.motionName(of: traits)),
      let built = movements.build(traits, &problems)
    else { return nil }
    let schedule = schedule(name, fleet, on: built.ground, built.movement, of: scenario)
    let life = traits.lifecycle
    var setup = FleetSetup(
      name: name, devices: schedule.devices, movement: schedule.movement,
      radio: radioModel(named: traits.network, of: scenario, table, &problems),
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
      start: min(life.battery.start[0], life.battery.start[1])...max(life.battery.start[0], life.battery.start[1]),
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

/// What a draw of the simulator is for, beside `RandomStreamID` of the world and what a device and its link draw.
enum FleetStreamID: UInt64 {
  case arrivals = 80
  case tripDistance = 81
  /// How late a crossing is reported, and how far off the position is that comes with it.
  case crossing = 82
  case coarsePosition = 83
}

/// What a scenario asks for and this version cannot simulate.
package struct UnsupportedScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One sentence each.
  package let problems: [String]
  /// Where those of them stand that are about one place of the scenario, in the same order.
  package var places: [SourcePosition?] = []

  /// Without the places.
  package var description: String { problems.joined(separator: "; ") }

  /// With their places; `sources` names the file and then the overrides in their order, `author` says what has no place.
  package func lines(sources: [String], else author: String) -> [String] {
    problems.enumerated().map { index, problem in
      guard index < places.count, let place = places[index], place.source < sources.count else {
        return "\(author): \(problem)"
      }
      return "\(place.text(sources: sources)): \(problem)"
    }
  }
}
