import Base
import Contract
import Engine
import Host
import Synchronization
import Vocabulary

/// A simulated phone under a `BGGeo`: the program, or a recorded route, sets its sensors. A platform carries one
/// instance at a time.
///
/// It reports only what a real phone would: a position reaches the SDK only while the SDK requests positions, or when it lies
/// outside a region that the SDK watches. And it reports all that a real phone would: when positions are requested, it repeats
/// the current one with the current time, and when activities are requested, it reports the last one a second later.
public final class LinuxPlatform: Sendable {
  /// The platform whose behaviour the SDK shows: defaults, timers and the log differ.
  public enum Profile: Sendable {
    case iOS, android
  }

  /// The delay after the last position until the receiver computes the next one of a device at rest; a little more than
  /// a second, the pace of programs that push while they move.
  private static let silence = Nanoseconds.milliseconds(1_500)
  /// The delay from the request for activities to the report of the last one (SDK §12.4.4).
  private static let activityDelay = Nanoseconds.seconds(1)

  struct State {
    var sensors = PhoneSensors()
    /// The last pushed position. Nil where the receiver finds none.
    var position: Fix?
    /// The last pushed activity.
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
    /// Set on Android while only the service runs.
    var service: Device?
    /// The folder of the last process.
    var folder: String?
    /// The events since the last process ended, for the next one.
    var missed: [MissedInput] = []
    var onRelaunch: (@Sendable () -> Void)?
  }

  /// The clock of timers and records.
  public let clock: DeviceClock
  let transport: HTTPTransport
  let description: DeviceDescription
  let state: Mutex<State>
  private let alarm: Int
  private let fetchAlarm: Int
  private let activityAlarm: Int

  /// `model`, `manufacturer` and `version` are sent to servers with a log and at registration.
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
  /// Whether the SDK samples positions for a request.
  var isSampling: Bool { state.withLock { $0.sensors.isSampling } }
  var isPowerSaving: Bool { state.withLock { $0.isPowerSaving } }

  /// The inputs at the start of a process.
  var initialInputs: [EngineInput] {
    state.withLock { state in
      [
        .timeZone(state.zone), .connectivity(state.connectivity), .battery(state.battery), .provider(state.provider),
        .powerSave(state.isPowerSaving), .screen(isOn: state.isScreenOn),
      ]
    }
  }

  /// Applies a demand and returns the immediate inputs: a position, when one is requested, with the current time.
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

  /// The current position, with the current time.
  private func samples(_ state: borrowing State) -> [EngineInput] {
    guard state.sensors.isSampling, state.isPermitted, var fix = state.position else { return [] }
    fix.timestamp = clock.moment.wall
    return [.sample(fix)]
  }

  /// Schedules the next position, which comes even when the program pushes none.
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

  /// Schedules fetches while the SDK wants them (SDK §16.3.4).
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

/// Functions that set the sensors. All effects have happened when they return, except for listener calls, which run on
/// the callback queue, and answers from the network.
extension LinuxPlatform {
  /// Moves the device to a position, where it stays until the next call. An invalid position is ignored.
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

  /// Ends the reception of positions, as in a tunnel, until the next `push`.
  public func losePosition() {
    tell { state in
      state.position = nil
      planPosition(state)
      return []
    }
  }

  /// Sets the activity of the user, by a name of the SDK such as `still` or `in_vehicle`; `confidence` is in percent. Platforms
  /// repeat an activity while it lasts: a `still` after `changePace(true)` starts the stop time-out even if it is the same as
  /// before. An activity set while the SDK does not request any, such as before `start()`, is reported as soon as it does.
  public func push(activity: String, confidence: Int) {
    let activity = Contract.Activity(ActivityType(name: activity), confidence: min(max(confidence, 0), 100))
    tell { state in
      state.activity = activity
      return state.sensors.take(activity)
    }
  }

  /// Sets the network; initially Wi-Fi. Without a network, uploads wait.
  public func setConnectivity(hasConnection: Bool, isCellular: Bool = false) {
    tell { state in
      state.connectivity = hasConnection ? isCellular ? .cellular : .wifi : .none
      return [.connectivity(state.connectivity)]
    }
  }

  /// Sets the battery. `level` is 0 to 1; nil, the initial value, means unknown.
  public func setBattery(level: Double?, isCharging: Bool) {
    tell { state in
      state.battery = Contract.Battery(level: level, isCharging: isCharging)
      return [.battery(state.battery)]
    }
  }

  /// Sets the permission; initially everything is allowed. Requested positions are delivered while the status allows
  /// them and the services are on.
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

  /// Sets power saving; initially off.
  public func setPowerSaveMode(_ isOn: Bool) {
    tell { state in
      state.isPowerSaving = isOn
      return [.powerSave(isOn)]
    }
  }

  /// Sets the offset of local time from UTC, for the schedule; at most 18 hours either way. Initially it is the zone of
  /// the machine on the system clock, and UTC on a program's clock.
  public func setTimeZone(secondsFromGMT seconds: Int) {
    let limit = ZoneRules.largestOffsetSeconds
    setZone(ZoneRules(offsetSeconds: min(max(seconds, -limit), limit)))
  }

  /// Sets a zone with its daylight saving time: by its name on the machine, such as `Europe/Berlin`, or by a POSIX
  /// rule, such as `CET-1CEST,M3.5.0,M10.5.0/3`. Throws when it is neither.
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

  /// Switches the screen; initially on. iOS delays heartbeats in the background while it is off and the device is not charging.
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
  /// The system grants the app a background fetch. On iOS this happens by itself about every quarter of an hour while
  /// the SDK wants it.
  public func fetchInBackground() { tell { _ in [.backgroundFetch] } }
}

extension Fix {
  /// The place must be on the earth. Negative numbers mean unknown.
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
