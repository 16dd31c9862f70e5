import Base
import Contract
import Database
import DeviceLog
import Engine
import Host
import Queue
import Sensing
import Vocabulary
import World

/// What the sensors tell the app.
extension SimulatedDevice {
  /// Without the app, only what the system watches for it.
  mutating func sense(at now: Moment, in site: Site) throws(DatabaseError) {
    if isDownUntil == nil {
      reportActivity(at: now, in: site)
      locate(at: now, in: site)
    } else if !isWatched {
      return
    }
    try leaveRegion(at: now, in: site)
    try senseSurroundings(at: now, in: site)
  }

  private mutating func reportActivity(at now: Moment, in site: Site) {
    while let due = sensor.nextInstant, due <= now.monotonic, let report = sensor.takeReport() {
      guard phone.wantsActivities else { continue }
      site.trace.note(.activity, UInt64(report.confidence), of: number, at: now.monotonic)
      give(.activity(Activity(report)), at: now, in: site)
    }
  }

  private mutating func locate(at now: Moment, in site: Site) {
    guard let due = occasion, due <= now.monotonic else { return }
    let (isSampling, updates) = (phone.isSampling, phone.updates)
    let filter = isSampling ? 0 : updates?.distanceFilterMetres ?? 0
    guard let position = receiver.fix(of: body, at: now.monotonic, distanceFilterMetres: filter) else { return }
    let fix = Fix(position, at: now.wall)
    let content = position.place.latitude.bitPattern ^ TraceHash.mix(position.place.longitude.bitPattern)
    site.trace.note(isSampling ? .sample : .fix, content, of: number, at: now.monotonic)
    if isSampling { give(.sample(fix), at: now, in: site) }
    // The stream goes on while positions are sampled, and a phone gives the same one to both.
    guard let updates, phone.updates != nil else { return lastStreamed = nil }
    if isSampling, let lastStreamed, lastStreamed.distanceMetres(to: position.place) < updates.distanceFilterMetres {
      return
    }
    lastStreamed = position.place
    give(.fix(fix), at: now, in: site)
  }

  /// A true crossing of the rim begins the test, which goes on at its ticks until it is sure.
  private mutating func leaveRegion(at now: Moment, in site: Site) throws(DatabaseError) {
    if let due = regionExit, due <= now.monotonic {
      regionExit = nil
      site.trace.note(.region, 0, of: number, at: now.monotonic)
      try signal(.stationaryRegionExit(nil), at: now, in: site)
    }
    if let due = regionTick, due <= now.monotonic, let region = phone.region {
      regionTick = nil
      let place = body.position(at: now.monotonic)
      if crossing.test(place, accuracyMetres: SimulatedDevice.networkAccuracy, against: region) == .exit {
        regionExit = now.monotonic + regionDelay(at: now.monotonic, in: site)
      }
    }
  }

  /// After each input: what the app wants now, which requests it has made, what it did to its queue.
  mutating func finish(at instant: MonotonicInstant, in site: Site) {
    dieIfDead(at: instant, in: site)
    // Watchers hear of what has happened before they hear of the requests that follow.
    settle(at: moment(at: instant, in: site), in: site)
    post(at: moment(at: instant, in: site), in: site)
    guard !isHealed else { return }
    if isDownUntil == nil {
      plan(at: instant, in: site)
    } else if !isWatched {
      return
    }
    watchRegion(at: instant)
    heedOrders(at: instant)
  }

  /// Enters into the book, and tells, what the app did.
  mutating func settle(at now: Moment, in site: Site) {
    site.balance(sighting(at: now), queued: host.queue.count)
    guard !site.said.isEmpty else { return }
    let said = site.takeSaid()
    for case .log(let entry, _) in said { site.tell(.logged(entry), sighting(at: now)) }
    for case .deliver(let event) in said {
      if case .configured = event {
        // A level that a server sets is also that of the log it asks for; ours, for those who listen, is not.
        let level = host.configuration.logger.logLevel
        if !(isLogged && level == .verbose) { phone.recentLog?.level = level }
        site.tell(.configured(host.configuration), sighting(at: now))
        continue
      }
      if event.hasPosition && !isHealed {
        let (place, metres) = (body.position(at: now.monotonic), body.metres(at: now.monotonic))
        site.tell(.stood(at: place, metres: metres), sighting(at: now))
      }
      site.tell(.told(event), sighting(at: now))
      if case .authorization(let event) = event { hear(event, at: now.monotonic) }
    }
    site.giveBack(said)
  }

  private mutating func plan(at instant: MonotonicInstant, in site: Site) {
    let (isSampling, updates) = (phone.isSampling, phone.updates)
    guard isSampling || updates != nil else {
      receiver.stop(at: instant)
      occasion = nil
      return
    }
    receiver.start(at: instant)
    // The end of the fault is a turn of its own, so that its end need not be looked for.
    guard !isBlind(in: site) else { return occasion = nil }
    let filter = isSampling ? 0 : updates?.distanceFilterMetres ?? 0
    occasion = receiver.nextOccasion(of: body, distanceFilterMetres: filter, after: instant)
  }

