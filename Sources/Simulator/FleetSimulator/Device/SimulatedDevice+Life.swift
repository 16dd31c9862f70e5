import Base
import Contract
import Database
import Engine
import Host
import Network
import Queue
import Upload
import Vocabulary
import World

/// What the world does to a device, in the order of one instant.
extension SimulatedDevice {
  /// When the device is to be called; nil when nothing happens to it any more.
  mutating func next(after instant: MonotonicInstant) -> MonotonicInstant? {
    guard isInstalled else { return isHealed ? nil : presenceChange }
    // Who is off asks for no token.
    let attempt = isDownUntil == nil ? account?.nextAttempt : nil
    var next = exchanges.reduce(attempt) { $1.due == .never ? $0 : earlier($0, $1.due) }
    if isHealed {
      next = earlier(next, host.uploader.nextDeadline)
      return host.queue.count > 0 ? earlier(next, nextSync) : next
    }
    next = earlier(next, faults.next)
    next = earlier(next, presenceChange)
    if let isDownUntil {
      if isDownUntil != .never { next = earlier(next, isDownUntil) }
      // The body goes on without its phone.
      return isWatched ? earlier(next, nextSight(after: instant)) : next
    }
    next = earlier(next, opensAt)
    next = earlier(next, habits.nextInstant)
    next = earlier(next, host.nextDeadline)
    next = earlier(next, occasion)
    if !body.hasWifi { next = earlier(next, radio.nextChange) }
    if phone.wantsActivities { next = earlier(next, sensor.nextInstant) }
    return earlier(next, nextSight(after: instant))
  }

  /// When the system has to look at what it watches for the app.
  private mutating func nextSight(after instant: MonotonicInstant) -> MonotonicInstant? {
    var next = earlier(body.nextChange(after: instant), regionTick)
    if let surroundings { next = earlier(next, surroundings.next) }
    return earlier(next, regionExit)
  }

  /// Everything that is due at the instant; gives what `next` would give then.
  mutating func advance(to instant: MonotonicInstant, in site: Site) throws(DatabaseError) -> MonotonicInstant? {
    if !isHealed { try live(at: instant, in: site) }
    let now = moment(at: instant, in: site)
    carry(at: now, in: site)
    if isDownUntil == nil { register(at: now, in: site) }
    if isDownUntil == nil {
      // After the faults the timers of the engine rest.
      if let deadline = isHealed ? host.uploader.nextDeadline : host.nextDeadline, deadline <= instant {
        site.trace.note(.timers, UInt64(bitPattern: deadline.nanoseconds), of: number, at: instant)
        if isHealed { host.uploadTimersDue(at: now) } else { host.timersDue(at: now) }
        heed(at: now, in: site)
        dieIfDead(at: instant, in: site)
      }
    }
    if isHealed {
      if isDownUntil == nil { sync(at: now, in: site) }
    } else {
      try sense(at: now, in: site)
    }
    finish(at: instant, in: site)
    return next(after: instant)
  }

  private mutating func live(at instant: MonotonicInstant, in site: Site) throws(DatabaseError) {
    move(to: instant, in: site)
    radio.advance(to: instant)
    sensor.observe(body.activity(at: instant), at: instant)
    changeFaults(at: instant, in: site)
    changePresence(at: instant, in: site)
    if let due = isDownUntil, due <= instant { try comeBack(at: instant, in: site) }
    if isDownUntil == nil, let due = habits.nextInstant, due <= instant, let event = habits.takeEvent() {
      var end = ProcessEnd.closed
      if case .reboots = event.kind { end = .switchedOff }
      goDown(end, until: event.end, at: instant, in: site)
    }
    guard isDownUntil == nil else { return }
    if let opensAt, opensAt <= instant { open(at: instant, in: site) }
    changeNetwork(at: moment(at: instant, in: site), in: site)
    if !faults.running.isEmpty { poison(at: instant, in: site) }
  }

  private mutating func changeNetwork(at now: Moment, in site: Site) {
    let current = currentNetwork(at: now.monotonic, in: site)
    guard current != network else { return }
    let links = site.setup.radio
    let wasConnected = links[network].connectivity
    network = current
    site.trace.note(.connectivity, UInt64(current.number), of: number, at: now.monotonic)
    site.tell(.network(current), sighting(at: now))
    // Connections belong to an interface: they end with it, wherever their bytes are.
    if wasConnected != links[current].connectivity {
      loseLines(.lost, at: now.monotonic, in: site)
      site.carrier?.changeNetwork(of: number)
      for index in exchanges.indices {
        if case .carried = exchanges[index].stage { site.carrier?.cancel(exchanges[index].request, of: number) }
        exchanges[index].line = nil
        exchanges[index].stage = .failing(.reset)
        exchanges[index].due = now.monotonic
      }
      give(.connectivity(links[current].connectivity), at: now, in: site)
    }
  }

