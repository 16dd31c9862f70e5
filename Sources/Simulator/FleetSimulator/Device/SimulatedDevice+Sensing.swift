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
    if life.isDownUntil == nil {
      reportActivity(at: now, in: site)
      locate(at: now, in: site)
    } else if !isWatched {
      return
    }
    try leaveRegion(at: now, in: site)
    try senseSurroundings(at: now, in: site)
  }

  private mutating func reportActivity(at now: Moment, in site: Site) {
    while let due = phone.sensor.nextInstant, due <= now.monotonic, let report = phone.sensor.takeReport() {
      guard phone.wantsActivities else { continue }
      site.trace.note(.activity, UInt64(report.confidence), of: number, at: now.monotonic)
      give(.activity(Activity(report)), at: now, in: site)
    }
  }

  private mutating func locate(at now: Moment, in site: Site) {
    guard let due = phone.occasion, due <= now.monotonic else { return }
    let (isSampling, updates) = (phone.isSampling, phone.updates)
    guard let position = phone.receiver.fix(of: body, at: now.monotonic, distanceFilterMetres: phone.distanceFilter)
    else { return }
    let fix = Fix(position, at: now.wall)
    let content = position.place.latitude.bitPattern ^ TraceHash.mix(position.place.longitude.bitPattern)
    site.trace.note(isSampling ? .sample : .fix, content, of: number, at: now.monotonic)
    if isSampling { give(.sample(fix), at: now, in: site) }
    // The stream goes on while positions are sampled, and a phone gives the same one to both.
    guard let updates, phone.updates != nil else { return phone.lastStreamed = nil }
    guard phone.streams(position.place, besideSamples: isSampling, updates) else { return }
    give(.fix(fix), at: now, in: site)
  }

  /// The system tells the app some time after it is sure.
  private mutating func leaveRegion(at now: Moment, in site: Site) throws(DatabaseError) {
    if let due = phone.regionExit, due <= now.monotonic {
      phone.regionExit = nil
      site.trace.note(.region, 0, of: number, at: now.monotonic)
      try signal(.stationaryRegionExit(nil), at: now, in: site)
    }
    if phone.noticesExit(body, at: now.monotonic) {
      phone.regionExit = now.monotonic + regionDelay(at: now.monotonic, in: site)
    }
  }

  /// After each input: what the app wants now, which requests it has made, what it did to its queue.
  mutating func finish(at instant: MonotonicInstant, in site: Site) {
    dieIfDead(at: instant, in: site)
    // Watchers hear of what has happened before they hear of the requests that follow.
    settle(at: moment(at: instant, in: site), in: site)
    post(at: moment(at: instant, in: site), in: site)
    guard !isHealed else { return }
    if life.isDownUntil == nil {
      let isBlind = isBlind(in: site)
      phone.plan(body, isBlind: isBlind, after: instant)
    } else if !isWatched {
      return
    }
    phone.watchRegion(body, at: instant)
    heedOrders(at: instant)
  }

  /// Enters into the book, and tells, what the app did.
  mutating func settle(at now: Moment, in site: Site) {
    site.balance(link.sighting(at: now), queued: host.queue.count)
    guard !site.said.isEmpty else { return }
    let said = site.takeSaid()
    for case .log(let entry, _) in said { site.tell(.logged(entry), link.sighting(at: now)) }
    for case .deliver(let event) in said {
      if case .configured = event {
        // A level that a server sets is also that of the log it asks for; ours, for those who listen, is not.
        let level = host.configuration.logger.logLevel
        if !(isLogged && level == .verbose) { phone.recentLog?.level = level }
        site.tell(.configured(host.configuration), link.sighting(at: now))
        continue
      }
      if event.hasPosition && !isHealed {
        let (place, metres) = (body.position(at: now.monotonic), body.metres(at: now.monotonic))
        site.tell(.stood(at: place, metres: metres), link.sighting(at: now))
      }
      site.tell(.told(event), link.sighting(at: now))
      if case .authorization(let event) = event { hear(event, at: now.monotonic) }
    }
    site.giveBack(said)
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
