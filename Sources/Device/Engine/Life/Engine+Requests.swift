import Base
import Contract
import Vocabulary

extension Engine {
  /// Whether the position of a motion change is still pending.
  var isSettling: Bool {
    requests.contains { if case .motionChange = $0.purpose { true } else { false } }
  }

  var isLookingForState: Bool {
    requests.contains { if case .motionState = $0.purpose { true } else { false } }
  }

  /// The reason why no position is available; nil when one is.
  var denial: LocationError? { phone.provider?.denial }

  /// Whether the app may use positions only while it is in use.
  var isWhenInUse: Bool { phone.provider?.authorizationStatus == 4 }

  mutating func request(
    _ purpose: SingleRequest.Purpose, _ terms: RequestTerms, at now: Moment, into effects: inout [Effect]
  ) {
    let request = SingleRequest(purpose, terms: terms, at: now)
    note(
      .locationRequest(
        purpose: request.label, desiredAccuracyMetres: terms.desiredAccuracyMetres,
        maximumAgeMilliseconds: terms.maximumAgeMilliseconds), .info, into: &effects)
    if let denial {
      fail(request, denial, at: now, into: &effects)
    } else if let lastFix, !isWaiting(before: purpose), request.accepts(cached: lastFix, at: now, profile: profile) {
      fulfil(request, with: lastFix, at: now, into: &effects)
    } else {
      requests.append(request)
      demandSampling(into: &effects)
    }
  }

  /// Crossings of a fence are recorded in order (SDK §15.3.11).
  private func isWaiting(before purpose: SingleRequest.Purpose) -> Bool {
    guard case .geofence(_, let fence, _) = purpose else { return false }
    return isRecordAwaited(of: fence.identifier)
  }

  /// Reports whether a crossing of the fence has no record yet.
  func isRecordAwaited(of identifier: String) -> Bool {
    requests.contains {
      if case .geofence(_, let fence, _) = $0.purpose { fence.identifier == identifier } else { false }
    }
  }

  mutating func take(sample fix: Fix, at now: Moment, into effects: inout [Effect]) {
    noteLocation(fix, number: fixCount + 1, at: now, into: &effects)
    guard let accuracy = fix.coords.accuracy, accuracy >= 0 else { return }
    let isDeciding = isSettling || isLookingForState
    offer(fix, at: now, into: &effects)
    serveWatches(fix, at: now, into: &effects)
    remember(fix)
    hitTest(fix, at: now, into: &effects)
    if !isDeciding { noticeMove(to: fix, at: now, into: &effects) }
  }

  /// Offers a position to the pending requests. New requests that arise meanwhile wait for the next position.
  private mutating func offer(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let isCoarse = phone.provider?.accuracyAuthorization == 1
    var isShown = false
    for index in requests.indices {
      let isTaken = requests[index].take(fix, at: now, isCoarse: isCoarse, profile: profile)
      // The last position may end the search without being the answer (BGGeo 416).
      let isAnswer = requests[index].isFulfilled && requests[index].best == fix
      isShown = isShown || (isTaken && !isAnswer && requests[index].showsSamples)
    }
    if isShown { showSample(fix, at: now, into: &effects) }
    while let index = requests.firstIndex(where: \.isFulfilled) {
      let request = withdraw(at: index)
      demandSampling(into: &effects)
      if let best = request.best { fulfil(request, with: best, at: now, into: &effects) }
    }
  }

  /// Requests are rare: an engine without any holds no memory for them.
  private mutating func withdraw(at index: Int) -> SingleRequest {
    let request = requests.remove(at: index)
    if requests.isEmpty { requests = [] }
    return request
  }

  private mutating func showSample(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    var record = makeRecord(of: fix, at: now)
    record.isSample = true
    effects.append(.event(.location(record)))
  }