  /// Faults are over, the phone is on, the app runs and has a network; no body moves any more.
  mutating func heal(at instant: MonotonicInstant, in site: Site) throws(DatabaseError) {
    guard isInstalled else { return isHealed = true }
    healFaults(at: instant, in: site)
    if isDownUntil != nil {
      // A phone that has been off does not wait for what starts the app, either.
      isPhoneOff = false
      try comeBack(at: instant, in: site)
    }
    isHealed = true
    let now = site.setup.moment(at: instant)
    site.trace.note(.healed, UInt64(host.queue.count), of: number, at: instant)
    site.tell(.healed, sighting(at: now))
    receiver.stop(at: instant)
    changeNetwork(at: now, in: site)
    sync(at: now, in: site)
    finish(at: instant, in: site)
  }

  /// Asks the app to deliver what it has, until nothing waits.
  private mutating func sync(at now: Moment, in site: Site) {
    guard host.queue.count > 0 else { return nextSync = nil }
    if let nextSync, nextSync > now.monotonic { return }
    guard !host.uploader.isBusy else { return nextSync = now.monotonic + SimulatedDevice.busyInterval }
    nextSync = now.monotonic + SimulatedDevice.syncInterval
    host.sync(completion: 0, at: now)
    heed(at: now, in: site)
  }

  private static let syncInterval = Nanoseconds.seconds(15)
  /// A flush that is running will not take along what it did not find.
  private static let busyInterval = Nanoseconds.milliseconds(500)
}

/// When a device comes into being, leaves and comes back.
extension SimulatedDevice {
  /// The app runs for the first time: it adds its geofences and starts the SDK.
  mutating func install(at instant: MonotonicInstant, in site: Site) {
    (isInstalled, isPresent) = (true, true)
    presenceChange = fleet.setup.presence.change(of: index, after: instant)
    begin(Launch(), at: instant, in: site)
    let now = moment(at: instant, in: site)
    // Watchers know the configuration before they hear what the app asks for.
    settle(at: now, in: site)
    tellMoves(at: instant, in: site)
    if !fleet.setup.geofences.isEmpty {
      site.tell(.asked(.addGeofences(fleet.setup.geofences)), sighting(at: now))
      give(.call(.addGeofences(fleet.setup.geofences)), at: now, in: site)
    }
    start(at: now, in: site)
  }

  /// An app with a schedule leaves it to the schedule.
  private mutating func start(at now: Moment, in site: Site) {
    let hasSchedule = !fleet.setup.configuration.app.schedule.isEmpty
    let startsGeofences = fleet.setup.startsGeofencesOnly
    site.tell(
      .asked(hasSchedule ? .startSchedule : startsGeofences ? .startGeofences : .start), sighting(at: now))
    give(.call(hasSchedule ? .startSchedule : startsGeofences ? .startGeofences : .start), at: now, in: site)
  }

  mutating func changePresence(at instant: MonotonicInstant, in site: Site) {
    guard let due = presenceChange, due <= instant else { return }
    guard isInstalled else { return install(at: instant, in: site) }
    let now = moment(at: instant, in: site)
    isPresent.toggle()
    presenceChange = fleet.setup.presence.change(of: index, after: instant)
    if isPresent {
      body = fleet.setup.movement.body(
        seed: site.setup.seed, device: key, index: index, clock: site.clock, start: instant)
      tellMoves(at: instant, in: site)
      if isDownUntil == nil { start(at: now, in: site) }
    } else {
      body.park(at: instant)
      tellMoves(at: instant, in: site)
      if isDownUntil == nil { stop(at: now, in: site) }
    }
  }

  /// What it has goes out first.
  mutating func stop(at now: Moment, in site: Site) {
    if host.queue.count > 0 && !host.uploader.isBusy {
      host.sync(completion: 0, at: now)
      heed(at: now, in: site)
    }
    if !fleet.setup.configuration.app.schedule.isEmpty {
      site.tell(.asked(.stopSchedule), sighting(at: now))
    }
    if host.engine.state.isSchedulerEnabled { give(.call(.stopSchedule), at: now, in: site) }
    site.tell(.asked(.stop), sighting(at: now))
    give(.call(.stop), at: now, in: site)
  }

  /// Moves the body on, and tells of all that it begins to do on the way.
  mutating func move(to instant: MonotonicInstant, in site: Site) {
    while let end = body.episode.end, end <= instant {
      body.advance(to: end)
      tellMoves(at: instant, in: site)
    }
  }

  private mutating func tellMoves(at instant: MonotonicInstant, in site: Site) {
    guard isInstalled else { return }
    site.tell(.moves(body.episode), sighting(at: moment(at: instant, in: site)))
  }
}

