import Contract
import Engine
import FoundationEssentials
import Host
import Synchronization
import Vocabulary

/// Processes end and start while the phone stays. The system keeps monitoring what an app has registered (region,
/// fences, large moves) while the app does not run, and starts it (SDK §19.2 to §19.4).
extension LinuxPlatform {
  /// The platform's access to the process that runs on it.
  struct Attachment {
    let number: Int
    /// Called in the thread that feeds the sensors.
    let receive: @Sendable ([EngineInput]) -> Void
    let end: @Sendable (ProcessEnd) -> Void
  }

  struct MissedInput {
    let input: EngineInput
    let moment: Moment
  }

  /// Sets the handler that is called when the system starts the app: on iOS because the device has left the region,
  /// crossed a fence or moved far, or for a fetch, while no instance is attached; on Android after `reboot`. The
  /// handler creates a new `BGGeo` on the same folder and calls `ready`: `didLaunchInBackground` is then true, and the
  /// missed events follow `ready`. It runs in the thread that feeds the sensors. There is one handler at a time; nil
  /// removes it. Without one, missed events wait for the next instance.
  public func onRelaunch(_ handler: (@Sendable () -> Void)?) {
    let former = state.withLock { state in
      defer { state.onRelaunch = handler }
      return state.onRelaunch
    }
    // It may hold the last reference to an instance, which detaches itself when it ends.
    withExtendedLifetime(former) {}
  }

  /// Reboots the phone: the running app is killed. Android starts it, and it resumes with `startOnBoot` and without
  /// `stopOnTerminate`; iOS waits until the device leaves the region or the system grants a fetch. The next instance is
  /// the first since the reboot.
  public func reboot() {
    let isAndroid = description.platform == .android
    state.withLock { $0.attachment }?.end(.switchedOff)
    let relaunch = state.withLock { state in
      state.sensors.endProcess(.switchedOff, on: description.platform)
      planFetch(state)
      state.missed = []
      state.launch = Launch(isInBackground: isAndroid, didReboot: true)
      return isAndroid ? state.onRelaunch : nil
    }
    relaunch?()
  }

  /// Sets how the next process starts: by the system instead of the user, and as the first since the device was
  /// switched on. Applies to the next `BGGeo.ready`; `onRelaunch` and `reboot` set it by themselves.
  public func setLaunch(inBackground: Bool, afterReboot: Bool) {
    state.withLock { state in
      state.launch = Launch(isInBackground: inBackground, didReboot: afterReboot)
      if afterReboot && state.attachment == nil {
        state.sensors.endProcess(.switchedOff, on: description.platform)
      }
    }
  }

  /// Returns the launch and resets it: the next one is by the user again.
  func takeLaunch() -> Launch {
    state.withLock { state in
      defer { state.launch = Launch() }
      return state.launch
    }
  }

  /// Returns false when another instance is attached already. `left` holds the demands that an earlier process on the
  /// folder has left with the system, for a platform that did not exist then.
  func attach(_ attachment: Attachment, folder: String?, left: [SensorDemand]) -> Bool {
    state.withLock { state in
      guard state.attachment == nil else { return false }
      state.attachment = attachment
      guard folder == nil || state.folder != folder else { return true }
      (state.folder, state.missed, state.sensors) = (folder, [], PhoneSensors(isPermitted: state.isPermitted))
      if state.launch.didReboot && description.platform == .android { return true }
      for demand in left { state.sensors.apply(demand, at: clock.moment.monotonic) }
      state.sensors.endProcess(.killed, on: description.platform)
      planFetch(state)
      return true
    }
  }

  func detach(_ number: Int, _ end: ProcessEnd) {
    state.withLock { state in
      guard state.attachment?.number == number else { return }
      (state.attachment, state.service) = (nil, nil)
      state.sensors.endProcess(end, on: description.platform)
      planPosition(state)
      planFetch(state)
    }
  }

  func takeMissed() -> [MissedInput] {
    state.withLock { state in
      defer { state.missed = [] }
      return state.missed
    }
  }

  /// Keeps the service of a closed app.
  func keep(service: Device) { state.withLock { $0.service = service } }

  /// The service on that folder, which a newly opened app takes over.
  func service(in folder: String?) -> Device? {
    state.withLock { $0.folder == folder ? $0.service : nil }
  }

  func takeOver(_ attachment: Attachment) {
    state.withLock { ($0.attachment, $0.service) = (attachment, nil) }
  }
}

extension LinuxPlatform.State {
  /// The limit of the engine.
  private static let missedLimit = 1_000

  /// Stores the inputs that start an app while none runs. Returns the handler to call.
  mutating func miss(
    _ inputs: [EngineInput], on platform: DevicePlatform, at now: Moment
  ) -> (@Sendable () -> Void)? {
    let signals = inputs.filter { input in
      input.startsApp(on: platform) && (input != .backgroundFetch || sensors.wantsBackgroundFetch)
    }
    guard !signals.isEmpty else { return nil }
    // The next process gets one fetch, however many there were.
    if signals.contains(.backgroundFetch) { missed.removeAll { $0.input == .backgroundFetch } }
    missed += signals.map { LinuxPlatform.MissedInput(input: $0, moment: now) }
    if missed.count > Self.missedLimit { missed.removeFirst(missed.count - Self.missedLimit) }
    guard let onRelaunch else { return nil }
    launch.isInBackground = true
    return onRelaunch
  }
}

extension LinuxPlatform {
  /// Replays the route: each position is pushed at its time relative to the first one, with that time as its timestamp.
  /// A program's clock is advanced; on the system clock the replay takes the duration of the route divided by `speed`,
  /// which must be positive. Ends early when the task is cancelled.
  public func replay(_ route: Route, speed: Double = 1) async {
    precondition(speed > 0, "a route is driven forwards")
    guard let first = route.locations.first else { return }
    let start = clock.now
    for location in route.locations {
      let due = start.addingTimeInterval(location.timestamp.timeIntervalSince(first.timestamp) / speed)
      await clock.wait(until: due)
      if Task.isCancelled { return }
      push(location.taken(at: clock.now))
    }
  }
}

extension CLLocation {
  fileprivate func taken(at date: Date) -> CLLocation {
    CLLocation(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
      speedAccuracy: speedAccuracy, ellipsoidalAltitude: ellipsoidalAltitude, timestamp: date)
  }
}
