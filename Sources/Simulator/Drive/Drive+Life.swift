package import Base
import Contract
package import Database
import DeviceLog
import Engine
import Host
import Sensing
import Upload
package import Vocabulary
import World

/// Starts and ends of the app and the phone.
extension Drive {
  private static let bootTime = Nanoseconds.seconds(20)

  /// Whether the app runs with its user interface, not only its service.
  var isOpen: Bool { isRunning && !host.isHeadless }

  /// Passes the first input of every launch.
  mutating func begin(_ launch: Launch, at now: Moment) {
    isRunning = true
    isInBackground = launch.isInBackground
    connectivity = .none
    changeNetwork(at: now)
    give(.battery(battery), at: now)
    give(.screen(isOn: isScreenOn), at: now)
    ready(launch, at: now)
  }

  private mutating func ready(_ launch: Launch, at now: Moment) {
    let settings = settings
    phone.recentLog.begin(settings.ready(kept: nil).configuration, at: now.wall)
    host.ready(launch, at: now) { settings.ready(kept: $0) }
    applyEffects(at: now)
  }

  private mutating func launch(_ launch: Launch, at now: Moment) throws(DatabaseError) {
    var launch = launch
    launch.didReboot = hasRebooted
    (comesBackAt, fetchesAt, hasRebooted) = (nil, nil, false)
    launches += 1
    host = try DeviceHost(
      settings.description, database: database, device: 0,
      identity: Drive.identity(settings.seed, from: now, launch: launches),
      quirks: settings.quirks, firstRequest: host.uploader.nextRequestID, scratch: scratch, at: now)
    begin(launch, at: now)
  }

  /// Opens the app on behalf of the user, possibly over its running service.
  mutating func openApp(at now: Moment) throws(DatabaseError) {
    guard !isSwitchingOn else { return lines.append(.note("the phone is still restarting")) }
    guard !isOpen || isInBackground else { return lines.append(.note("the app is open already")) }
    lines.append(.note("you open the app"))
    // The system may have started it, or its service continued.
    if isOpen {
      give(.foreground, at: now)
    } else if isRunning {
      ready(Launch(), at: now)
    } else {
      try launch(Launch(), at: now)
    }
    isInBackground = false
    // The app calls this when it is opened.
    start(at: now)
  }

  /// Starts tracking; an app with a schedule starts the schedule instead (SDK §16).
  mutating func start(at now: Moment) {
    let (state, schedule) = (host.engine.state, host.configuration.app.schedule)
    guard !schedule.isEmpty else {
      if !state.isEnabled { give(.call(.start), at: now) }
      return
    }
    guard !state.isSchedulerEnabled else { return }
    let times = schedule.joined(separator: ", ")
    lines.append(.note("startSchedule(): the app tracks when its schedule says so, \(times)"))
    give(.call(.startSchedule), at: now)
    if !host.engine.state.isEnabled { lines.append(.note("tracking is off by the schedule; o starts it")) }
  }

  /// Lets the system start the app because of an event that it monitors (SDK §19.2).
  mutating func relaunch(for input: EngineInput, at now: Moment) throws(DatabaseError) {
    guard !isRunning, !isSwitchingOn, input.startsApp(on: settings.platform) else { return }
    let reason =
      switch input {
      case .backgroundFetch: "the app may fetch"
      case .significantChange: "the phone has moved far"
      case .geofenceCrossing: "the phone has crossed a geofence"
      default: "the phone has left the region that the app watches"
      }
    lines.append(.note("\(reason): it is started in the background"))
    try launch(Launch(isInBackground: true), at: now)
  }

  /// Switches the phone on. Android starts the app; iOS waits for a reason to (SDK §19.4).
  mutating func switchOn(at now: Moment) throws(DatabaseError) {
    comesBackAt = nil
    guard settings.platform == .ios else {
      lines.append(.note("the app runs again, in the background"))
      return try launch(Launch(isInBackground: true), at: now)
    }
    fetchesAt = phone.sensors.wantsBackgroundFetch ? now.monotonic + BackgroundFetches.interval : nil
    lines.append(.note("the phone is on again, the app is not"))
  }

  mutating func fetch(at now: Moment) throws(DatabaseError) {
    fetchesAt = nil
    try relaunch(for: .backgroundFetch, at: now)
    give(.backgroundFetch, at: now)
  }

  /// Closes the app, like a user.
  mutating func closeApp(at now: Moment) {
    guard isOpen else { return lines.append(.note("the app is closed already")) }
    give(.terminate, at: now)
    settle(at: now)
    isInBackground = true
    guard !host.isHeadless else { return lines.append(.note("the app is closed; its service goes on")) }
    let app = host.configuration.app
    end(.closed)
    if app.stopOnTerminate {
      lines.append(.note("the app is closed, and tracking with it: stopOnTerminate is true"))
    } else if settings.platform == .ios, host.engine.state.isEnabled {
      lines.append(.note("the app is closed; iOS starts it again when the phone leaves the region"))
    } else {
      lines.append(.note("the app is closed; it was not tracking"))
    }
  }

