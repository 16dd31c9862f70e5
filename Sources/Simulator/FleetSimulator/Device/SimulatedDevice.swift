import Base
import Contract
import Database
import DeviceLog
import Engine
import Host
import JSON
import Oracle
import Scenario
import Upload
import Vocabulary
import World

/// One phone with its owner, its app and the network between it and the server. It reports the time of its next event
/// and is called then.
///
/// Even methods that only read are `mutating`: otherwise the caller would copy its three kilobytes.
struct SimulatedDevice {
  let number: Int
  let key: UInt64
  /// The index of the device in its fleet.
  let index: Int
  let fleet: SharedFleet
  let isLogged: Bool
  var host: DeviceHost
  var body: Body
  var phone: SimulatedPhone
  var radio: Radio
  var link: DeviceLink
  var life: AppLife
  /// Nil without token authorization.
  var account: Account?
  var faults: FaultTimeline
  var isHealed = false
  var nextSync: MonotonicInstant?

  /// The random streams of a device beside those of the world.
  private enum DeviceStreamID {
    static let identity: UInt64 = 1 << 32
    static let region: UInt64 = 65
    static let login: UInt64 = 66
  }

  init(_ number: Int, index: Int, of fleet: SharedFleet, in run: RunContext) throws(DatabaseError) {
    // A body exists from the first presence of its device.
    let zero = MonotonicInstant(nanoseconds: 0)
    let presence = fleet.firstPresence(of: index)
    let start = presence ?? zero
    let (key, seed) = (fleet.setup.key(of: index), run.setup.seed)
    self.number = number
    self.key = key
    self.index = index
    self.fleet = fleet
    isLogged = run.setup.logged.contains(run.names[number])
    let movement = fleet.setup.movement
    body = movement.body(seed: seed, device: key, index: index, clock: run.clock, start: start)
    phone = SimulatedPhone(
      Receiver(model: fleet.setup.receiver, seed: seed, device: key),
      ActivitySensor(truth: .still, at: start, shares: movement.shares, seed: seed, device: key))
    radio = Radio(model: fleet.setup.radio, start: start, seed: seed, device: key)
    life = AppLife(
      Habits(rates: fleet.setup.habits, clock: run.clock, start: start, seed: seed, device: key),
      presenceChange: presence)
    faults = run.faults.timeline(of: index, in: fleet.setup)
    link = DeviceLink(of: number, key: key, seed: seed)
    host = try SimulatedDevice.launch(
      number, key, of: fleet, launches: 0, firstRequest: 1, at: zero, in: run)
    if run.logEntriesKept > 0 {
      phone.recentLog = RecentLog(
        capacity: run.logEntriesKept, platform: fleet.setup.configuration.platform)
    }
    account = run.setup.authorization.map { _ in Account() }
    guard presence == zero else { return }
    changeFaults(at: zero, in: run)
    install(at: zero, in: run)
    finish(at: zero, in: run)
  }

  /// Prepares what begins with the device's presence, when this is not the time that its fleet's scenario says.
  mutating func prepare(for start: MonotonicInstant, in run: RunContext) {
    let seed = run.setup.seed
    body = fleet.movement.body(seed: seed, device: key, index: index, clock: run.clock, start: start)
    phone.sensor = ActivitySensor(truth: .still, at: start, shares: fleet.movement.shares, seed: seed, device: key)
    radio = Radio(model: fleet.setup.radio, start: start, seed: seed, device: key)
    life.habits = Habits(rates: fleet.setup.habits, clock: run.clock, start: start, seed: seed, device: key)
  }

  static func launch(
    _ number: Int, _ key: UInt64, of fleet: SharedFleet, launches: UInt64, firstRequest: UInt64,
    at instant: MonotonicInstant, in run: RunContext
  ) throws(DatabaseError) -> DeviceHost {
    let platform = fleet.setup.configuration.platform
    let description = DeviceDescription(
      platform: platform, model: "Simulated", manufacturer: "Rolling Road", version: platform == .ios ? "18.0" : "15")
    return try DeviceHost(
      description, database: run.database, device: number,
      identity: RandomStream(
        seed: run.setup.identitySeed, device: key, concern: DeviceStreamID.identity + launches),
      quirks: EngineQuirks(areObserved: fleet.setup.behaviour == .observed), firstRequest: firstRequest,
      clockFactor: run.clockFactor, scratch: run.scratch,
      at: run.setup.moment(at: instant))
  }

