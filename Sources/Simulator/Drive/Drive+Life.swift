import Base
import Contract
import Database
import Engine
import Host
import Upload
import Vocabulary

/// The app and the phone, switched off and on.
extension Drive {
  private static let bootTime = Nanoseconds.seconds(20)
  private static let restartTime = Nanoseconds.seconds(5)

  /// The first input of every launch.
  mutating func begin(_ launch: Launch, at now: Moment) {
    isRunning = true
    isInBackground = launch.isInBackground
    connectivity = .none
    changeNetwork(at: now)
    host.receive(.battery(battery), at: now)
    let settings = settings
    host.ready(launch, at: now) { settings.ready(kept: $0) }
  }

  mutating func launch(_ launch: Launch, at now: Moment) throws(DatabaseError) {
    comesBackAt = nil
    isSwitchingOn = false
    launches += 1
    host = try DeviceHost(
      settings.description, on: host.platform, database: database, device: 0,
      identity: RandomStream(seed: settings.seed, device: 0, concern: Drive.identityConcern + launches),
      firstRequest: host.uploader.nextRequestID, scratch: scratch, at: now)
    begin(launch, at: now)
  }

  mutating func comeBack(at now: Moment) throws(DatabaseError) {
    lines.append(.note("the app runs again, in the background"))
    try launch(Launch(isInBackground: true, didReboot: isSwitchingOn), at: now)
  }

  /// As when its user closes it.
  mutating func closeApp(at now: Moment) {
    guard isRunning else { return lines.append(.note("the app is closed already")) }
    host.receive(.terminate, at: now)
    settle(at: now)
    let app = host.configuration.app
    end()
    if app.stopOnTerminate {
      lines.append(.note("the app is closed, and tracking with it: stopOnTerminate is true"))
    } else if settings.platform == .android {
      comesBackAt = now.monotonic + Drive.restartTime
      lines.append(.note("the app is closed; its service starts again in 5 s"))
    } else {
      lines.append(.note("the app is closed; iOS starts it again when the phone leaves the region"))
    }
  }

  mutating func reboot(at now: Moment) {
    let app = host.configuration.app
    end()
    comesBackAt = now.monotonic + Drive.bootTime
    isSwitchingOn = true
    let goesOn = !app.stopOnTerminate && (app.startOnBoot || settings.platform == .ios)
    lines.append(.note("the phone restarts, 20 s" + (goesOn ? "" : "; the app will refuse to track then")))
  }

  /// The process ends without a word to the engine.
  private mutating func end() {
    if isRunning { host.kill() }
    dropRequests()
    isRunning = false
    comesBackAt = nil
    isSwitchingOn = false
  }
}
