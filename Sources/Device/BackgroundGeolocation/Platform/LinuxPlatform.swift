import Base
import Contract
import Engine
import Host
import Synchronization
import Vocabulary

/// The phone under a `BGGeo` where there is none: its sensors say what the program tells them, or what a recorded route
/// says. A platform carries one instance at a time.
///
/// What a real phone would not report is not reported here either: a position reaches the SDK only while the SDK has
/// asked for positions, or when it lies beyond the boundary of a region that the SDK watches. And what a real phone
/// would report is reported: asked for a position, it says again where the device is, with the time of now, and asked for
/// activities, it says a second later what the user was doing last.
public final class LinuxPlatform: Sendable {
  /// Whose behaviour the SDK shows: defaults, timers and the log differ.
  public enum Profile: Sendable {
    case iOS, android
  }

  /// So long after the last position the receiver computes the next one of a device that stands still; a little more
  /// than a second, the pace of programs that push while they move.
  private static let silence = Nanoseconds.milliseconds(1_500)
  /// So long after the SDK has begun to ask for activities it is told the last one (SDK §12.4.4).
  private static let activityDelay = Nanoseconds.seconds(1)

  struct State {
    var sensors = PhoneSensors()
    /// Where the device is: what the program pushed last. Nil where the receiver finds no position.
    var position: Fix?
    /// What the user was doing last.
    var activity: Contract.Activity?
    var connectivity = Connectivity.wifi
    var battery = Contract.Battery(level: nil, isCharging: false)
    var provider = ProviderState(
      isEnabled: true, authorizationStatus: CLAuthorizationStatus.authorizedAlways.rawValue, hasGPS: true,
      hasNetwork: true, accuracyAuthorization: CLAccuracyAuthorization.fullAccuracy.rawValue)
    {
      didSet { sensors.isPermitted = isPermitted }
    }
    var isPermitted: Bool { provider.denial == nil }
    var isPowerSaving = false
    var isScreenOn = true
    var launch = Launch()
    var zone: ZoneRules
    /// Nil while no app runs.
    var attachment: Attachment?
    /// Android, while only the service runs.
    var service: Device?
    /// Of the last process.
    var folder: String?
    /// What the system has seen since the last process ended, for the next one.
    var missed: [MissedInput] = []
    var onRelaunch: (@Sendable () -> Void)?
  }

  /// By which the device's timers go, and what its records say.
  public let clock: DeviceClock
  let transport: HTTPTransport
  let description: DeviceDescription
  let state: Mutex<State>
  private let alarm: Int
  private let fetchAlarm: Int
  private let activityAlarm: Int

  /// `model`, `manufacturer` and `version` are told to servers with a log and at registration.
  public init(
    _ profile: Profile = .iOS, clock: DeviceClock = .system, transport: HTTPTransport = .network(),
    model: String = "rolling-road", manufacturer: String = "rolling-road", version: String = "1"
  ) {
    self.clock = clock
    state = Mutex(State(zone: clock.isOfMachine ? MachineZone.current : .utc))
    alarm = clock.makeAlarmNumber()
    fetchAlarm = clock.makeAlarmNumber()
    activityAlarm = clock.makeAlarmNumber()
    self.transport = transport
    let platform: DevicePlatform = profile == .iOS ? .ios : .android
    description = DeviceDescription(
      platform: platform, model: model, manufacturer: manufacturer, version: version)
  }

  var provider: ProviderState { state.withLock { $0.provider } }
  /// Whether the SDK is looking for one good position.
  var isSampling: Bool { state.withLock { $0.sensors.isSampling } }
  var isPowerSaving: Bool { state.withLock { $0.isPowerSaving } }

  /// What a device finds when its process begins.
  var initialInputs: [EngineInput] {
    state.withLock { state in
      [
        .timeZone(state.zone), .connectivity(state.connectivity), .battery(state.battery), .provider(state.provider),
        .powerSave(state.isPowerSaving), .screen(isOn: state.isScreenOn),
      ]
    }
  }

