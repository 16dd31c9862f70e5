import Base
import Contract
import Engine
import Host
import JSON
import Threads
import Vocabulary

extension Device {
  /// The configuration; the defaults once the device is closed.
  var configuration: Configuration {
    perform { core, _ in core.host.configuration } ?? Configuration(platform: platform.description.platform)
  }

  var state: State { State(perform { core, _ in core.host.state } ?? JSONObject()) }
  var isFirstBoot: Bool { state.isFirstBoot }

  func edit(warnings: [ConfigurationWarning], _ change: (inout Configuration) -> Void) {
    perform { core, now in
      core.host.edit(at: now) { configuration in
        var result = configuration.edit(change)
        result.warnings = warnings + result.warnings
        return result
      }
    }
  }

  /// `configure` runs outside the lock, because it may call anything.
  func ready(reset: Bool, token: Contract.TransistorToken?, _ configure: (Config) -> Void) {
    let kept = configuration
    let isFirst = isFirstBoot
    var draft: (configuration: Configuration, warnings: [ConfigurationWarning])?
    if isFirst || reset {
      let base = ConfigurationDraft(kept.defaults)
      configure(Config(base, isFirstBoot: isFirst))
      draft = base.result
    }
    perform { core, now in
      guard !core.host.isReady || core.host.isHeadless else {
        return core.note(.warning("ready was called already"), at: now)
      }
      core.writeBanner(draft?.configuration ?? kept, at: now)
      core.host.ready(platform.takeLaunch(), at: now) { persisted in
        var result = Configuration.ready(
          platform: kept.platform, persisted: persisted, reset: reset, token: token
        ) { configuration in
          if let draft { configuration = draft.configuration }
        }
        result.change.warnings = (draft?.warnings ?? []) + result.change.warnings
        return result
      }
      core.waiting.resume(at: now)
    }
  }

  /// Waits for `ready`, as calls that ask the user must (BGGeo 35).
  func untilReady() async throws {
    guard let id = perform({ core, _ in core.waiting.makeID() }) else { throw LocationError.cancelled }
    try await answer(
      ask: { core, continuation, _ in
        if core.host.isReady { continuation.resume() } else { core.waiting.readiness[id] = continuation }
      }, cancel: { core in core.waiting.readiness.removeValue(forKey: id) })
  }
}

extension Configuration {
  fileprivate var defaults: Configuration {
    var defaults = self
    _ = defaults.reset()
    return defaults
  }
}

/// One stream of positions and its callbacks.
struct PositionWatch: Sendable {
  private let success: Callback<LocationEvent>
  private let failure: Callback<any Error>
  private let patience: Nanoseconds
  /// Shared with the calls that wait on the callback queue.
  private let hasEnded = AtomicFlag()
  /// The instant at which `failure` is called unless a position arrives. Nil before `ready`.
  private(set) var deadline: MonotonicInstant?

  init(success: Callback<LocationEvent>, failure: Callback<any Error>, patience: Nanoseconds) {
    (self.success, self.failure, self.patience) = (success, failure, patience)
  }

  func succeed(_ location: LocationEvent) -> CallbackQueue.Call {
    success.call(location) { [hasEnded] in !hasEnded.isRaised }
  }

  func fail(_ error: any Error) -> CallbackQueue.Call {
    failure.call(error) { [hasEnded] in !hasEnded.isRaised }
  }

  /// Leaves out the calls that wait on the callback queue.
  func end() { hasEnded.raise() }

  /// Starts or restarts the timeout.
  mutating func begin(at now: Moment) { deadline = now.monotonic + patience }
}

extension Device {
  func watch(intervalMilliseconds: Double, persist: Bool?, extras: RenderedObject, watcher: PositionWatch) -> Int {
    perform { core, now in
      let id = core.waiting.makeID()
      core.waiting.watches[id] = watcher
      if core.host.isReady { core.waiting.watches[id]?.begin(at: now) }
      var request = WatchRequest(id: id)
      request.intervalMilliseconds = intervalMilliseconds
      request.persist = persist
      request.extras = extras
      core.host.receive(.call(.watchPosition(request)), at: now)
      return id
    } ?? 0
  }

  /// The closures of the watch end outside the lock, because what they hold may call anything when it ends.
  func stopWatch(_ number: Int) {
    let ended = perform { core, now -> PositionWatch? in
      guard let watch = core.waiting.watches.removeValue(forKey: number) else { return nil }
      watch.end()
      core.host.receive(.call(.stopWatchPosition(id: number)), at: now)
      return watch
    }
    withExtendedLifetime(ended) {}
  }

  /// Reports the watches that have timed out, in the order of their numbers.
  func expireWatches(_ core: inout DeviceCore, at now: Moment) {
    for id in core.waiting.watches.keys.sorted() {
      guard let watcher = core.waiting.watches[id], let deadline = watcher.deadline, deadline <= now.monotonic else {
        continue
      }
      core.waiting.watches[id]?.begin(at: now)
      callbacks.add { [watcher.fail(LocationError.timeout)] }
    }
  }
}
