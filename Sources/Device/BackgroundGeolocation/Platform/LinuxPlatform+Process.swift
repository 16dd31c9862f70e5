import Contract
import Engine
import FoundationEssentials
import Host
import Synchronization
import Vocabulary

/// Processes come and go, the phone stays. What an app has asked the system to watch, its region, its fences, large
/// moves, is watched on while the app does not run, and starts it (SDK §19.2 to §19.4).
extension LinuxPlatform {
  /// How the platform reaches the process that runs on it.
  struct Attachment {
    let number: Int
    /// Called in the thread that tells the sensors.
    let receive: @Sendable ([EngineInput]) -> Void
    let end: @Sendable (ProcessEnd) -> Void
  }

  struct MissedInput {
    let input: EngineInput
    let moment: Moment
  }

  /// Called when the system starts the app: iOS because the device has left the region, crossed a fence or moved far, or
  /// for a fetch, while no instance is attached; Android after `reboot`. It makes a new `BGGeo` on the same folder and calls
  /// `ready`: `didLaunchInBackground` says true then, and what the system has seen follows `ready`. Called in the thread
  /// that tells the sensors; one handler at a time, nil takes it away. Without one, what the system has seen waits for
  /// the next instance.
  public func onRelaunch(_ handler: (@Sendable () -> Void)?) {
    state.withLock { $0.onRelaunch = handler }
  }

  /// The phone is switched off and on again: the app that runs on it is killed. Android starts it, and it goes on with
  /// `startOnBoot` and without `stopOnTerminate`; iOS waits until the device leaves the region or the system lets the
  /// app fetch. The next instance is the first since the reboot.
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

  /// How the next process comes to life: by the system instead of the user, and as the first since the device was
  /// switched on. Counts for the next `BGGeo.ready`; `onRelaunch` and `reboot` say it by themselves.
  public func setLaunch(inBackground: Bool, afterReboot: Bool) {
    state.withLock { state in
      state.launch = Launch(isInBackground: inBackground, didReboot: afterReboot)
      if afterReboot && state.attachment == nil {
        state.sensors.endProcess(.switchedOff, on: description.platform)
      }
    }
  }

  /// The one after is the user's again.
  func takeLaunch() -> Launch {
    state.withLock { state in
      defer { state.launch = Launch() }
      return state.launch
    }
  }

  /// False when another instance is attached already. `left` is what an earlier process on the folder has left with the
  /// system, for a platform that was not there then.
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

  /// Its app is closed and the service goes on.
  func keep(service: Device) { state.withLock { $0.service = service } }

  /// The service on that folder, which the app that is opened takes over.
  func service(in folder: String?) -> Device? {
    state.withLock { $0.folder == folder ? $0.service : nil }
  }

  func takeOver(_ attachment: Attachment) {
    state.withLock { ($0.attachment, $0.service) = (attachment, nil) }
  }
}

extension LinuxPlatform.State {
  /// As much as an engine holds.
  private static let missedLimit = 1_000

  /// No app runs: what starts it waits for it. Gives what is to be called for that.
  mutating func miss(
    _ inputs: [EngineInput], on platform: DevicePlatform, at now: Moment
  ) -> (@Sendable () -> Void)? {
    let signals = inputs.filter { input in
      input.startsApp(on: platform) && (input != .backgroundFetch || sensors.wantsBackgroundFetch)
    }
    guard !signals.isEmpty else { return nil }
    // The next process finds one fetch, however many there were.
    if signals.contains(.backgroundFetch) { missed.removeAll { $0.input == .backgroundFetch } }
    missed += signals.map { LinuxPlatform.MissedInput(input: $0, moment: now) }
    if missed.count > Self.missedLimit { missed.removeFirst(missed.count - Self.missedLimit) }
    guard let onRelaunch else { return nil }
    launch.isInBackground = true
    return onRelaunch
  }
}

extension LinuxPlatform {
  /// Drives the route: each position is pushed when its time has come, measured from the first one, and says that it
  /// was taken then. On a clock of the program, that clock is advanced; on the machine's, it takes as long as the route
  /// took, divided by `speed`, which must be more than 0. Ends early when the task is cancelled.
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
