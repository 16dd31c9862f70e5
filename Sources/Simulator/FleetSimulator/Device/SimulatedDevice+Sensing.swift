import Base
import Contract
import Database
import DeviceLog
import Engine
import Host
import Oracle
import Queue
import Scenario
import Sensing
import Vocabulary
import World

/// The events that the sensors deliver to the app.
extension SimulatedDevice {
  /// Reports a change of the battery's level or charger, before timers and positions, whose records contain it.
  mutating func tellBattery(at now: Moment, in run: RunContext) {
    let reading = fleet.setup.battery.reading(at: now.monotonic, seed: run.setup.seed, device: key)
    let told = Int8(reading.isCharging ? -1 - reading.percent : reading.percent)
    guard told != phone.toldBattery else { return }
    phone.toldBattery = told
    let battery = Battery(level: Double(reading.percent) / 100, isCharging: reading.isCharging)
    run.tell(.charged(battery), link.context(at: now))
    give(.battery(battery), at: now, in: run)
  }

  /// Delivers what the sensors detect; without a running app, only what the system monitors for it.
  mutating func sense(at now: Moment, in run: RunContext) throws(DatabaseError) {
    if life.isDownUntil == nil {
      reportActivity(at: now, in: run)
      locate(at: now, in: run)
      if phone.pauses(body, at: now.monotonic) { give(.updatesPaused, at: now, in: run) }
    } else if !isWatched {
      return
    }
    try leaveRegion(at: now, in: run)
    try senseSurroundings(at: now, in: run)
  }

  private mutating func reportActivity(at now: Moment, in run: RunContext) {
    while let due = phone.sensor.nextInstant, due <= now.monotonic, let report = phone.sensor.takeReport() {
      guard phone.wantsActivities else { continue }
      run.trace.note(.activity, UInt64(report.confidence), of: number, at: now.monotonic)
      let activity = Activity(report, on: host.configuration.platform)
      run.tell(.sensed(activity), link.context(at: now))
      give(.activity(activity), at: now, in: run)
    }
  }

  private mutating func locate(at now: Moment, in run: RunContext) {
    guard let due = phone.occasion, due <= now.monotonic else { return }
    let (isSampling, updates) = (phone.isSampling, phone.updates)
    guard let position = phone.receiver.fix(of: body, at: now.monotonic, distanceFilterMetres: phone.distanceFilter)
    else { return }
    let metres = position.errorMetres > SimulatedPhone.nearMetres ? position.errorMetres : 0
    let accuracy = position.accuracyMetres > SimulatedPhone.goodMetres ? position.accuracyMetres : 0
    if (metres, accuracy) != phone.stray {
      phone.stray = (metres, accuracy)
      run.tell(.strayed(metres: metres, accuracyMetres: accuracy), link.context(at: now))
    }
    let fix = Fix(position, at: now.wall)
    let content = position.place.latitude.bitPattern ^ SplitMix64.mix(position.place.longitude.bitPattern)
    run.trace.note(isSampling ? .sample : .fix, content, of: number, at: now.monotonic)
    if isSampling { give(.sample(fix), at: now, in: run) }
    // The stream continues during sampling, and a phone delivers the same position to both.
    guard let updates, phone.updates != nil else { return phone.lastStreamed = nil }
    guard phone.streams(position.place, besideSamples: isSampling, updates, at: now.monotonic) else { return }
    give(.fix(fix), at: now, in: run)
  }

  /// Delivers the exit from the region some time after the phone has detected it.
  private mutating func leaveRegion(at now: Moment, in run: RunContext) throws(DatabaseError) {
    if let due = phone.regionExit, due <= now.monotonic {
      phone.regionExit = nil
      run.trace.note(.region, 0, of: number, at: now.monotonic)
      try signal(.stationaryRegionExit(nil), at: now, in: run)
    }
    if phone.noticesExit(body, at: now.monotonic) {
      phone.regionExit = now.monotonic + regionDelay(at: now.monotonic, in: run)
    }
  }

  /// Completes each input: applies the app's demands, sends its requests, records the changes of its queue.
  mutating func finish(at instant: MonotonicInstant, in run: RunContext) {
    dieIfDead(at: instant, in: run)
    // Watchers are notified of these events before the requests that follow from them.
    settle(at: moment(at: instant, in: run), in: run)
    post(at: moment(at: instant, in: run), in: run)
    guard !isHealed else { return }
    phone.sensor.serve(isAwake: phone.hearsOfRest, at: instant)
    if life.isDownUntil == nil {
      phone.plan(body, isBlind: faults.effects.contains(.hidesPositions), after: instant)
    } else if !isWatched {
      return
    }
    phone.watchRegion(body, at: instant)
    applyDemands(at: instant)
  }

  /// Enters the app's effects into the ledger and notifies the watchers.
  mutating func settle(at now: Moment, in run: RunContext) {
    run.balance(link.context(at: now), queued: host.queue.count)
    guard !run.said.isEmpty else { return }
    let said = run.said.take()
    for case .log(let entry, _) in said { run.tell(.logged(entry), link.context(at: now)) }
    for case .deliver(let event) in said {
      if case .configured(let configuration) = event {
        keepTarget(in: run)
        // A level that a server sets also applies to the log it requests; the level that we set for listeners does not.
        let level = configuration.logger.logLevel
        if !(isLogged && level == .verbose) { phone.recentLog?.level = level }
        run.tell(.configured(configuration), link.context(at: now))
        continue
      }
      if event.hasPosition && !isHealed {
        let (place, metres) = (body.position(at: now.monotonic), body.metres(at: now.monotonic))
        run.tell(.stood(at: place, metres: metres), link.context(at: now))
      }
      run.tell(.told(event), link.context(at: now))
      if case .authorization(let event) = event { hear(event, at: now.monotonic, in: run) }
    }
    run.said.giveBack(consume said)
  }
}

extension HostEvent {
  /// Whether the event holds a position that the odometer may have counted.
  fileprivate var hasPosition: Bool {
    switch self {
    case .engine(.location), .engine(.geofence): true
    default: false
    }
  }
}

extension HostEffect {
  /// Whether it tells the app of a changed configuration.
  var isConfigured: Bool { if case .deliver(.configured) = self { true } else { false } }
}
