import Base
import Contract
import Database
import Engine
import Host
import Network
import Upload
import Vocabulary
import World

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
    host.kill()
    host.platform.outbox = []
    loseLines(.clientGone, at: instant, in: site)
    exchanges.removeAll()
    account?.nextAttempt = nil
    receiver.stop(at: instant)
    (occasion, opensAt) = (nil, nil)
    (isDownUntil, isPhoneOff) = (end, isReboot)
    leaveToSystem(process, at: instant)
  }

  /// Its user closes the app. False when its service goes on without it, or when the app has died of it.
  private mutating func close(until end: MonotonicInstant, at instant: MonotonicInstant, in site: Site) -> Bool {
    let now = moment(at: instant, in: site)
    site.tell(.closed, sighting(at: now))
    host.receive(.terminate, at: now)
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
    host.platform = SimulatedPhone(watching: platform == .ios ? host.platform.region : nil)
    if platform == .android {
      (regionTick, regionExit, surroundings) = (nil, nil, nil)
    } else if !process.keepsFetches(on: platform) {
      surroundings?.fetches = BackgroundFetches()
    }
  }

  /// The phone is on, and its system watches something that starts the app.
  var isWatched: Bool { !isPhoneOff && (host.platform.region != nil || surroundings != nil) }

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
    var phone = SimulatedPhone(watching: host.platform.region)
    (phone.recentLog, phone.isLogged) = (host.platform.recentLog, isLogged)
    host = try SimulatedDevice.launch(
      number, key, of: fleet, launches: launches, firstRequest: host.uploader.nextRequestID, on: phone, at: instant,
      in: site)
    begin(launch, at: instant, in: site)
    if !isPresent { stop(at: moment(at: instant, in: site), in: site) }
  }

  /// The user opens an app that the system has started, or over its service.
  mutating func open(at instant: MonotonicInstant, in site: Site) {
    opensAt = nil
    let now = moment(at: instant, in: site)
    site.tell(.opened, sighting(at: now))
    if host.isHeadless { ready(Launch(), at: now, in: site) }
    host.receive(.foreground, at: now)
  }

  /// What the system has seen, for the app, which it starts when it does not run (SDK §19.2).
  mutating func signal(_ input: EngineInput, at now: Moment, in site: Site) throws(DatabaseError) {
    if let due = isDownUntil {
      guard input.startsApp(on: host.configuration.platform) else { return }
      try launch(inBackground: true, at: now.monotonic, in: site)
      if due != .never { opensAt = due }
    }
    host.receive(input, at: now)
  }
}