  /// What follows at once: a position, when one is asked for. It is where the program said last, and taken now.
  func apply(_ demand: SensorDemand) -> [EngineInput] {
    state.withLock { state in
      let wasSampling = state.sensors.isSampling
      state.sensors.apply(demand, at: clock.moment.monotonic)
      if case .backgroundFetch = demand { planFetch(state) }
      if case .activityUpdates = demand { planActivity(state) }
      guard state.sensors.isSampling != wasSampling else { return [] }
      planPosition(state)
      return samples(state)
    }
  }

  /// The position as a receiver computes it now.
  private func samples(_ state: borrowing State) -> [EngineInput] {
    guard state.sensors.isSampling, state.isPermitted, var fix = state.position else { return [] }
    fix.timestamp = clock.moment.wall
    return [.sample(fix)]
  }

  /// A receiver goes on while it is asked: the next position comes even when the program is silent.
  func planPosition(_ state: borrowing State) {
    let isWanted = state.sensors.isSampling && state.isPermitted && state.position != nil
    let instant = clock.moment.monotonic + Self.silence
    clock.setAlarm(
      alarm, isWanted ? DeviceClock.Alarm(instant: instant) { [weak self] in self?.repeatPosition() } : nil)
  }

  private func repeatPosition() {
    tell { state in
      planPosition(state)
      return samples(state)
    }
  }

  private func planActivity(_ state: borrowing State) {
    let isWanted = state.sensors.wantsActivities && state.activity != nil
    let instant = clock.moment.monotonic + Self.activityDelay
    clock.setAlarm(
      activityAlarm, isWanted ? DeviceClock.Alarm(instant: instant) { [weak self] in self?.repeatActivity() } : nil)
  }

  private func repeatActivity() {
    tell { state in state.activity.map { state.sensors.take($0) } ?? [] }
  }

  func tell(_ change: (inout State) -> [EngineInput]) {
    let now = clock.moment
    let (inputs, receive, relaunch) = state.withLock { state in
      let inputs = change(&state)
      let relaunch = state.attachment == nil ? state.miss(inputs, on: description.platform, at: now) : nil
      return (inputs, state.attachment?.receive, relaunch)
    }
    if !inputs.isEmpty { receive?(inputs) }
    relaunch?()
  }

  /// As long as the SDK wants to be woken (SDK §16.3.4).
  func planFetch(_ state: borrowing State) {
    clock.setAlarm(
      fetchAlarm,
      state.sensors.fetches.due.map { due in DeviceClock.Alarm(instant: due) { [weak self] in self?.fetchIfDue() } })
  }

  private func fetchIfDue() {
    tell { state in
      let isDue = state.sensors.fetches.take(at: clock.moment.monotonic)
      planFetch(state)
      return isDue ? [.backgroundFetch] : []
    }
  }
}

/// What the program tells the sensors. Everything that follows has happened when these return, but for calls of
/// listeners, which come on the queue of callbacks, and for answers from the network.
extension LinuxPlatform {
  /// The device is there now, and stays there until the next call. A position that is no place on the earth is passed over.
  public func push(_ location: CLLocation, isMock: Bool = false) {
    guard location.place != nil else { return }
    var fix = Fix(location)
    fix.isMock = isMock
    tell { state in
      state.position = fix
      planPosition(state)
      return state.sensors.take(fix)
    }
  }

  /// The receiver finds no position any more, as in a tunnel, until the next `push`.
  public func losePosition() {
    tell { state in
      state.position = nil
      planPosition(state)
      return []
    }
  }

  /// What the user is doing, by the names of the SDK, `still` or `in_vehicle` for instance; `confidence` is in percent. Platforms
  /// say it again while it lasts: a `still` after `changePace(true)` begins the stop time-out, also when it is the same as before.
  /// What is said while the SDK does not ask, before `start()` for instance, it hears when it does.
  public func push(activity: String, confidence: Int) {
    let activity = Contract.Activity(ActivityType(name: activity), confidence: min(max(confidence, 0), 100))
    tell { state in
      state.activity = activity
      return state.sensors.take(activity)
    }
  }