  mutating func watchRegion(at instant: MonotonicInstant) {
    if phone.regionIsNew {
      phone.regionIsNew = false
      (crossing, regionTick, regionExit) = (CrossingTest(isInside: true), nil, nil)
    }
    guard let region = phone.region, crossing.isInside == true, regionTick.map({ $0 <= instant }) ?? true else {
      return
    }
    // Crossings are calculated in a plane, which differs from the earth by so much at the rim.
    let doubt = max(0.5, 0.001 * region.radiusMetres)
    regionTick =
      region.center.distanceMetres(to: body.position(at: instant)) > region.radiusMetres - doubt
      ? instant + CrossingTest.tick
      : body.nextCrossing(distanceMetres: region.radiusMetres, from: region.center, after: instant)
  }
}

extension HostEvent {
  /// Of a position that the odometer may have counted.
  fileprivate var hasPosition: Bool {
    switch self {
    case .engine(.location), .engine(.geofence): true
    default: false
    }
  }
}

/// A circle that a phone watches: when its body truly crosses the rim, and when the phone is sure of it (SDK §15.3).
struct CircleWatch {
  /// Nil for the region around the fences.
  let identifier: String?
  let circle: Circle
  /// Truly. Who has gone out is out only beyond the margin within which no phone can be sure.
  private(set) var isInside: Bool
  private var test: CrossingTest
  private var crossing: MonotonicInstant?
  private var tick: MonotonicInstant?

  /// What has happened at an instant.
  struct Finding {
    /// The body has truly come in, or gone out beyond the margin.
    var crossed: Bool?
    /// The phone is sure that it has come in, or gone out.
    var noticed: Bool?
  }

  /// Begins with the side on which the app has the device: if the body is on the other one, the first test finds it there
  /// (SDK §15.4). Nil: the side on which the body is.
  init(
    _ identifier: String?, _ circle: Circle, wasInside: Bool? = nil, _ body: Body, at instant: MonotonicInstant
  ) {
    self.identifier = identifier
    self.circle = circle
    let margin = wasInside == true ? SimulatedDevice.networkAccuracy : 0
    isInside = circle.center.distanceMetres(to: body.position(at: instant)) <= circle.radiusMetres + margin
    test = CrossingTest(isInside: wasInside ?? isInside)
    solve(body, after: instant)
    // Where it is the system finds out at once, before it can leave.
    if isInside && test.isInside == false { tick = instant + .milliseconds(1) }
  }

  var next: MonotonicInstant? {
    guard let crossing, let tick else { return crossing ?? tick }
    return min(crossing, tick)
  }

  /// A body at rest crosses nothing and need not be tested again.
  mutating func solve(_ body: Body, after instant: MonotonicInstant) {
    crossing = nextCrossing(of: body, after: instant)
    if test.isInside == isInside {
      tick = nil
    } else if tick == nil {
      tick = CircleWatch.tick(after: instant)
    }
  }

  /// After a time without tests: a rim that was crossed then is crossed now.
  mutating func resume(_ body: Body, at instant: MonotonicInstant) {
    solve(body, after: instant)
    let margin = isInside ? SimulatedDevice.networkAccuracy : 0
    let distance = circle.center.distanceMetres(to: body.position(at: instant))
    if (distance <= circle.radiusMetres + margin) != isInside { crossing = instant + .milliseconds(1) }
  }

  mutating func advance(to instant: MonotonicInstant, _ body: Body) -> Finding {
    var finding = Finding()
    if let due = crossing, due <= instant {
      isInside.toggle()
      finding.crossed = isInside
      crossing = nextCrossing(of: body, after: instant)
      if tick == nil { tick = CircleWatch.tick(after: instant) }
    }
    if let due = tick, due <= instant {
      tick = nil
      switch test.test(
        body.position(at: instant), accuracyMetres: SimulatedDevice.networkAccuracy, against: circle)
      {
      case .enter: finding.noticed = true
      case .exit: finding.noticed = false
      case .dwell, nil: break
      }
      if test.isInside != isInside { tick = instant + CrossingTest.tick }
    }
    return finding
  }

  private func nextCrossing(of body: Body, after instant: MonotonicInstant) -> MonotonicInstant? {
    let margin = isInside ? SimulatedDevice.networkAccuracy : 0
    return body.nextCrossing(distanceMetres: circle.radiusMetres + margin, from: circle.center, after: instant)
  }

  /// Positions are compared with the circles at every fifth second.
  private static func tick(after instant: MonotonicInstant) -> MonotonicInstant {
    let step = CrossingTest.tick.count
    return MonotonicInstant(nanoseconds: (instant.nanoseconds / step + 1) * step)
  }
}
