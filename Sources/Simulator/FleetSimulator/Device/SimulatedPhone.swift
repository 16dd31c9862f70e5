import Base
import Contract
import DeviceLog
import Engine
import Gzip
import Host
import Sensing
import Vocabulary
import World

/// The app's demands on its phone, and the state that the phone keeps for the app.
struct SimulatedPhone {
  private(set) var updates: LocationUpdates?
  private(set) var isSampling = false
  private(set) var wantsActivities = false
  private(set) var region: Circle?
  var regionIsNew = false
  /// Other demands, until the device applies them.
  var demands: [SensorDemand] = []
  /// Whether log entries go to the watchers.
  var isLogged = false
  /// The log for a server that requests it; nil in runs in which none can.
  var recentLog: RecentLog?

  /// Values that the run sets in its uploads; nil where the configuration already has them.
  var target: TargetOverrides?

  var receiver: Receiver
  var sensor: ActivitySensor
  /// The distance from the body of the receiver's last position, and its accuracy, if that was far or poor; 0 otherwise.
  var stray = (metres: 0.0, accuracyMetres: 0.0)
  /// The time of the receiver's next position for the app.
  var occasion: MonotonicInstant?
  /// The last position of the stream that was delivered during sampling.
  var lastStreamed: (place: Coordinate, instant: MonotonicInstant)?
  /// The crossing test of the stationary region.
  var crossing = CrossingTest(isInside: true)
  var regionTick: MonotonicInstant?
  var regionExit: MonotonicInstant?
  var surroundings: Surroundings?
  /// The last reported level in percent; −1 − percent while charging.
  var toldBattery = Int8.min
  /// The place and the start of the body's rest, after which the system pauses the stream, and the time of the next check.
  private var rest: (place: Coordinate, since: MonotonicInstant)?
  private var pauseDue: MonotonicInstant?

  /// An error and an accuracy that watchers need not know.
  static let (nearMetres, goodMetres) = (100.0, 50.0)

  init(_ receiver: Receiver, _ sensor: ActivitySensor) { (self.receiver, self.sensor) = (receiver, sensor) }

  /// Ends the app's process; the system continues what it monitors without one.
  mutating func endProcess(_ end: ProcessEnd, on platform: DevicePlatform) {
    (updates, isSampling, wantsActivities, demands) = (nil, false, false, [])
    sensor.ask(at: nil)
    (rest, pauseDue) = (nil, nil)
    (isLogged, recentLog) = (false, nil)
    if platform == .android {
      (region, regionIsNew) = (nil, false)
      (regionTick, regionExit, surroundings) = (nil, nil, nil)
    } else if !end.keepsFetches(on: platform) {
      surroundings?.fetches = BackgroundFetches()
    }
  }

  mutating func apply(_ demand: SensorDemand, at instant: MonotonicInstant) {
    switch demand {
    case .locationUpdates(let updates): self.updates = updates
    case .sampling(let accuracy): isSampling = accuracy != nil
    case .stationaryRegion(let region):
      self.region = region
      regionIsNew = true
    case .activityUpdates(let isOn):
      wantsActivities = isOn
      sensor.ask(at: isOn ? instant : nil)
    case .proximityRegion, .geofences, .significantChanges, .backgroundFetch: demands.append(demand)
    }
  }

  /// When the system must next check what it monitors.
  var nextSight: MonotonicInstant? {
    earlier(earlier(earlier(regionTick, surroundings?.next), regionExit), pauseDue)
  }

  /// Whether the app stays awake and is notified again and again of a rest that continues.
  var hearsOfRest: Bool { wantsActivities && updates != nil }

  /// The demanded distance between positions, in metres.
  var distanceFilter: Double { isSampling ? 0 : updates?.distanceFilterMetres ?? 0 }

  /// The demanded time between positions.
  private var interval: Nanoseconds { isSampling ? .zero : updates?.interval ?? .zero }

  /// Switches the receiver on and off as the app demands. Where it is blind, it has no positions, however long it is on.
  mutating func plan(_ body: Body, isBlind: Bool, after instant: MonotonicInstant) {
    planPause(body, at: instant)
    guard isSampling || updates != nil else {
      receiver.stop(at: instant)
      occasion = nil
      return
    }
    receiver.start(at: instant)
    // The end of the fault has a turn of its own, so no occasion is needed for it.
    guard !isBlind else { return occasion = nil }
    occasion = receiver.nextOccasion(
      of: body, distanceFilterMetres: distanceFilter, interval: interval, after: instant)
  }

