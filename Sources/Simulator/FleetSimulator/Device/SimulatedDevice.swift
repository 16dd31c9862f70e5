import Base
import Contract
import Database
import Engine
import Host
import JSON
import Upload
import Vocabulary
import World

/// One phone with its owner, its app and what lies between it and the server. It says when something next happens to it,
/// and is called then.
struct SimulatedDevice {
  let number: Int
  let key: UInt64
  /// Its place in its fleet.
  let index: Int
  let fleet: SharedFleet
  var host: DeviceHost<SimulatedPhone>
  var body: Body
  var receiver: Receiver
  var sensor: ActivitySensor
  var radio: Radio
  var habits: Habits
  var link: RandomStream
  var network = RadioNetwork.none
  /// While the app or the phone is off: when it comes back.
  var isDownUntil: MonotonicInstant?
  var comesBackAfterReboot = false
  var launches: UInt64 = 0
  var exchanges: [Exchange] = []
  var idleLine: Line?
  /// How many connections it has made.
  var lines: UInt64 = 0
  /// Nil where no tokens are wanted.
  var account: Account?
  var occasion: MonotonicInstant?
  var crossing = CrossingTest(isInside: true)
  var regionTick: MonotonicInstant?
  var regionExit: MonotonicInstant?
  var faults: FaultTimeline
  var isHealed = false
  var nextSync: MonotonicInstant?

  /// Concerns of a device beside those of the world.
  private enum DeviceConcern {
    static let identity: UInt64 = 1 << 32
    static let region: UInt64 = 65
  }

  init(_ number: Int, index: Int, of fleet: SharedFleet, in site: Site) throws(DatabaseError) {
    let zero = MonotonicInstant(nanoseconds: 0)
    let (key, seed) = (fleet.setup.key(of: index), site.setup.seed)
    self.number = number
    self.key = key
    self.index = index
    self.fleet = fleet
    body = SimulatedDevice.body(key, fleet.setup.movement, in: site)
    receiver = Receiver(model: site.receiverModel, seed: seed, device: key)
    sensor = ActivitySensor(truth: .still, at: zero, seed: seed, device: key)
    radio = Radio(model: fleet.setup.radio, start: zero, seed: seed, device: key)
    habits = Habits(rates: fleet.setup.habits, clock: site.clock, start: zero, seed: seed, device: key)
    faults = site.faults.timeline(of: index, in: fleet.setup)
    link = RandomStream(seed: seed, device: key, concern: Concern.link.rawValue)
    host = try SimulatedDevice.launch(
      number, key, fleet.setup.configuration.platform, launches: 0, firstRequest: 1, at: zero, in: site)
    account = site.setup.authorization.map { _ in Account() }
    changeFaults(at: zero, in: site)
    begin(Launch(), at: zero, in: site)
    let now = site.setup.moment(at: zero)
    host.receive(.call(.start), at: now)
    finish(at: zero, in: site)
  }

  private static func body(_ key: UInt64, _ movement: Movement, in site: Site) -> Body {
    let zero = MonotonicInstant(nanoseconds: 0)
    switch movement {
    case .plan(let occupation):
      let plan = DailyPlan(seed: site.setup.seed, device: key, occupation: occupation)
      return Body(in: site.city, clock: site.clock, plan: plan, start: zero)
    case .shuttle(let transport):
      let way = site.city.way(
        from: site.city.home(of: key, seed: site.setup.seed), to: site.city.work(of: key, seed: site.setup.seed))
      let corners = way.crossings.map { site.city.coordinate(of: $0) }
      let places = [site.city.coordinate(of: way.start)] + corners + [site.city.coordinate(of: way.end)]
      let route = TimedRoute(
        modelled: RouteRecording(places: places), transport: transport, speedLimit: 13.9, stopsPerKilometre: 1,
        meanStopSeconds: 15, seed: site.setup.seed, device: key)
      return Body(along: route, repetition: .pingPong, start: zero)
    }
  }

  static func launch(
    _ number: Int, _ key: UInt64, _ platform: DevicePlatform, launches: UInt64, firstRequest: UInt64,
    at instant: MonotonicInstant, in site: Site
  ) throws(DatabaseError) -> DeviceHost<SimulatedPhone> {
    let description = DeviceDescription(
      platform: platform, model: "Simulated", manufacturer: "Rolling Road", version: "15", userAgent: "RollingRoad/1")
    return try DeviceHost(
      description, on: SimulatedPhone(), database: site.database, device: number,
      identity: RandomStream(
        seed: site.setup.seed, device: key, concern: DeviceConcern.identity + launches),
      firstRequest: firstRequest, scratch: site.scratch, at: site.setup.moment(at: instant))
  }

  /// What watchers hear of beside what happened.
  func sighting(at now: Moment) -> Sighting { Sighting(device: number, now: now, network: network) }

  mutating func begin(_ launch: Launch, at instant: MonotonicInstant, in site: Site) {
    let now = moment(at: instant, in: site)
    network = currentNetwork(at: instant, in: site)
    site.tell(.kept(host.engine.state), sighting(at: now))
    site.tell(.launched(launch), sighting(at: now))
    host.receive(.connectivity(network.connectivity), at: now)
    let configuration = configuration
    let hasAccount = account != nil
    host.ready(launch, at: now) { kept in
      Configuration.ready(platform: configuration.platform, persisted: kept) { draft in
        draft = configuration
        // The app has kept what the SDK told it of its tokens.
        if hasAccount, let kept { draft.authorization = kept.authorization }
      }
    }
    seekTokens(at: instant)
  }

  /// What the app says to `ready`.
  private var configuration: Configuration {
    var configuration = fleet.setup.configuration
    configuration.logger.logLevel = .off
    configuration.http.url = SimulatedDevice.url("/locations")
    configuration.http.headers = .object(["X-Device-Id": .string(name)])
    return configuration
  }

  func currentNetwork(at instant: MonotonicInstant, in site: Site) -> RadioNetwork {
    if isHealed { return .wifi }
    if let faulty = faultyNetwork(in: site) { return faulty }
    return radio.network(under: body.cover(at: instant), hasWifi: body.hasWifi)
  }

  func regionDelay(at instant: MonotonicInstant, in site: Site) -> Nanoseconds {
    let n = UInt64(bitPattern: instant.nanoseconds / 1_000_000) << 2
    var stream = RandomStream(seed: site.setup.seed, device: key, concern: DeviceConcern.region, n: n)
    return CrossingTest.delay(stream.uniform())
  }
}

extension RadioNetwork {
  var connectivity: Connectivity {
    switch self {
    case .wifi: .wifi
    case .lte, .hsdpa, .edge: .cellular
    case .none: .none
    }
  }
}
