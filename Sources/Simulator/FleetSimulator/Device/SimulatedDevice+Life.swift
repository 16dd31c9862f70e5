import Base
import Contract
import Database
import Engine
import Host
import Network
import Oracle
import Queue
import Upload
import Vocabulary
import World

/// The effects of the world on a device, in their order at one instant.
extension SimulatedDevice {
  /// Returns when the device has its next turn; nil when nothing more happens to it.
  mutating func next(after instant: MonotonicInstant) -> MonotonicInstant? {
    guard life.isInstalled else { return isHealed ? nil : life.presenceChange }
    // A phone that is off requests no token.
    let attempt = life.isDownUntil == nil ? account?.nextAttempt : nil
    var next = earlier(attempt, link.next)
    if isHealed {
      next = earlier(next, host.uploader.nextDeadline)
      return host.queue.count > 0 ? earlier(next, nextSync) : next
    }
    next = earlier(next, faults.next)
    next = earlier(next, life.presenceChange)
    if let isDownUntil = life.isDownUntil {
      if isDownUntil != .never { next = earlier(next, isDownUntil) }
      // The body moves on without its phone.
      return isWatched ? earlier(next, nextSight(after: instant)) : next
    }
    next = earlier(next, life.opensAt)
    next = earlier(next, life.habits.nextInstant)
    next = earlier(next, host.nextDeadline)
    next = earlier(next, phone.occasion)
    if !body.hasWifi { next = earlier(next, radio.nextChange) }
    if phone.wantsActivities { next = earlier(next, phone.sensor.nextInstant) }
    return earlier(next, nextSight(after: instant))
  }

  /// Returns when the system must next check what it monitors for the app.
  private mutating func nextSight(after instant: MonotonicInstant) -> MonotonicInstant? {
    earlier(body.nextChange(after: instant), phone.nextSight)
  }

  /// Performs everything that is due at the instant; returns what `next` would return then.
  mutating func advance(to instant: MonotonicInstant, in run: RunContext) throws(DatabaseError) -> MonotonicInstant? {
    if !isHealed { try live(at: instant, in: run) }
    let now = moment(at: instant, in: run)
    carry(at: now, in: run)
    if life.isDownUntil == nil { register(at: now, in: run) }
    if life.isDownUntil == nil {
      if !isHealed { tellBattery(at: now, in: run) }
      // After the faults, the engine's own timers no longer fire.
      if let deadline = isHealed ? host.uploader.nextDeadline : host.nextDeadline, deadline <= instant {
        run.trace.note(.timers, UInt64(bitPattern: deadline.nanoseconds), of: number, at: instant)
        if isHealed { host.uploadTimersDue(at: now) } else { host.timersDue(at: now) }
        applyEffects(at: now, in: run)
        dieIfDead(at: instant, in: run)
      }
    }
    if isHealed {
      if life.isDownUntil == nil { sync(at: now, in: run) }
    } else {
      try sense(at: now, in: run)
    }
    finish(at: instant, in: run)
    return next(after: instant)
  }

  private mutating func live(at instant: MonotonicInstant, in run: RunContext) throws(DatabaseError) {
    move(to: instant, in: run)
    radio.advance(to: instant)
    phone.sensor.observe(body.activity(at: instant), at: instant)
    changeFaults(at: instant, in: run)
    changePresence(at: instant, in: run)
    if let due = life.isDownUntil, due <= instant { try comeBack(at: instant, in: run) }
    if life.isDownUntil == nil, let due = life.habits.nextInstant, due <= instant, let event = life.habits.takeEvent() {
      var end = ProcessEnd.closed
      if case .reboots = event.kind { end = .switchedOff }
      goDown(end, until: event.end, at: instant, in: run)
    }
    guard life.isDownUntil == nil else { return }
    if let due = life.opensAt, due <= instant { open(at: instant, in: run) }
    changeNetwork(at: moment(at: instant, in: run), in: run)
    if !faults.running.isEmpty { poison(at: instant, in: run) }
  }

  private mutating func changeNetwork(at now: Moment, in run: RunContext) {
    let current = currentNetwork(at: now.monotonic, in: run)
    guard current != link.network else { return }
    let links = run.setup.radio
    let wasConnected = links[link.network].connectivity
    link.change(to: current)
    run.trace.note(.connectivity, UInt64(current.number), of: number, at: now.monotonic)
    run.tell(.network(current), link.context(at: now))
    if wasConnected != links[current].connectivity {
      // The plan ends the drives, not the phone's world: a real server must not see its answers dropped for it. Within the
      // run the hash, by which a failure is repeated, contains the abort.
      if isHealed && run.inside == nil {
        link.leaveUnusedConnection(at: now.monotonic, in: run)
      } else {
        link.reset(at: now.monotonic, in: run)
      }
      give(.connectivity(links[current].connectivity), at: now, in: run)
    }
  }

