import Base
import Contract
import Vocabulary

extension Engine {
  mutating func perform(_ call: EngineCall, at now: Moment, into effects: inout [Effect]) {
    switch call {
    case .start: start(at: now, into: &effects)
    case .startGeofences: startGeofences(at: now, into: &effects)
    case .stop: stop(at: now, into: &effects)
    case .changePace(let isMoving): askPace(isMoving, at: now, into: &effects)
    case .startSchedule: startSchedule(at: now, into: &effects)
    case .stopSchedule: stopSchedule(into: &effects)
    case .currentPosition(let request):
      self.request(.current(request), RequestTerms(request), at: now, into: &effects)
    case .watchPosition(let request): watch(request, into: &effects)
    case .stopWatchPosition(let id): stopWatch(id, into: &effects)
    case .setOdometer(let metres, let request): setOdometer(metres, request, at: now, into: &effects)
    case .addGeofences(let geofences): add(geofences, at: now, into: &effects)
    case .removeGeofences(let identifiers): removeGeofences(identifiers, at: now, into: &effects)
    case .startBackgroundTask(let id): startBackgroundTask(id, at: now, into: &effects)
    case .stopBackgroundTask(let id): stopBackgroundTask(id, into: &effects)
    }
  }

  /// `changePace`: ignored while disabled, and refused where the system would not let it begin (SDK §19.5).
  private mutating func askPace(_ isMoving: Bool, at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .location else {
      note(.warning("changePace is ignored: tracking is not started", from: .pace), .warning, into: &effects)
      return
    }
    guard !(isMoving && isInBackground && isWhenInUse && profile.platform == .android) else {
      effects.append(.event(.locationError(.backgroundWithWhenInUse)))
      note(.error("changePace is refused in the background without \"Always\"", from: .pace), .error, into: &effects)
      return
    }
    // A motion change is a change (BGGeo 291): a device that has the pace only ceases to think of the other one.
    guard isMoving != state.isMoving || isLost else {
      note(.warning("changePace is ignored: the device has that pace already", from: .pace), .info, into: &effects)
      if isMoving { cancelStopping(into: &effects) } else { stop(.motionTrigger, into: &effects) }
      return
    }
    changePace(to: isMoving, at: now, into: &effects)
  }

  /// At rest without a region, and nothing looks for its place any more.
  private var isLost: Bool { !state.isMoving && state.stationaryPlace == nil && !isSettling }

  /// The value counts at once; the position that goes with it may fail (SDK §17).
  private mutating func setOdometer(
    _ metres: Double, _ request: PositionRequest, at now: Moment, into effects: inout [Effect]
  ) {
    odometer.set(metres: metres)
    keepOdometer()
    effects.append(.saveState)
    self.request(.odometer(metres: metres, request), RequestTerms(request), at: now, into: &effects)
  }

  private mutating func watch(_ request: WatchRequest, into effects: inout [Effect]) {
    watches.removeAll { $0.request.id == request.id }
    watches.append(Watch(request))
    demandSampling(into: &effects)
  }

  private mutating func stopWatch(_ id: Int, into effects: inout [Effect]) {
    watches.removeAll { $0.request.id == id }
    demandSampling(into: &effects)
  }

  mutating func serveWatches(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    for index in watches.indices where watches[index].isDue(at: now.monotonic) {
      watches[index].lastDelivery = now.monotonic
      let request = watches[index].request
      countMinorMotion(to: fix, .watch, explicitly: request.persist, into: &effects)
      let record = makeRecord(of: fix, extras: request.extras, at: now)
      publish(record, .watch, explicitly: request.persist, into: &effects)
      effects.append(.completed(id: request.id, .success(record)))
    }
  }
}

extension RequestTerms {
  fileprivate init(_ request: PositionRequest) {
    self.init(
      desiredAccuracyMetres: request.desiredAccuracyMetres, maximumAgeMilliseconds: request.maximumAgeMilliseconds,
      timeoutSeconds: request.timeoutSeconds, samples: request.samples)
    allowsStale = request.allowStale
  }
}