  /// Wi-Fi at the start. Without a network, uploads wait.
  public func setConnectivity(hasConnection: Bool, isCellular: Bool = false) {
    tell { state in
      state.connectivity = hasConnection ? isCellular ? .cellular : .wifi : .none
      return [.connectivity(state.connectivity)]
    }
  }

  /// `level` is 0 to 1; nil, as at the start, when the device does not say.
  public func setBattery(level: Double?, isCharging: Bool) {
    tell { state in
      state.battery = Contract.Battery(level: level, isCharging: isCharging)
      return [.battery(state.battery)]
    }
  }

  /// Everything allowed at the start. Positions that are asked for come while the status is one of the two that allow them and
  /// the services are on.
  public func setAuthorization(
    _ status: CLAuthorizationStatus, accuracy: CLAccuracyAuthorization = .fullAccuracy, servicesEnabled: Bool = true
  ) {
    tell { state in
      let wasPermitted = state.isPermitted
      state.provider = ProviderState(
        isEnabled: servicesEnabled, authorizationStatus: status.rawValue, hasGPS: servicesEnabled,
        hasNetwork: servicesEnabled, accuracyAuthorization: accuracy.rawValue)
      guard state.isPermitted != wasPermitted else { return [.provider(state.provider)] }
      planPosition(state)
      return [.provider(state.provider)] + samples(state)
    }
  }

  /// Off at the start.
  public func setPowerSaveMode(_ isOn: Bool) {
    tell { state in
      state.isPowerSaving = isOn
      return [.powerSave(isOn)]
    }
  }

  /// What clocks on the wall show ahead of UTC, for the schedule; at most 18 hours either way. At the start it is the
  /// zone of the machine on the clock of the machine, and UTC on a clock of the program.
  public func setTimeZone(secondsFromGMT seconds: Int) {
    let limit = ZoneRules.largestOffsetSeconds
    setZone(ZoneRules(offsetSeconds: min(max(seconds, -limit), limit)))
  }

  /// The same for a zone with its daylight saving time: by the name that the machine knows it by, `Europe/Berlin` for
  /// instance, or by its rule in the words of POSIX, `CET-1CEST,M3.5.0,M10.5.0/3`. Throws when it is neither.
  public func setTimeZone(named name: String) throws {
    guard let zone = MachineZone.rules(named: name) else {
      throw BGGeoError("no time zone '\(name)': give a name of /usr/share/zoneinfo or a rule as of the variable TZ")
    }
    setZone(zone)
  }

  private func setZone(_ zone: ZoneRules) {
    tell { state in
      state.zone = zone
      return [.timeZone(zone)]
    }
  }

  /// On at the start. iOS holds heartbeats back in the background while it is off and the device is not charged.
  public func setScreen(isOn: Bool) {
    tell { state in
      state.isScreenOn = isOn
      return [.screen(isOn: isOn)]
    }
  }

  /// The user brings the app to the front.
  public func enterForeground() { tell { _ in [.foreground] } }
  /// The user leaves the app.
  public func enterBackground() { tell { _ in [.background] } }
  /// The system gives the app a moment in the background. On iOS it does so by itself about every quarter of an hour
  /// while the SDK wants it.
  public func fetchInBackground() { tell { _ in [.backgroundFetch] } }
}

extension Fix {
  /// The place must be one on the earth. Negative numbers are what the receiver does not know.
  init(_ location: CLLocation) {
    func known(_ value: Double) -> Double? { value >= 0 ? value : nil }
    var coords = Coordinates(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    coords.accuracy = known(location.horizontalAccuracy)
    coords.speed = known(location.speed)
    coords.speedAccuracy = known(location.speedAccuracy)
    coords.heading = known(location.course)
    coords.headingAccuracy = known(location.courseAccuracy)
    if location.verticalAccuracy > 0 {
      coords.altitude = location.altitude
      coords.altitudeAccuracy = location.verticalAccuracy
      coords.ellipsoidalAltitude = location.ellipsoidalAltitude
    }
    self.init(coords: coords, timestamp: location.timestamp.wallInstant)
  }
}
