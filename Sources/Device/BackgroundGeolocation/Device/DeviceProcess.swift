import Synchronization

/// What runs on the phone for an app. On Android it outlives the app that has made it, and the next one takes it over.
final class DeviceProcess: Sendable {
  /// Nil once it is closed.
  let core: Mutex<DeviceCore?>

  init(_ core: sending DeviceCore) { self.core = Mutex(core) }

  /// To whom answers from the network go.
  var holder: Device? { core.withLock { $0?.holder } }
}
