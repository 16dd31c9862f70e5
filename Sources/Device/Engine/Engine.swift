package import Base
package import Contract
package import Vocabulary

/// The state machine of the SDK: inputs of a device go in, effects come out. It uses no clock, socket, file or thread.
///
/// Overdue timers fire before the input is handled, so that a process that was suspended catches up in order.
package struct Engine: Sendable {
  package internal(set) var configuration: Configuration
  /// The state to store whenever an effect demands it.
  package internal(set) var state: EngineState
  package let profile: PlatformProfile
  let quirks: EngineQuirks

  /// Values derived from the configuration, for every step.
  var settings: EngineSettings
  private(set) var phase = Phase.beforeReady
  /// Inputs held until `ready`.
  var held = HeldInputs()
  /// The place of rest when an earlier process ended, until this one has determined whether the device left it.
  var restBeforeLaunch: Coordinate?

  /// The earliest instant at which the engine wants `.timersDue`; nil when it waits for nothing.
  package internal(set) var nextDeadline: MonotonicInstant?
  var timers = Timers()
  var requests: [SingleRequest] = []
  var watches: [PositionWatch] = []
  var backgroundTasks: [BackgroundTask] = []
  var demands = Demands()
  var fences = GeofenceBook()
  /// A buffer for the effects of the fences.
  var fenceEffects: [GeofenceEffect] = []
  /// Stored fences that cannot be used; reported when the log is open.
  var unusableGeofences: [GeofenceError] = []

  var distanceFilter: DistanceFilter
  var filter = LocationFilter()
  var odometer: Odometer
  /// The position of the last motion change, which the updates repeat.
  var motionChangeFix: FixIdentity?
  var lastFix: Fix?
  var significantTrail = SignificantTrail()
  /// The place where the device seemed to stop.
  var stoppingPlace: Coordinate?
  /// The start of the tracking that is on, even in an earlier process.
  var trackingBegan = MonotonicInstant(nanoseconds: 0)
  var fixCount = 0

  var phone: PhoneFacts
  var scheduler: Scheduler?

  private var identity: RandomStream

  /// `identity` generates the uuids of records: the same stream at the same step gives the same uuids, so a host that
  /// recreates the engine must pass another stream.
  package init(
    configuration: Configuration, state: EngineState = EngineState(), geofences: [Geofence] = [],
    identity: RandomStream, zone: ZoneRules = .utc, quirks: EngineQuirks = .documented
  ) {
    self.configuration = configuration
    self.state = state
    self.identity = identity
    phone = PhoneFacts(in: zone)
    self.quirks = quirks
    profile = PlatformProfile.of(configuration.platform)
    settings = EngineSettings(configuration, profile: profile, quirks: quirks)
    distanceFilter = DistanceFilter(configuration)
    odometer = Odometer(metres: state.odometerMetres, errorMetres: state.odometerErrorMetres)
    for geofence in geofences {
      do throws(GeofenceError) {
        try fences.restore(geofence)
      } catch {
        unusableGeofences.append(error)
      }
    }
  }

  mutating func nextUUID() -> UUID128 { UUID128(randomHigh: identity.u64(), randomLow: identity.u64()) }

  /// A random number in 0 ..< 1, for delays that belong to the platform.
  mutating func drawFraction() -> Double { identity.uniform() }

  /// Handles the input and appends its effects.
  package mutating func receive(_ input: EngineInput, at now: Moment, into effects: inout [Effect]) {
    defer { setDeadline() }
    switch phase {
    case .beforeReady: return prepare(input, at: now, into: &effects)
    case .ended: return
    case .running, .headless: break
    }
    phone.noteUse(input, at: now)
    // The screen does not wake a suspended process.
    if case .screen = input, isSuspended { return }
    let first = effects.count
    fireTimers(at: now, into: &effects)
    act(on: input, at: now, into: &effects)
    // Any recorded location is an occasion to evaluate the schedule (AppConfig 229).
    if effects[first...].contains(where: \.isRecordedLocation) { evaluateSchedule(at: now, into: &effects) }
  }

  /// Phases only advance: a process becomes ready once, and an ended one does not continue.
  mutating func enter(_ next: Phase) {
    let isLegal =
      switch (phase, next) {
      case (.beforeReady, .running), (.beforeReady, .ended), (.running, .headless), (.running, .ended): true
      case (.headless, .running), (.headless, .headless), (.headless, .ended): true
      case (_, .beforeReady), (.beforeReady, .headless), (.running, .running), (.ended, _): false
      }
    precondition(isLegal, "a process does not go from \(phase) to \(next)")
    phase = next
  }

  mutating func act(on input: EngineInput, at now: Moment, into effects: inout [Effect]) {
    switch input {
    case .fix(let fix): follow(fix.received(at: now.wall), at: now, into: &effects)
    case .sample(let fix): take(sample: fix.received(at: now.wall), at: now, into: &effects)
    case .significantChange(let fix): takeSignificantChange(fix.received(at: now.wall), at: now, into: &effects)
    case .passive(let fix): takePassive(fix.received(at: now.wall), at: now, into: &effects)
    case .locationFailed(let error): fail(error, at: now, into: &effects)
    case .updatesPaused: pauseUpdates(at: now, into: &effects)
    case .stationaryRegionExit(let fix): leaveStationaryRegion(fix?.received(at: now.wall), at: now, into: &effects)
    case .proximityRegionExit(let fix): leaveProximityRegion(fix?.received(at: now.wall), at: now, into: &effects)
    case .geofenceCrossing(let identifier, let isEntry, let fix):
      cross(identifier, isEntry: isEntry, fix?.received(at: now.wall), at: now, into: &effects)
    case .geofenceDwell(let identifier, let fix):
      dwell(in: identifier, fix?.received(at: now.wall), at: now, into: &effects)
    case .activity(let activity): take(activity, at: now, into: &effects)
    case .battery(let battery): take(battery, at: now, into: &effects)
    case .connectivity(let connectivity): take(connectivity, into: &effects)
    case .provider(let provider): take(provider, at: now, into: &effects)
    case .powerSave(let isOn): takePowerSave(isOn, into: &effects)
    case .timeZone(let zone): takeZone(zone, at: now, into: &effects)
    case .clockSet: wakeSchedule(at: now, into: &effects)
    case .ready(let launch):
      if isHeadless {
        rejoin(launch, into: &effects)
      } else {
        note(.warning("ready was called already"), .warning, into: &effects)
      }
    case .foreground: enterForeground(at: now, into: &effects)
    case .background: enterBackground(at: now, into: &effects)
    case .backgroundFetch: fetch(at: now, into: &effects)
    case .terminate: terminate(at: now, into: &effects)
    case .call(let call): perform(call, at: now, into: &effects)
    case .configured(let configuration, let keys): configure(configuration, keys, at: now, into: &effects)
    case .screen, .timersDue: break
    }
  }

  /// The entry is evaluated only if the log level admits it.
  func note(_ entry: @autoclosure () -> LogEntry, _ level: Contract.LogLevel, into effects: inout [Effect]) {
    if level <= settings.logLevel { effects.append(.log(entry())) }
  }
}

