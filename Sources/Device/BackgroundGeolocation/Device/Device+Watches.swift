import Base
import Contract
import Engine
import Host
import Vocabulary

/// One stream of positions and who looks at it.
struct Watcher: Sendable {
  let success: Callback<LocationEvent>
  let failure: Callback<any Error>
  let patience: Nanoseconds
  /// Without a position until then, `failure` hears of it.
  var deadline: MonotonicInstant
}

extension Device {
  /// `watcher` makes one for the time that it is given.
  func watch(
    intervalMilliseconds: Double, persist: Bool?, extras: RenderedObject,
    watcher: (MonotonicInstant) -> Watcher
  ) -> Int {
    perform { core, now in
      let id = core.waiting.makeID()
      core.waiting.watches[id] = watcher(now.monotonic)
      var request = WatchRequest(id: id)
      request.intervalMilliseconds = intervalMilliseconds
      request.persist = persist
      request.extras = extras
      core.host.receive(.call(.watchPosition(request)), at: now)
      return id
    } ?? 0
  }

  func stopWatch(_ number: Int) {
    perform { core, now in
      guard core.waiting.watches.removeValue(forKey: number) != nil else { return }
      core.host.receive(.call(.stopWatchPosition(id: number)), at: now)
    }
  }

  /// Those who have waited too long, in the order of their numbers.
  func expireWatches(_ core: inout DeviceCore, at now: Moment) {
    for id in core.waiting.watches.keys.sorted() {
      guard var watcher = core.waiting.watches[id], watcher.deadline <= now.monotonic else { continue }
      watcher.deadline = now.monotonic + watcher.patience
      core.waiting.watches[id] = watcher
      callbacks.add { [failure = watcher.failure] in [failure.call(LocationError.timeout)] }
    }
  }
}
