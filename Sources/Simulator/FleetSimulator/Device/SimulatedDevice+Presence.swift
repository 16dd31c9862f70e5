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
    if !fleet.setup.geofences.isEmpty { host.receive(.call(.addGeofences(fleet.setup.geofences)), at: now) }
    start(at: now)
  }

  /// An app with a schedule leaves it to the schedule.
  private mutating func start(at now: Moment) {
    let hasSchedule = !fleet.setup.configuration.app.schedule.isEmpty
    host.receive(.call(hasSchedule ? .startSchedule : .start), at: now)
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
      if isDownUntil == nil { start(at: now) }
    } else {
      body.park(at: instant)
      if isDownUntil == nil { stop(at: now) }
    }
  }

  /// What it has goes out first.
  mutating func stop(at now: Moment) {
    if host.queue.count > 0 && !host.uploader.isBusy { host.sync(completion: 0, at: now) }
    if host.engine.state.isSchedulerEnabled { host.receive(.call(.stopSchedule), at: now) }
    host.receive(.call(.stop), at: now)
  }
}