  /// Plans the pause of the stream: once for each rest, where the app permits it (SDK §12.6.3).
  private mutating func planPause(_ body: Body, at instant: MonotonicInstant) {
    guard updates?.pausesAutomatically ?? false else { return (rest, pauseDue) = (nil, nil) }
    guard !rests(body, at: instant) else { return }
    let here = body.position(at: instant)
    rest = (here, instant)
    // One metre more, so that the body is certainly outside then.
    let leaving = body.nextCrossing(distanceMetres: PhoneSensors.restMetres + 1, from: here, after: instant)
    pauseDue = min(leaving ?? .never, instant + PhoneSensors.pauseAfter)
  }

  private func rests(_ body: Body, at instant: MonotonicInstant) -> Bool {
    rest.map { $0.place.distanceMetres(to: body.position(at: instant)) <= PhoneSensors.restMetres } ?? false
  }

  mutating func pauses(_ body: Body, at instant: MonotonicInstant) -> Bool {
    guard let due = pauseDue, due <= instant else { return false }
    pauseDue = nil
    return rests(body, at: instant) && rest.map { instant - $0.since >= PhoneSensors.pauseAfter } ?? false
  }

  /// Reports whether a position also belongs to the stream, given the stream's distance filter and interval.
  mutating func streams(
    _ place: Coordinate, besideSamples isSampling: Bool, _ updates: LocationUpdates, at instant: MonotonicInstant
  ) -> Bool {
    if isSampling, let lastStreamed,
      lastStreamed.place.distanceMetres(to: place) < updates.distanceFilterMetres
        || instant - lastStreamed.instant < updates.interval
    {
      return false
    }
    lastStreamed = (place, instant)
    return true
  }

  /// Monitors the stationary region: a true crossing of its rim starts the test.
  mutating func watchRegion(_ body: Body, at instant: MonotonicInstant) {
    if regionIsNew {
      regionIsNew = false
      (crossing, regionTick, regionExit) = (CrossingTest(isInside: true), nil, nil)
    }
    guard let region, crossing.isInside == true, regionTick.map({ $0 <= instant }) ?? true else { return }
    // Crossings are calculated in a plane; this is its deviation from the earth's surface at the rim.
    let doubt = max(0.5, 0.001 * region.radiusMetres)
    regionTick =
      region.center.distanceMetres(to: body.position(at: instant)) > region.radiusMetres - doubt
      ? instant + CrossingTest.tick
      : body.nextCrossing(distanceMetres: region.radiusMetres, from: region.center, after: instant)
  }

  /// Continues the test at its ticks until the phone detects that it has left the region.
  mutating func noticesExit(_ body: Body, at instant: MonotonicInstant) -> Bool {
    guard let due = regionTick, due <= instant, let region else { return false }
    regionTick = nil
    return crossing.test(
      body.position(at: instant), accuracyMetres: NetworkPosition.accuracyMetres, against: region) == .exit
  }

  var compressedLog: [UInt8] {
    let none = "this phone keeps no log: the run has no server that can ask for it\n"
    return GzipFile.pack(recentLog?.content ?? Array(none.utf8))
  }
}

extension SimulatedDevice {
  mutating func give(_ input: EngineInput, at now: Moment, in run: RunContext) {
    host.receive(input, at: now)
    applyEffects(at: now, in: run)
  }

  /// Applies, after each call of the host, the effects that the phone must perform. The app's reports and requests wait for
  /// `settle` and `post`.
  mutating func applyEffects(at now: Moment, in run: RunContext) {
    while true {
      let effects = host.takeEffects()
      guard !effects.isEmpty else { return }
      for effect in effects {
        switch effect {
        case .demand(let demand): phone.apply(demand, at: now.monotonic)
        case .send(let request): run.requests.append(request)
        case .deliver: run.said.append(effect)
        case .log(let entry, let wall):
          if phone.isLogged { run.said.append(effect) }
          phone.recentLog?.append(entry, at: wall)
        case .destroyLog: phone.recentLog?.removeAll()
        case .uploadLog(let url): host.uploadLog(to: url, gzip: phone.compressedLog, completion: nil, at: now)
        case .backgroundTask: break
        }
      }
      run.scratch.giveBack(consume effects)
    }
  }
}