/// The phase of the process.
enum Phase: Sendable {
  case beforeReady
  case running
  /// Android, after the app was closed: its service continues without listeners (SDK §19.3).
  case headless
  /// After `terminate`.
  case ended
}

extension Engine {
  mutating func demandLocationUpdates(_ isOn: Bool, into effects: inout [Effect]) {
    let wanted = isOn && !settings.usesSignificantChangesOnly ? locationUpdates : nil
    guard wanted != demands.locationUpdates else { return }
    if (wanted == nil) != (demands.locationUpdates == nil) {
      note(.locationUpdates(isOn: wanted != nil), .info, into: &effects)
    }
    demands.locationUpdates = wanted
    effects.append(.demand(.locationUpdates(wanted)))
  }

  private var locationUpdates: LocationUpdates {
    let geolocation = configuration.geolocation
    let takesAll = profile.platform == .android && distanceFilter.configuredMetres == 0
    return LocationUpdates(
      distanceFilterMetres: distanceFilter.effectiveMetres, desiredAccuracy: geolocation.desiredAccuracy,
      intervalMilliseconds: takesAll ? geolocation.locationUpdateIntervalMilliseconds : 0,
      // With stop detection the SDK itself ends trips (ActivityConfig `disableStopDetection`).
      pausesAutomatically: profile.platform == .ios && geolocation.pausesLocationUpdatesAutomatically
        && configuration.activity.disableStopDetection)
  }

