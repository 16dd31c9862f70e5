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
    if host.platform.wantsActivities { next = earlier(next, sensor.nextInstant) }
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
        dieIfDead(at: instant, in: site)
      }
    }
    if isHealed {
      if isDownUntil == nil { sync(at: now) }
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
      host.receive(.connectivity(links[current].connectivity), at: now)
    }
  }

  /// Faults are over, the phone is on, the app runs and has a network; nobody goes anywhere any more.
  mutating func heal(at instant: MonotonicInstant, in site: Site) throws(DatabaseError) {
    guard isInstalled else { return isHealed = true }
    healFaults(at: instant, in: site)
    if isDownUntil != nil { try comeBack(at: instant, in: site) }
    isHealed = true
    let now = site.setup.moment(at: instant)
    site.trace.note(.healed, UInt64(host.queue.count), of: number, at: instant)
    site.tell(.healed, sighting(at: now))
    receiver.stop(at: instant)
    changeNetwork(at: now, in: site)
    sync(at: now)
    finish(at: instant, in: site)
  }

  /// Asks the app to deliver what it has, until nothing waits.
  private mutating func sync(at now: Moment) {
    guard host.queue.count > 0 else { return nextSync = nil }
    if let nextSync, nextSync > now.monotonic { return }
    guard !host.uploader.isBusy else { return nextSync = now.monotonic + SimulatedDevice.busyInterval }
    nextSync = now.monotonic + SimulatedDevice.syncInterval
    host.sync(completion: 0, at: now)
  }

  private static let syncInterval = Nanoseconds.seconds(15)
  /// A flush that is running will not take along what it did not find.
  private static let busyInterval = Nanoseconds.milliseconds(500)
}

private func earlier(_ left: MonotonicInstant?, _ right: MonotonicInstant?) -> MonotonicInstant? {
  guard let left, let right else { return left ?? right }
  return min(left, right)
}