  mutating func expireRequests(at now: Moment, into effects: inout [Effect]) {
    while let index = requests.firstIndex(where: {
      $0.deadline.map { $0 <= now.monotonic } ?? (lastFix != nil)
    }) {
      if lastFix == nil, state.isEnabled, requests[index].goOnForAny() { continue }
      var request = withdraw(at: index)
      request.forgetFuture(at: now.wall)
      demandSampling(into: &effects)
      if request.terms.allowsStale, let fix = request.best ?? lastKnown(for: request, at: now) {
        fulfil(request, with: fix, isNew: request.best != nil, at: now, into: &effects)
      } else {
        fail(request, .timeout, at: now, into: &effects)
      }
    }
  }

  /// Returns an earlier position, for an app that allows it and received none since its request (SDK §13.1).
  private func lastKnown(for request: SingleRequest, at now: Moment) -> Fix? {
    switch request.purpose {
    case .current, .odometer: lastFix.flatMap { SingleRequest.isFuture($0, at: now.wall) ? nil : $0 }
    case .motionChange, .motionState, .stationaryCheck, .proximity, .geofence, .providerChange: nil
    }
  }

  /// Fails all requests, because the platform has no positions. The SDK that is not running tells nothing of it
  /// (getting started: "stops emitting events when it isn't running").
  mutating func fail(_ error: LocationError, at now: Moment, into effects: inout [Effect]) {
    let failed = requests
    requests = []
    demandSampling(into: &effects)
    if failed.isEmpty, state.isEnabled || !watches.isEmpty { effects.append(.event(.locationError(error))) }
    for request in failed { fail(request, error, at: now, into: &effects) }
  }

  /// The app is closed: its requests fail with 499. The engine's own requests are dropped silently, and only at the end
  /// of the process.
  mutating func cancelRequests(isEnd: Bool, at now: Moment, into effects: inout [Effect]) {
    if isEnd { dropMotionRequests(into: &effects) }
    let cancelled = requests.filter { isEnd || $0.purpose.isOfApp }
    requests.removeAll { isEnd || $0.purpose.isOfApp }
    demandSampling(into: &effects)
    for request in cancelled { fail(request, .cancelled, at: now, into: &effects) }
  }

  /// `isNew` is false for a position from before the request.
  private mutating func fulfil(
    _ request: SingleRequest, with fix: Fix, isNew: Bool = true, at now: Moment, into effects: inout [Effect]
  ) {
    switch request.purpose {
    case .motionChange: settle(fix, at: now, into: &effects)
    case .motionState: judgeState(fix, at: now, into: &effects)
    case .stationaryCheck: comeToRest(at: fix, at: now, into: &effects)
    case .proximity: look(from: fix, at: now, into: &effects)
    case .geofence(let trigger, let geofence, let kind):
      recordTransition(trigger, of: geofence, kind, at: fix, at: now, into: &effects)
    case .providerChange(let provider):
      countMinorMotion(to: fix, .current, into: &effects)
      var record = makeRecord(of: fix, event: .providerchange, at: now)
      record.provider = provider
      publish(record, .current, into: &effects)
    case .current(let request):
      countMinorMotion(to: fix, .current, explicitly: request.persist, into: &effects)
      let record = makeRecord(of: fix, extras: request.extras, at: now)
      publish(record, .current, explicitly: request.persist, into: &effects)
      complete(request.id, .success(record), into: &effects)
    case .odometer(let metres, let request):
      // Motion of a disabled device is not tracked, and the distance from an old position was covered before the
      // odometer was set (SDK §17.7).
      if state.isEnabled && isNew { odometer.begin(at: fix) }
      let record = makeRecord(of: fix, odometer: metres, extras: request.extras, at: now)
      publish(record, .odometer, explicitly: request.persist, into: &effects)
      complete(request.id, .success(record), into: &effects)
    }
  }