  /// Ends the faults: the phone is on, the app runs and has a network, the body stands still.
  mutating func heal(at instant: MonotonicInstant, in run: RunContext) throws(DatabaseError) {
    guard life.isInstalled else { return isHealed = true }
    healFaults(at: instant, in: run)
    if life.isDownUntil != nil {
      // A phone that has been off is restarted too, without waiting for its own restart.
      life.isPhoneOff = false
      try comeBack(at: instant, in: run)
    }
    isHealed = true
    link.heal()
    let now = run.setup.moment(at: instant)
    run.trace.note(.healed, UInt64(host.queue.count), of: number, at: instant)
    run.tell(.healed, link.context(at: now))
    phone.receiver.stop(at: instant)
    changeNetwork(at: now, in: run)
    sync(at: now, in: run)
    finish(at: instant, in: run)
  }

  /// Calls `sync` of the app until its queue is empty.
  private mutating func sync(at now: Moment, in run: RunContext) {
    guard host.queue.count > 0 else { return nextSync = nil }
    if let nextSync, nextSync > now.monotonic { return }
    guard !host.uploader.isBusy else { return nextSync = now.monotonic + SimulatedDevice.busyInterval }
    nextSync = now.monotonic + SimulatedDevice.syncInterval(in: run.setup.settle)
    run.tell(.askedToSync, link.context(at: now))
    host.sync(completion: 0, at: now)
    applyEffects(at: now, in: run)
  }

  /// Leaves time for a second attempt and its answer in a short phase, too.
  private static func syncInterval(in settle: Nanoseconds) -> Nanoseconds {
    min(.seconds(15), Nanoseconds(settle.count / 2))
  }

  /// A running flush does not include records that it did not find.
  private static let busyInterval = Nanoseconds.milliseconds(500)
}

/// Installation, departure and return of a device.
extension SimulatedDevice {
  /// Starts the app for the first time: it adds its geofences and starts the SDK.
  mutating func install(at instant: MonotonicInstant, in run: RunContext) {
    (life.isInstalled, life.isPresent) = (true, true)
    life.presenceChange = fleet.presence.change(of: index, after: instant)
    begin(Launch(), at: instant, in: run)
    let now = moment(at: instant, in: run)
    // Watchers must know the configuration before they see the app's requests.
    settle(at: now, in: run)
    tellMoves(at: instant, in: run)
    if !fleet.setup.geofences.isEmpty { ask(.addGeofences(fleet.setup.geofences), at: now, in: run) }
    start(at: now, in: run)
  }

  /// Starts the SDK; an app with a schedule starts the schedule instead.
  private mutating func start(at now: Moment, in run: RunContext) {
    let hasSchedule = !fleet.setup.configuration.app.schedule.isEmpty
    let startsGeofences = fleet.setup.startsGeofencesOnly
    ask(hasSchedule ? .startSchedule : startsGeofences ? .startGeofences : .start, at: now, in: run)
  }

  /// Makes a call of the app to the engine.
  private mutating func ask(_ command: Command, at now: Moment, in run: RunContext) {
    guard let call = EngineCall(command) else { preconditionFailure("the engine has no call for \(command.name)") }
    run.tell(.asked(command), link.context(at: now))
    give(.call(call), at: now, in: run)
  }

  mutating func changePresence(at instant: MonotonicInstant, in run: RunContext) {
    guard let due = life.presenceChange, due <= instant else { return }
    guard life.isInstalled else { return install(at: instant, in: run) }
    let now = moment(at: instant, in: run)
    life.isPresent.toggle()
    life.presenceChange = fleet.presence.change(of: index, after: instant)
    if life.isPresent {
      let returning = fleet.movement.body(
        seed: run.setup.seed, device: key, index: index, clock: run.clock, start: instant)
      body.move(to: returning, at: instant)
      tellMoves(at: instant, in: run)
      if life.isDownUntil == nil { start(at: now, in: run) }
    } else {
      body.park(at: instant)
      tellMoves(at: instant, in: run)
      if life.isDownUntil == nil { stop(at: now, in: run) }
    }
  }

  /// Uploads what is queued, then stops.
  mutating func stop(at now: Moment, in run: RunContext) {
    if host.queue.count > 0 && !host.uploader.isBusy {
      run.tell(.askedToSync, link.context(at: now))
      host.sync(completion: 0, at: now)
      applyEffects(at: now, in: run)
    }
    if !fleet.setup.configuration.app.schedule.isEmpty {
      run.tell(.asked(.stopSchedule), link.context(at: now))
    }
    if host.engine.state.isSchedulerEnabled { give(.call(.stopSchedule), at: now, in: run) }
    ask(.stop, at: now, in: run)
  }

  /// Moves the body on and reports each change of its activity on the way.
  mutating func move(to instant: MonotonicInstant, in run: RunContext) {
    while let end = body.episode.end, end <= instant {
      body.advance(to: end)
      tellMoves(at: instant, in: run)
    }
  }

  mutating func tellMoves(at instant: MonotonicInstant, in run: RunContext) {
    guard life.isInstalled else { return }
    run.tell(.moves(body.episode), link.context(at: moment(at: instant, in: run)))
  }
}