  mutating func begin(_ launch: Launch, at instant: MonotonicInstant, in run: RunContext) {
    let now = moment(at: instant, in: run)
    link.change(to: currentNetwork(at: instant, in: run))
    run.tell(.kept(host.engine.state), link.context(at: now))
    run.tell(.launched(launch), link.context(at: now))
    give(.connectivity(run.setup.radio[link.network].connectivity), at: now, in: run)
    if run.setup.zoneOffsetSeconds != 0 || !run.setup.zoneChanges.isEmpty {
      let changes = run.setup.zoneChanges.map { ZoneRules.Transition(at: $0.instant, offsetSeconds: $0.offsetSeconds) }
      give(
        .timeZone(ZoneRules(offsetSeconds: run.setup.zoneOffsetSeconds, transitions: changes)), at: now, in: run)
    }
    // The phone is in a pocket: heartbeats are throttled only in the background (SDK §18.3).
    give(.screen(isOn: false), at: now, in: run)
    // The user grants the permission that the app requests.
    if fleet.setup.configuration.geolocation.locationAuthorizationRequest == .whenInUse {
      give(
        .provider(
          ProviderState(
            isEnabled: true, authorizationStatus: 4, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)),
        at: now, in: run
      )
    }
    phone.toldBattery = .min
    tellBattery(at: now, in: run)
    ready(launch, at: now, in: run)
    seekTokens(at: instant)
  }

  mutating func ready(_ launch: Launch, at now: Moment, in run: RunContext) {
    var configuration = configuration(in: run)
    phone.recentLog?.begin(configuration, at: now.wall)
    // Without a reader of the log, the engine need not write it.
    if phone.recentLog == nil { configuration.logger.logLevel = .off }
    phone.isLogged = isLogged
    if isLogged { configuration.logger.logLevel = .verbose }
    let hasAccount = account != nil
    host.ready(launch, at: now) { kept in
      Configuration.ready(platform: configuration.platform, persisted: kept) { draft in
        draft = configuration
        // The app has stored the tokens that the SDK reported.
        if hasAccount, let kept { draft.authorization = kept.authorization }
      }
    }
    applyEffects(at: now, in: run)
  }

  /// Returns the placeholder values of this device.
  private func placeholders(in run: RunContext) -> DevicePlaceholders {
    DevicePlaceholders(fleet: fleet.setup.name, index: index, seed: run.setup.seed)
  }

  func configuration(in run: RunContext) -> Configuration {
    let placeholders = placeholders(in: run)
    var configuration = fleet.setup.configuration
    if !fleet.setup.documents.isEmpty {
      configuration = Configuration(platform: configuration.platform)
      for document in fleet.setup.documents { _ = configuration.apply(placeholders.fill(document)) }
    }
    guard let outside = run.setup.outside else {
      configuration.http.url = SimulatedDevice.url("/locations", in: run)
      for header in run.setup.insideHeaders { configuration.setHeader(header.name, placeholders.fill(header.value)) }
      // This server has only this run and identifies the devices by their names.
      configuration.removeHeader(HeaderName.runID.description)
      configuration.setHeader(HeaderName.deviceID.description, name)
      return configuration
    }
    if !outside.keepsURLs { configuration.http.url = placeholders.fill(outside.url) }
    for header in outside.headers { configuration.setHeader(header.name, placeholders.fill(header.value)) }
    if let preset = outside.preset, preset != .rollingroad {
      configuration.speak(preset)
      configuration.identify(name, to: preset)
    }
    if outside.isOurs { configuration.setHeader(HeaderName.deviceID.description, name) }
    return configuration
  }

  mutating func currentNetwork(at instant: MonotonicInstant, in run: RunContext) -> RadioNetwork {
    if isHealed { return .wifi }
    if let faulty = faultyNetwork(in: run) { return faulty }
    return radio.network(under: body.cover(at: instant), hasWifi: body.hasWifi)
  }

  mutating func regionDelay(at instant: MonotonicInstant, in run: RunContext) -> Nanoseconds {
    let n = UInt64(bitPattern: instant.nanoseconds / 1_000_000) << 2
    var stream = RandomStream(seed: run.setup.seed, device: key, concern: DeviceStreamID.region, n: n)
    return CrossingTest.delay(stream.uniform())
  }
}

/// The state of the app: running or not, and when that changes.
struct AppLife {
  var habits: Habits
  var isInstalled = false
  var isPresent = false
  /// The time of the next installation, departure or return of the device.
  var presenceChange: MonotonicInstant?
  /// While the app or the phone is off: the time at which the user, or the phone's start, restarts it; never when
  /// only the system does.
  var isDownUntil: MonotonicInstant?
  var isPhoneOff = false
  /// Whether the phone has rebooted and the app has not run since.
  var hasRebooted = false
  /// The time at which the user opens an app that runs in the background.
  var opensAt: MonotonicInstant?
  var launches: UInt64 = 0

  init(_ habits: Habits, presenceChange: MonotonicInstant?) {
    (self.habits, self.presenceChange) = (habits, presenceChange)
  }
}