  mutating func reboot(at now: Moment) {
    let app = host.configuration.app
    end(.switchedOff)
    comesBackAt = now.monotonic + Drive.bootTime
    hasRebooted = true
    let isIOS = settings.platform == .ios
    let goesOn = !app.stopOnTerminate && (app.startOnBoot || isIOS)
    let end =
      !goesOn
      ? "; the app will refuse to track then" : isIOS ? "; iOS starts the app when the phone moves, or to fetch" : ""
    lines.append(.note("the phone restarts, 20 s" + end))
  }

  /// Ends the process without notifying the engine.
  private mutating func end(_ end: ProcessEnd) {
    phone.sensors.endProcess(end, on: settings.platform)
    activity.ask(at: nil)
    dropRequests()
    isRunning = false
    (comesBackAt, fetchesAt) = (nil, nil)
  }
}

extension Drive {
  /// The current network of the phone.
  var network: Connectivity { isInTunnel || isInAirplaneMode ? .none : radio }

  /// Notifies the app and ends open requests, because connections belong to an interface.
  mutating func changeNetwork(at now: Moment) {
    let current = network
    guard current != connectivity else { return }
    connectivity = current
    for id in inFlight.keys.sorted() { giveUp(id, "the network has changed", at: now) }
    if isRunning { give(.connectivity(current), at: now) }
  }

  private mutating func giveUp(_ id: UInt64, _ message: String, at now: Moment) {
    inFlight[id] = nil
    effects.append(.cancel(id))
    lines.append(.note("request \(id) has ended: \(message)"))
    guard isRunning else { return }
    host.answer(id, .failed(.reset, message: message), at: now)
    applyEffects(at: now)
  }

  /// Drops the open requests, which end with the process.
  mutating func dropRequests() {
    for id in inFlight.keys.sorted() { effects.append(.cancel(id)) }
    inFlight = [:]
    phone.outbox = []
  }

  mutating func post() {
    let requests = phone.outbox
    phone.outbox = []
    for request in requests {
      inFlight[request.id] = request
      lines.append(.sent(request))
      effects.append(.send(request))
    }
  }
}

extension Drive {
  /// The latest time for the next call of `advance`; nil without pending events.
  package var nextInstant: MonotonicInstant? {
    var instants = [comesBackAt, fetchesAt, nextFix, body.episode.end]
    if isRunning { instants += [host.nextDeadline, activity.nextInstant, phone.sensors.fetches.due] }
    return instants.compactMap(\.self).min().map { max($0, reached) }
  }

  /// Performs everything that is due.
  package mutating func advance(to now: Moment) throws(DatabaseError) {
    let instant = now.monotonic
    if let comesBackAt, comesBackAt <= instant { try switchOn(at: now) }
    if let fetchesAt, fetchesAt <= instant { try fetch(at: now) }
    body.advance(to: instant)
    activity.observe(body.activity(at: instant), at: instant)
    activity.serve(isAwake: isRunning && phone.sensors.hearsOfRest, at: instant)
    while let due = activity.nextInstant, due <= instant, let report = activity.takeReport() {
      for input in phone.sensors.take(Activity(report, on: settings.platform)) where isRunning { give(input, at: now) }
    }
    if isRunning, let deadline = host.nextDeadline, deadline <= instant {
      host.timersDue(at: now)
      applyEffects(at: now)
    }
    if isRunning, phone.sensors.fetches.take(at: instant) { give(.backgroundFetch, at: now) }
    if let nextFix, nextFix <= instant { try locate(at: now) }
    settle(at: now)
    try commit()
  }

  /// Plans positions: every second while the receiver is on; rarely, from cells, while only regions are monitored.
  mutating func planFixes(at instant: MonotonicInstant) {
    let sensors = phone.sensors
    let wantsGPS = sensors.isSampling || sensors.updates != nil
    if wantsGPS && !isInTunnel { receiver.start(at: instant) } else { receiver.stop(at: instant) }
    guard !isSwitchingOn, wantsGPS || (sensors.watchesRegions && transport != nil) else { return nextFix = nil }
    let interval = wantsGPS ? Drive.fixInterval : CrossingTest.tick
    if nextFix.map({ $0 <= instant || $0 > instant + interval }) ?? true { nextFix = instant + interval }
  }

  private static let fixInterval = Nanoseconds.seconds(1)

  private mutating func locate(at now: Moment) throws(DatabaseError) {
    guard let fix = fix(at: now) else { return }
    for input in phone.sensors.take(fix) {
      try relaunch(for: input, at: now)
      if isRunning { give(input, at: now) }
    }
  }

  private mutating func fix(at now: Moment) -> Fix? {
    let sensors = phone.sensors
    if sensors.isSampling || sensors.updates != nil {
      return receiver.fix(of: body, at: now.monotonic).map { Fix($0, at: now.wall) }
    }
    guard !isInTunnel else { return nil }
    return Fix(network: body.position(at: now.monotonic), at: now.wall)
  }
}