/// The app begins, ends and begins again: by its user, by the system, with its phone (SDK §19).
extension SimulatedDevice {
  /// The app is gone, and with a reboot its phone. One that is down already stays so at least as long.
  mutating func goDown(
    _ process: ProcessEnd, until end: MonotonicInstant, at instant: MonotonicInstant, in site: Site
  ) {
    let end = max(end, instant + .milliseconds(1))
    if process == .switchedOff { hasRebooted = true }
    if let isDownUntil {
      if process == .switchedOff { isPhoneOff = true }
      self.isDownUntil = isDownUntil == .never ? isPhoneOff ? end : .never : max(isDownUntil, end)
      return
    }
    if process == .closed && !close(until: end, at: instant, in: site) { return }
    let now = moment(at: instant, in: site)
    let isReboot = process == .switchedOff
    site.trace.note(.killed, isReboot ? 1 : 0, of: number, at: instant)
    site.tell(.kept(host.engine.state), sighting(at: now))
    site.tell(.killed(isReboot: isReboot), sighting(at: now))
    site.said.removeAll(keepingCapacity: true)
    site.requests = []
    loseLines(.clientGone, at: instant, in: site)
    exchanges.removeAll()
    account?.nextAttempt = nil
    account?.isRegistering = false
    receiver.stop(at: instant)
    (occasion, opensAt) = (nil, nil)
    (isDownUntil, isPhoneOff) = (end, isReboot)
    leaveToSystem(process, at: instant)
  }

  /// Its user closes the app. False when its service goes on without it, or when the app has died of it.
  private mutating func close(until end: MonotonicInstant, at instant: MonotonicInstant, in site: Site) -> Bool {
    let now = moment(at: instant, in: site)
    site.tell(.closed, sighting(at: now))
    give(.terminate, at: now, in: site)
    dieIfDead(at: instant, in: site)
    guard isDownUntil == nil else { return false }
    settle(at: now, in: site)
    if host.isHeadless {
      opensAt = end
      return false
    }
    return true
  }

  /// What the system watches on. Android watches for services that run.
  private mutating func leaveToSystem(_ process: ProcessEnd, at instant: MonotonicInstant) {
    let platform = host.configuration.platform
    watchRegion(at: instant)
    heedOrders(at: instant)
    phone = SimulatedPhone(watching: platform == .ios ? phone.region : nil)
    if platform == .android {
      (regionTick, regionExit, surroundings) = (nil, nil, nil)
    } else if !process.keepsFetches(on: platform) {
      surroundings?.fetches = BackgroundFetches()
    }
  }

  /// The phone is on, and its system watches something that starts the app.
  var isWatched: Bool { !isPhoneOff && (phone.region != nil || surroundings != nil) }

  /// The user opens the app, or the phone is on again. Android starts its apps then; iOS waits for what it watches
  /// (SDK §19.4), and an app for which it watches nothing is opened by its user.
  mutating func comeBack(at instant: MonotonicInstant, in site: Site) throws(DatabaseError) {
    let platform = host.configuration.platform
    if isPhoneOff {
      isPhoneOff = false
      if platform == .ios && isWatched && !isHealed {
        isDownUntil = .never
        regionTick = nil
        surroundings?.resume(at: body, instant)
        return watchRegion(at: instant)
      }
    }
    try launch(inBackground: hasRebooted && platform == .android, at: instant, in: site)
  }

  private mutating func launch(
    inBackground: Bool, at instant: MonotonicInstant, in site: Site
  ) throws(DatabaseError) {
    let launch = Launch(isInBackground: inBackground, didReboot: hasRebooted)
    (isDownUntil, isPhoneOff, hasRebooted) = (nil, false, false)
    launches += 1
    site.trace.note(.launched, launches, of: number, at: instant)
    phone = phone.launching(isLogged: isLogged)
    host = try SimulatedDevice.launch(
      number, key, of: fleet, launches: launches, firstRequest: host.uploader.nextRequestID, at: instant, in: site)
    begin(launch, at: instant, in: site)
    if !isPresent { stop(at: moment(at: instant, in: site), in: site) }
  }

  /// The user opens an app that the system has started, or over its service.
  mutating func open(at instant: MonotonicInstant, in site: Site) {
    opensAt = nil
    let now = moment(at: instant, in: site)
    site.tell(.opened, sighting(at: now))
    if host.isHeadless { ready(Launch(), at: now, in: site) }
    give(.foreground, at: now, in: site)
  }

  /// What the system has seen, for the app, which it starts when it does not run (SDK §19.2).
  mutating func signal(_ input: EngineInput, at now: Moment, in site: Site) throws(DatabaseError) {
    if let due = isDownUntil {
      guard input.startsApp(on: host.configuration.platform) else { return }
      try launch(inBackground: true, at: now.monotonic, in: site)
      if due != .never { opensAt = due }
    }
    give(input, at: now, in: site)
  }
}