/// Starts and ends of the app: by its user, by the system, with its phone (SDK §19).
extension SimulatedDevice {
  /// Ends the app and, with a reboot, its phone. A device that is already down stays down at least as long.
  mutating func goDown(
    _ process: ProcessEnd, until end: MonotonicInstant, at instant: MonotonicInstant, in run: RunContext
  ) {
    let end = max(end, instant + .milliseconds(1))
    if process == .switchedOff { life.hasRebooted = true }
    if let isDownUntil = life.isDownUntil {
      if process == .switchedOff { life.isPhoneOff = true }
      life.isDownUntil = isDownUntil == .never ? life.isPhoneOff ? end : .never : max(isDownUntil, end)
      return
    }
    if process == .closed && !close(until: end, at: instant, in: run) { return }
    let now = moment(at: instant, in: run)
    let isReboot = process == .switchedOff
    run.trace.note(.killed, isReboot ? 1 : 0, of: number, at: instant)
    // The app wrote this at the same instant, before it ended.
    run.balance(link.context(at: now), queued: host.queue.count)
    // The next launch begins with this configuration, although this app was not told of it (SDK §1.4).
    if run.said.contains(where: \.isConfigured) { run.tell(.configured(host.configuration), link.context(at: now)) }
    run.tell(.kept(host.engine.state), link.context(at: now))
    link.tellCarried(at: now, in: run)
    run.tell(.killed(isReboot: isReboot), link.context(at: now))
    run.said.removeAll()
    run.requests = []
    link.drop(at: instant, in: run)
    account?.nextAttempt = nil
    account?.isRegistering = false
    phone.receiver.stop(at: instant)
    (phone.occasion, life.opensAt) = (nil, nil)
    (life.isDownUntil, life.isPhoneOff) = (end, isReboot)
    leaveToSystem(process, at: instant)
  }

  /// Closes the app on behalf of its user. Returns false when its service continues without it, or when this crashed the app.
  private mutating func close(until end: MonotonicInstant, at instant: MonotonicInstant, in run: RunContext) -> Bool {
    let now = moment(at: instant, in: run)
    run.tell(.closed, link.context(at: now))
    give(.terminate, at: now, in: run)
    dieIfDead(at: instant, in: run)
    guard life.isDownUntil == nil else { return false }
    settle(at: now, in: run)
    if host.isHeadless {
      life.opensAt = end
      return false
    }
    return true
  }

  /// Leaves the monitoring that survives the app to the system. Android monitors only for running services.
  private mutating func leaveToSystem(_ process: ProcessEnd, at instant: MonotonicInstant) {
    phone.watchRegion(body, at: instant)
    applyDemands(at: instant)
    phone.endProcess(process, on: host.configuration.platform)
  }

  /// Whether the phone is on and its system monitors something that starts the app.
  var isWatched: Bool { !life.isPhoneOff && (phone.region != nil || phone.surroundings != nil) }

  /// Starts the app again because the user opens it or the phone is on again. Android then starts its apps; iOS waits for an
  /// event that it monitors (SDK §19.4), and an app without monitoring is opened by its user.
  mutating func comeBack(at instant: MonotonicInstant, in run: RunContext) throws(DatabaseError) {
    let platform = host.configuration.platform
    if life.isPhoneOff {
      life.isPhoneOff = false
      if platform == .ios && isWatched && !isHealed {
        life.isDownUntil = .never
        phone.regionTick = nil
        phone.surroundings?.resume(at: body, instant)
        return phone.watchRegion(body, at: instant)
      }
    }
    try launch(inBackground: life.hasRebooted && platform == .android, at: instant, in: run)
  }

  private mutating func launch(
    inBackground: Bool, at instant: MonotonicInstant, in run: RunContext
  ) throws(DatabaseError) {
    let launch = Launch(isInBackground: inBackground, didReboot: life.hasRebooted)
    (life.isDownUntil, life.isPhoneOff, life.hasRebooted) = (nil, false, false)
    life.launches += 1
    run.trace.note(.launched, life.launches, of: number, at: instant)
    phone.isLogged = isLogged
    host = try SimulatedDevice.launch(
      number, key, of: fleet, launches: life.launches, firstRequest: host.uploader.nextRequestID, at: instant, in: run)
    begin(launch, at: instant, in: run)
    if !life.isPresent { stop(at: moment(at: instant, in: run), in: run) }
  }

  /// Opens an app that the system has started, or whose service is running.
  mutating func open(at instant: MonotonicInstant, in run: RunContext) {
    life.opensAt = nil
    let now = moment(at: instant, in: run)
    run.tell(.opened, link.context(at: now))
    if host.isHeadless { ready(Launch(), at: now, in: run) }
    give(.foreground, at: now, in: run)
  }

  /// Delivers an event that the system has detected, and starts the app if it does not run (SDK §19.2).
  mutating func signal(_ input: EngineInput, at now: Moment, in run: RunContext) throws(DatabaseError) {
    if let due = life.isDownUntil {
      guard input.startsApp(on: host.configuration.platform) else { return }
      try launch(inBackground: true, at: now.monotonic, in: run)
      if due != .never { life.opensAt = due }
    }
    give(input, at: now, in: run)
  }
}
