package import Base
import Contract
package import Database
import Engine
import Host
import Sensing
package import Vocabulary
import World

extension Drive {
  /// When `advance` is wanted at the latest; nil while nothing can happen by itself.
  package var nextInstant: MonotonicInstant? {
    var instants = [comesBackAt, fetchesAt, nextFix, body.episode.end]
    if isRunning { instants += [host.nextDeadline, activity.nextInstant, host.platform.sensors.fetches.due] }
    return instants.compactMap(\.self).min()
  }

  /// Everything that is due by now.
  package mutating func advance(to now: Moment) throws(DatabaseError) {
    let instant = now.monotonic
    if let comesBackAt, comesBackAt <= instant { try switchOn(at: now) }
    if let fetchesAt, fetchesAt <= instant { try fetch(at: now) }
    body.advance(to: instant)
    activity.observe(body.activity(at: instant), at: instant)
    while let due = activity.nextInstant, due <= instant, let report = activity.takeReport() {
      for input in host.platform.sensors.take(Activity(report)) where isRunning { host.receive(input, at: now) }
    }
    if isRunning, let deadline = host.nextDeadline, deadline <= instant { host.timersDue(at: now) }
    if isRunning, host.platform.sensors.fetches.take(at: instant) { host.receive(.backgroundFetch, at: now) }
    if let nextFix, nextFix <= instant { try locate(at: now) }
    settle(at: now)
    try commit()
  }

  /// A second apart while the receiver is on; while only rims are watched, seldom, by the masts around.
  mutating func planFixes(at instant: MonotonicInstant) {
    let sensors = host.platform.sensors
    let wantsGPS = sensors.isSampling || sensors.updates != nil
    if wantsGPS && !isInTunnel { receiver.start(at: instant) } else { receiver.stop(at: instant) }
    guard !isSwitchingOn, wantsGPS || (sensors.watchesRegions && transport != nil) else { return nextFix = nil }
    let interval = wantsGPS ? Drive.fixInterval : CrossingTest.tick
    if nextFix.map({ $0 <= instant || $0 > instant + interval }) ?? true { nextFix = instant + interval }
  }

  private static let fixInterval = Nanoseconds.seconds(1)
  private static let networkAccuracyMetres = 25.0

  private mutating func locate(at now: Moment) throws(DatabaseError) {
    guard let fix = fix(at: now) else { return }
    for input in host.platform.sensors.take(fix) {
      try relaunch(for: input, at: now)
      if isRunning { host.receive(input, at: now) }
    }
  }

  private mutating func fix(at now: Moment) -> Fix? {
    let sensors = host.platform.sensors
    if sensors.isSampling || sensors.updates != nil {
      return receiver.fix(of: body, at: now.monotonic).map { Fix($0, at: now.wall) }
    }
    guard !isInTunnel else { return nil }
    let place = body.position(at: now.monotonic)
    var coords = Coordinates(latitude: place.latitude, longitude: place.longitude)
    coords.accuracy = Drive.networkAccuracyMetres
    return Fix(coords: coords, timestamp: now.wall)
  }
}