  /// Updates the distance only, which changes at every other step of a drive.
  mutating func demandDistanceFilter(into effects: inout [Effect]) {
    guard demands.locationUpdates != nil else { return }
    demands.locationUpdates?.distanceFilterMetres = distanceFilter.effectiveMetres
    effects.append(.demand(.locationUpdates(demands.locationUpdates)))
  }

  /// Sampling runs while a request waits for a position, at the best accuracy that any request needs.
  mutating func demandSampling(into effects: inout [Effect]) {
    var wanted: Double?
    for request in requests { wanted = min(wanted ?? .infinity, request.terms.desiredAccuracyMetres) }
    if !watches.isEmpty || fences.wantsHighRate {
      wanted = min(wanted ?? .infinity, max(0, configuration.geolocation.desiredAccuracy))
    }
    demands.wantsHighRate = fences.wantsHighRate
    guard wanted != demands.samplingAccuracyMetres else { return }
    demands.samplingAccuracyMetres = wanted
    effects.append(.demand(.sampling(desiredAccuracyMetres: wanted)))
  }

  mutating func demandStationaryRegion(_ circle: Circle?, into effects: inout [Effect]) {
    let isLeft = demands.leftovers.remove(.stationaryRegion) != nil
    guard isLeft || circle != demands.stationaryRegion else { return }
    demands.stationaryRegion = circle
    effects.append(.demand(.stationaryRegion(circle)))
  }

  mutating func demandProximityRegion(_ circle: Circle?, into effects: inout [Effect]) {
    let isLeft = demands.leftovers.remove(.proximityRegion) != nil
    guard isLeft || circle != demands.proximityRegion else { return }
    demands.proximityRegion = circle
    effects.append(.demand(.proximityRegion(circle)))
  }

  mutating func demandActivity(_ isOn: Bool, into effects: inout [Effect]) {
    let wanted =
      isOn && !configuration.activity.disableMotionActivityUpdates && !settings.followsSignificantChanges
    guard wanted != demands.wantsActivity else { return }
    demands.wantsActivity = wanted
    // Earlier reports do not apply to later times (LocationEvent 74).
    if !wanted { phone.activity = PhoneFacts.noActivity }
    effects.append(.demand(.activityUpdates(isOn: wanted)))
  }

  mutating func demandSignificantChanges(_ isOn: Bool, into effects: inout [Effect]) {
    let isLeft = demands.leftovers.remove(.significantChanges) != nil
    guard isLeft || isOn != demands.wantsSignificantChanges else { return }
    demands.wantsSignificantChanges = isOn
    effects.append(.demand(.significantChanges(isOn: isOn)))
  }

  mutating func demandBackgroundFetch(_ isOn: Bool, into effects: inout [Effect]) {
    let wanted = isOn && profile.platform == .ios
    let isLeft = demands.leftovers.remove(.backgroundFetch) != nil
    guard isLeft || wanted != demands.wantsBackgroundFetch else { return }
    demands.wantsBackgroundFetch = wanted
    effects.append(.demand(.backgroundFetch(isOn: wanted)))
  }
}
