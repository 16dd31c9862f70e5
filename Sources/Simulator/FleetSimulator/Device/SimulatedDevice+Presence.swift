import Base
import Contract
import Engine
import Host
import Queue
import Upload
import Vocabulary
import World

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
      host.receive(.call(.addGeofences(fleet.setup.geofences)), at: now)
    }
    start(at: now, in: site)
  }

  /// An app with a schedule leaves it to the schedule.
  private mutating func start(at now: Moment, in site: Site) {
    let hasSchedule = !fleet.setup.configuration.app.schedule.isEmpty
    let startsGeofences = fleet.setup.startsGeofencesOnly
    site.tell(
      .asked(hasSchedule ? .startSchedule : startsGeofences ? .startGeofences : .start), sighting(at: now))
    host.receive(.call(hasSchedule ? .startSchedule : startsGeofences ? .startGeofences : .start), at: now)
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
    if host.queue.count > 0 && !host.uploader.isBusy { host.sync(completion: 0, at: now) }
    if !fleet.setup.configuration.app.schedule.isEmpty {
      site.tell(.asked(.stopSchedule), sighting(at: now))
    }
    if host.engine.state.isSchedulerEnabled { host.receive(.call(.stopSchedule), at: now) }
    site.tell(.asked(.stop), sighting(at: now))
    host.receive(.call(.stop), at: now)
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
