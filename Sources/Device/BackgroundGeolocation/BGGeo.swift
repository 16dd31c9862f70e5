import Base
import Contract
import Engine
import FoundationEssentials
import Host
import Vocabulary

/// The SDK: tracks a device, watches its geofences, stores its records and uploads them.
///
/// Add listeners first, then call `ready` once for each launch, then `start`. Until `ready`, no events are delivered,
/// nothing is recorded or uploaded, and calls that need the device wait; reading works.
///
/// `shared` is the instance of an app. Tests and simulations create any number of instances, each with its own folder
/// and platform. All members are thread-safe. The callback queue of the instance calls listeners one at a time, in the
/// order of the events, each on the actor on which it was added.
public final class BGGeo: Sendable {
  /// The configuration.
  public let config: Config
  /// The records that no server has acknowledged yet.
  public let store: DataStore
  /// The geofences.
  public let geofences: GeofenceManager
  /// The log.
  public let logger: Logger
  /// The motion sensors of the phone.
  public let sensors: Sensors
  /// Background execution time.
  public let app: App
  /// The permission to use the location.
  public let authorization: Authorization
  /// Settings of the phone.
  public let deviceSettings: DeviceSettings
  /// The platform under this instance.
  public let platform: LinuxPlatform
  let device: Device

  /// Creates an instance that stores its files in `folder`, which is created if necessary; nil keeps everything in memory.
  /// `seed` determines the uuids of the records; each launch on the same folder needs another one. Throws `BGGeoError` when the
  /// folder cannot be used or belongs to another process, or when another instance uses the platform.
  public convenience init(
    folder: String?, platform: LinuxPlatform, callbackQueue: CallbackQueue = CallbackQueue(), seed: UInt64? = nil
  ) throws {
    do {
      if let folder { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    } catch { throw BGGeoError("cannot create the folder: \(error)") }
    let seed = seed ?? UInt64.random(in: .min ... .max)
    self.init(try Device(folder: folder, platform: platform, callbacks: callbackQueue, seed: seed))
  }

  private init(_ device: Device) {
    self.device = device
    platform = device.platform
    config = Config(device)
    store = DataStore(device)
    geofences = GeofenceManager(device)
    logger = Logger(device)
    sensors = Sensors(device)
    app = App(device)
    authorization = Authorization(device)
    deviceSettings = DeviceSettings(device)
  }

  /// The instance of the app. Its folder is `BGGEO_FOLDER` of the environment, else `BackgroundGeolocation` in the
  /// working directory; if it cannot be used, everything stays in memory and the log says why. Its `platform` is a
  /// `LinuxPlatform` on the system clock.
  public static let shared = makeShared(
    folder: ProcessInfo.processInfo.environment["BGGEO_FOLDER"] ?? "BackgroundGeolocation")

  /// The error is written at any log level, because nothing has configured the level yet.
  static func makeShared(folder: String) -> BGGeo {
    do {
      return try BGGeo(folder: folder, platform: LinuxPlatform())
    } catch {
      do {
        let inMemory = try BGGeo(folder: nil, platform: LinuxPlatform())
        inMemory.device.perform { core, now in
          let entry = LogEntry.error("\(folder) is not used, everything stays in memory: \(error)")
          core.log.append(entry, at: now.wall)
        }
        return inMemory
      } catch { preconditionFailure("SQLite cannot open a database in memory: \(error)") }
    }
  }

  /// The queue that calls listeners which were not added on an actor. Set it before adding listeners: earlier events are
  /// delivered on the queue of their time. With it, `shared` too can have a queue that the program drains itself.
  public var callbackQueue: CallbackQueue {
    get { device.callbacks }
    set { device.callbacks = newValue }
  }

  /// The current state of the SDK.
  public var state: State { device.state }
  /// Whether tracking is on.
  public var enabled: Bool { state.enabled }

  /// Signals that the app has launched, and configures the SDK. Call it once for each launch; a second call only logs a
  /// warning.
  ///
  /// On the first launch, and on later ones when `reset` is true, `configure` starts from the defaults. When `reset` is
  /// false on a later launch, `configure` is not called and the stored configuration is used. The URLs and tokens of
  /// `transistorAuthorizationToken` always take precedence. Then expired records are deleted, `providerchange` reports the
  /// permissions, and tracking and the schedule resume if they were on.
  public func ready(
    reset: Bool = true, transistorAuthorizationToken token: TransistorToken? = nil,
    _ configure: @escaping (Config) -> Void
  ) {
    device.ready(reset: reset, token: token?.contract, configure)
  }

  /// Starts tracking: the device takes a position, then rests until it moves. Returns at once. If tracking is already on, a
  /// warning is logged; in geofence mode, the mode changes. Overrides the schedule until its next end. Throws `LocationError`
  /// 499 when the instance is closed. A refused permission is not an error here: `onProviderChange` and `onLocation` report it.
  public func start() async throws { try run(.start) }

  /// Starts geofence mode, in which only crossings are recorded. Otherwise like `start`.
  public func startGeofences() async throws { try run(.startGeofences) }

  /// Stops tracking. The schedule and uploads continue.
  public func stop() { device.call(.stop) }

  /// Sets the motion state, overriding the sensors. While tracking is off the call is ignored, with a warning in the log.
  public func changePace(_ isMoving: Bool) { device.call(.changePace(isMoving: isMoving)) }

  /// Lets the configured schedule switch tracking on and off. Logs a warning when there is none.
  public func startSchedule() { device.call(.startSchedule) }

  /// Stops the schedule. Tracking keeps its current state.
  public func stopSchedule() { device.call(.stopSchedule) }

  /// Ends the process as if it were killed: stored data stays in the folder for the next instance, and the platform keeps
  /// watching what the SDK has registered. Pending requests fail with `LocationError` 499, and later calls have no effect.
  public func close() { device.close() }

  /// The user closes the app. Unless `stopOnTerminate` is false, tracking stops and the process ends as with `close`.
  ///
  /// If it is false, iOS keeps monitoring a region, whose exit starts the app: see `LinuxPlatform.onRelaunch`. Android
  /// continues without the app: the platform keeps the device, which records and uploads without listeners, until a new
  /// `BGGeo` on the same folder and platform takes it over, or `close` is called here.
  public func terminate() { device.terminate() }

  private func run(_ call: EngineCall) throws(LocationError) {
    let isDone: Void? = device.perform { $0.host.receive(.call(call), at: $1) }
    if isDone == nil { throw .cancelled }
  }
}

/// The names of the types in newer versions of the SDK.
extension BGGeo {
  /// An alias of the module's type.
  public typealias Geofence = BackgroundGeolocation.Geofence
  /// An alias of the module's type.
  public typealias LocationEvent = BackgroundGeolocation.LocationEvent
  /// An alias of the module's type.
  public typealias GeofenceEvent = BackgroundGeolocation.GeofenceEvent
  /// An alias of the module's type.
  public typealias HttpEvent = BackgroundGeolocation.HttpEvent
  /// An alias of the module's type.
  public typealias EventSubscription = BackgroundGeolocation.EventSubscription
  /// An alias of the module's type.
  public typealias State = BackgroundGeolocation.State
  /// An alias of the module's type.
  public typealias LogLevel = BackgroundGeolocation.LogLevel
  /// An alias of the module's type.
  public typealias PersistMode = BackgroundGeolocation.PersistMode
  /// An alias of the module's type.
  public typealias TrackingMode = BackgroundGeolocation.TrackingMode
  /// An alias of the module's type.
  public typealias TransistorToken = BackgroundGeolocation.TransistorToken
  /// An alias of the module's type.
  public typealias TransistorAuthorizationService = BackgroundGeolocation.TransistorAuthorizationService
}
