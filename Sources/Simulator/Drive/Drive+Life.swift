import Base
import Contract
import Database
import DeviceLog
import Engine
import Host
import Upload
import Vocabulary

/// The app and the phone, switched off and on.
extension Drive {
  private static let bootTime = Nanoseconds.seconds(20)

  /// The app, and not only its service.
  var isOpen: Bool { isRunning && !host.isHeadless }

  /// The first input of every launch.
  mutating func begin(_ launch: Launch, at now: Moment) {
    isRunning = true
    isInBackground = launch.isInBackground
    connectivity = .none
    changeNetwork(at: now)
    host.receive(.battery(battery), at: now)
    host.receive(.screen(isOn: isScreenOn), at: now)
    ready(launch, at: now)
  }

  private mutating func ready(_ launch: Launch, at now: Moment) {
    let settings = settings
    host.platform.recentLog.begin(settings.ready(kept: nil).configuration, at: now.wall)
    host.ready(launch, at: now) { settings.ready(kept: $0) }
  }

  private mutating func launch(_ launch: Launch, at now: Moment) throws(DatabaseError) {
    var launch = launch
    launch.didReboot = hasRebooted
    (comesBackAt, fetchesAt, isSwitchingOn, hasRebooted) = (nil, nil, false, false)
    launches += 1
    host = try DeviceHost(
      settings.description, on: host.platform, database: database, device: 0,
      identity: RandomStream(seed: settings.seed, device: 0, concern: Drive.identityConcern + launches),
      quirks: settings.quirks, firstRequest: host.uploader.nextRequestID, scratch: scratch, at: now)
    begin(launch, at: now)
  }

  /// The user opens the app, over its service when that has gone on.
  mutating func openApp(at now: Moment) throws(DatabaseError) {
    guard !isSwitchingOn else { return lines.append(.note("the phone is still restarting")) }
    guard !isOpen else { return lines.append(.note("the app is open already")) }
    lines.append(.note("you open the app"))
    if isRunning { ready(Launch(), at: now) } else { try launch(Launch(), at: now) }
    isInBackground = false
    // What the app does when it is opened.
    if !host.engine.state.isEnabled { host.receive(.call(.start), at: now) }
  }

  /// The system starts the app, for what it watches (SDK §19.2).
  mutating func relaunch(for input: EngineInput, at now: Moment) throws(DatabaseError) {
    guard !isRunning, !isSwitchingOn, input.startsApp(on: settings.platform) else { return }
    let reason = input == .backgroundFetch ? "the app may fetch" : "the phone has left the region that the app watches"
    lines.append(.note("\(reason): it is started in the background"))
    try launch(Launch(isInBackground: true), at: now)
  }

  /// The phone is on again. Android starts the app; iOS waits until it has a reason to (SDK §19.4).
  mutating func switchOn(at now: Moment) throws(DatabaseError) {
    (comesBackAt, isSwitchingOn) = (nil, false)
    guard settings.platform == .ios else {
      lines.append(.note("the app runs again, in the background"))
      return try launch(Launch(isInBackground: true), at: now)
    }
    fetchesAt = host.platform.sensors.wantsBackgroundFetch ? now.monotonic + BackgroundFetches.interval : nil
    lines.append(.note("the phone is on again, the app is not"))
  }

  mutating func fetch(at now: Moment) throws(DatabaseError) {
    fetchesAt = nil
    try relaunch(for: .backgroundFetch, at: now)
    host.receive(.backgroundFetch, at: now)
  }

  /// As when its user closes it.
  mutating func closeApp(at now: Moment) {
    guard isOpen else { return lines.append(.note("the app is closed already")) }
    host.receive(.terminate, at: now)
    settle(at: now)
    isInBackground = true
    guard !host.isHeadless else { return lines.append(.note("the app is closed; its service goes on")) }
    let app = host.configuration.app
    end(.closed)
    if app.stopOnTerminate {
      lines.append(.note("the app is closed, and tracking with it: stopOnTerminate is true"))
    } else if settings.platform == .ios {
      lines.append(.note("the app is closed; iOS starts it again when the phone leaves the region"))
    } else {
      lines.append(.note("the app is closed; it was not tracking"))
    }
  }

  mutating func reboot(at now: Moment) {
    let app = host.configuration.app
    end(.switchedOff)
    comesBackAt = now.monotonic + Drive.bootTime
    (isSwitchingOn, hasRebooted) = (true, true)
    let isIOS = settings.platform == .ios
    let goesOn = !app.stopOnTerminate && (app.startOnBoot || isIOS)
    let end =
      !goesOn
      ? "; the app will refuse to track then" : isIOS ? "; iOS starts the app when the phone moves, or to fetch" : ""
    lines.append(.note("the phone restarts, 20 s" + end))
  }

  /// The process ends without a word to the engine.
  private mutating func end(_ end: ProcessEnd) {
    if isRunning { host.kill() }
    host.platform.sensors.endProcess(end, on: settings.platform)
    dropRequests()
    isRunning = false
    (comesBackAt, fetchesAt) = (nil, nil)
    isSwitchingOn = false
  }
}