  private mutating func fail(
    _ request: SingleRequest, _ error: LocationError, at now: Moment, into effects: inout [Effect]
  ) {
    note(.locationRequestFailed(purpose: request.label, code: error.code), .warning, into: &effects)
    switch request.purpose {
    case .motionChange(let retriesLeft): retry(error, retriesLeft, at: now, into: &effects)
    case .geofence(let trigger, let geofence, let kind):
      // A crossing is recorded even without its exact position.
      if let lastFix { recordTransition(trigger, of: geofence, kind, at: lastFix, at: now, into: &effects) }
    case .stationaryCheck: startStationaryCheck(at: now, into: &effects)
    case .proximity: seekPlace(after: error, at: now, into: &effects)
    case .motionState, .providerChange: break
    case .current(let request), .odometer(_, let request):
      effects.append(.event(.locationError(error)))
      complete(request.id, .failure(error), into: &effects)
    }
  }

  /// Does not retry after a denial, which would repeat.
  private mutating func retry(
    _ error: LocationError, _ retriesLeft: Int, at now: Moment, into effects: inout [Effect]
  ) {
    effects.append(.event(.locationError(error)))
    guard error == .timeout, retriesLeft > 0 else {
      giveUpMotionChange(at: now, into: &effects)
      seekPlace(after: error, at: now, into: &effects)
      return
    }
    request(.motionChange(retriesLeft: retriesLeft - 1), motionChangeTerms, at: now, into: &effects)
  }

  private func complete(
    _ id: Int?, _ result: Result<LocationRecord, LocationError>, into effects: inout [Effect]
  ) {
    if let id { effects.append(.completed(id: id, result)) }
  }

  /// Drops the requests of a change of pace.
  mutating func dropMotionRequests(into effects: inout [Effect]) {
    requests.removeAll {
      switch $0.purpose {
      case .motionChange, .motionState, .stationaryCheck: true
      case .proximity, .geofence, .providerChange, .current, .odometer: false
      }
    }
    if requests.isEmpty { requests = [] }
    demandSampling(into: &effects)
  }
}

extension SingleRequest.Purpose {
  fileprivate var isOfApp: Bool {
    switch self {
    case .current, .odometer: true
    case .motionChange, .motionState, .stationaryCheck, .proximity, .geofence, .providerChange: false
    }
  }
}

extension Engine {
  mutating func perform(_ call: EngineCall, at now: Moment, into effects: inout [Effect]) {
    switch call {
    case .start: start(at: now, into: &effects)
    case .startGeofences: startGeofences(at: now, into: &effects)
    case .stop: stop(into: &effects)
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

  /// Performs `changePace`: ignored while disabled, and refused where the system would not allow it (SDK §19.5).
  private mutating func askPace(_ isMoving: Bool, at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .location else {
      note(.warning("changePace is ignored: tracking is not started", from: .pace), .warning, into: &effects)
      return
    }
    guard !(isMoving && phone.isInBackground && isWhenInUse && profile.platform == .android) else {
      effects.append(.event(.locationError(.backgroundWithWhenInUse)))
      note(.error("changePace is refused in the background without \"Always\"", from: .pace), .error, into: &effects)
      return
    }
    // A motion change is a change (BGGeo 291): with the current pace, the call only cancels a pending change.
    guard isMoving != state.isMoving || isLost else {
      note(.warning("changePace is ignored: the device has that pace already", from: .pace), .info, into: &effects)
      if isMoving { cancelStopping(into: &effects) } else { stop(.motionTrigger, into: &effects) }
      return
    }
    changePace(to: isMoving, at: now, into: &effects)
  }

  /// The value applies at once; the request for its position may fail (SDK §17).
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
    watches.append(PositionWatch(request))
    demandSampling(into: &effects)
    if let denial { effects.append(.completed(id: request.id, .failure(denial))) }
  }

  /// Fails the watches, which continue, and deliver again when permitted (SDK §19.5).
  mutating func failWatches(_ error: LocationError, into effects: inout [Effect]) {
    for watch in watches { effects.append(.completed(id: watch.request.id, .failure(error))) }
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