extension RadioLink {
  var connectivity: Connectivity {
    switch kind {
    case .wifi: .wifi
    case .cellular: .cellular
    case .none: .none
    }
  }
}

/// The account of an app at a server with token authorization.
struct Account {
  /// The time of the next registration; nil: the app has tokens, or a registration is under way.
  var nextAttempt: MonotonicInstant?
  var attempts: UInt64 = 0
  /// Whether a registration is under way; its outcome decides the next attempt.
  var isRegistering = false

  static let retryInterval = Nanoseconds.seconds(15)
}

/// The app's part of token authorization: it registers, passes the tokens to the SDK, and registers again when the SDK
/// reports that the server rejects the refresh token (SDK §11).
extension SimulatedDevice {
  /// Schedules a registration: the app has started, or has lost its tokens.
  mutating func seekTokens(at instant: MonotonicInstant) {
    if host.configuration.authorization.accessToken == nil { account?.nextAttempt = instant }
  }

  mutating func register(at now: Moment, in run: RunContext) {
    guard let due = account?.nextAttempt, due <= now.monotonic, let authorization = run.setup.authorization else {
      return
    }
    account?.nextAttempt = nil
    account?.isRegistering = true
    account?.attempts += 1
    let login = (authorization.identity ?? .own).requests(for: name)
    let place = authorization.identity == nil ? authorization.tokenURL : login.login.name
    // Headers that a gateway in front of the server requires are sent here, too.
    let placeholders = placeholders(in: run)
    let given = (run.setup.outside?.headers ?? []).filter { field in
      !login.loginHeaders.contains { $0.hasName(field.name) }
    }.map { NameValuePair($0.name, placeholders.fill($0.value)) }
    let request = OutgoingRequest(
      id: AppRequest.first + (account?.attempts ?? 0), purpose: .log, method: "POST",
      url: SimulatedDevice.url(place, in: run), headers: login.loginHeaders + given,
      body: Array(login.login.value.utf8),
      timeout: .seconds(60))
    link.send(request, at: now, under: faults, in: run)
  }

  /// Handles the outcome of a registration.
  mutating func registered(_ outcome: RequestOutcome, at now: Moment, in run: RunContext) {
    account?.isRegistering = false
    guard let authorization = run.setup.authorization, let tokens = FoundTokens(in: outcome),
      let accessToken = tokens.accessToken
    else {
      account?.nextAttempt = now.monotonic + Account.retryInterval
      return
    }
    host.edit(at: now) { configuration in
      configuration.edit { draft in
        draft.authorization.strategy = .jwt
        draft.authorization.accessToken = accessToken
        draft.authorization.refreshToken = tokens.refreshToken
        let ways = (authorization.identity ?? .own).requests(for: "")
        let place = authorization.identity == nil ? authorization.refreshURL : ways.refreshPath
        draft.authorization.refreshUrl = SimulatedDevice.url(place, in: run)
        draft.authorization.refreshPayload = .object(ways.refreshPayload)
        draft.authorization.refreshHeaders = .object(ways.refreshHeaders)
        draft.authorization.expires = tokens.expires ?? TokenExpiry.never
      }
    }
    applyEffects(at: now, in: run)
  }

  /// Handles a failed refresh. The SDK retries at a failing server; a rejection requires a new registration.
  mutating func hear(_ event: AuthorizationEvent, at instant: MonotonicInstant, in run: RunContext) {
    guard event.isRefusal, account?.isRegistering == false, isHealed || logsInAgain(in: run) else { return }
    account?.nextAttempt = instant
  }

  private func logsInAgain(in run: RunContext) -> Bool {
    var stream = RandomStream(seed: run.setup.seed, device: key, concern: DeviceStreamID.login, n: 0)
    return stream.uniform() < run.setup.authorization?.loginShare ?? 1
  }

  var name: String { "\(fleet.setup.name)-\(index)" }

  static func url(_ path: String, in run: RunContext) -> String {
    if path.hasPrefix("http") { return path }
    let base = run.setup.outside.map { path.hasPrefix("/r/") ? $0.origin : $0.root } ?? "http://server.example"
    return base + (path.hasPrefix("/") ? path : "/" + path)
  }
}

extension AuthorizationEvent {
  /// Whether the server rejects the refresh token.
  var isRefusal: Bool { !isSuccess && (400..<500).contains(status) && ![408, 429].contains(status) }
}

extension FoundTokens {
  /// Nil unless the answer is a success with a readable body.
  fileprivate init?(in outcome: RequestOutcome) {
    guard case .answered(200..<300, _, let body) = outcome else { return nil }
    do throws(JSONError) {
      self.init(searching: try JSONValue(parsing: body.span, reading: .lenient))
    } catch { return nil }
  }
}
