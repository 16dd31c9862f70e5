import Base
import Contract
import Engine
import FoundationEssentials
import Host
import Vocabulary

/// The SDK: tracks a device, watches its geofences, keeps its records and uploads them.
///
/// Add listeners first, then call `ready` once for each launch, then `start`. Until `ready`, events are not delivered,
/// nothing is recorded and nothing uploaded, and what is asked of the device waits; reading is fine.
///
/// `shared` is the instance of an app. Tests and simulations make as many as they like, each with a folder and a
/// platform of its own. All members may be used from any thread. Listeners are called one after the other by
/// the instance's queue of callbacks, in the order in which things happened, each on the actor on which it was added.
public final class BGGeo: Sendable {
  /// What an app may configure.
  public let config: Config
  /// The records that no server has taken yet.
  public let store: DataStore
  /// The geofences.
  public let geofences: GeofenceManager
  /// The log.
  public let logger: Logger
  /// Which motion sensors there are.
  public let sensors: Sensors
  /// Time to work in the background.
  public let app: App
  /// The permission to use positions.
  public let authorization: Authorization
  /// How the phone is set up.
  public let deviceSettings: DeviceSettings
  /// The phone under this instance.
  public let platform: LinuxPlatform
  let device: Device

  /// An instance that keeps its files in `folder`, which is made if there is none; nil keeps everything in memory.
  /// `seed` decides the uuids of the records; each launch on the same folder needs another one. Throws `BGGeoError`
  /// when the folder cannot be used, belongs to another process, or the platform is used by another instance.
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

  /// The instance of the app. Its folder is that in the environment's `BGGEO_FOLDER`, else `BackgroundGeolocation` in
  /// the current one; when it cannot be used, everything stays in memory and the log says why. Its platform is a
  /// `LinuxPlatform` on the clock of the machine, to be found in `platform`.
  public static let shared = makeShared(
    folder: ProcessInfo.processInfo.environment["BGGEO_FOLDER"] ?? "BackgroundGeolocation")

  /// The error is written whatever the level of the log is, which nothing has configured yet.
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

  /// Where listeners are called that were added on no actor. Set it before listeners are added: what has happened before
  /// is called on the queue that was there then. So `shared` too can have a queue that the program empties.
  public var callbackQueue: CallbackQueue {
    get { device.callbacks }
    set { device.callbacks = newValue }
  }

  /// What the SDK does now.
  public var state: State { device.state }
  /// Whether tracking is on.
  public var enabled: Bool { state.enabled }

  /// Tells the SDK that the app is there, and with which configuration; once for each launch, a second call is a
  /// warning in the log.
  ///
  /// On the first launch `configure` works on the defaults. Later too when `reset` is true; when it is false, it is not
  /// called, and what was kept counts. The urls and tokens of `transistorAuthorizationToken` come last in every case.
  /// Then records that have grown too old are deleted, `providerchange` tells the permissions, and tracking and the
  /// schedule go on if they were on.
  public func ready(
    reset: Bool = true, transistorAuthorizationToken token: TransistorToken? = nil,
    _ configure: @escaping (Config) -> Void
  ) {
    device.ready(reset: reset, token: token?.contract, configure)
  }

  /// Switches tracking on: the device takes a position, and then rests until it moves. Returns at once. When tracking
  /// is on already, that is a warning in the log; in the mode of geofences, the mode changes. Overrides the schedule
  /// until its next end. Throws `LocationError` 499 when the instance is closed. A refused permission is no error here:
  /// `onProviderChange` and `onLocation` tell of it.
  public func start() async throws { try run(.start) }

  /// Switches the mode of geofences on: only crossings are recorded. Otherwise like `start`.
  public func startGeofences() async throws { try run(.startGeofences) }

  /// Switches tracking off. The schedule and uploads go on.
  public func stop() { device.call(.stop) }

  /// Says whether the device moves, whatever its sensors say. Ignored with a warning in the log while tracking is off.
  public func changePace(_ isMoving: Bool) { device.call(.changePace(isMoving: isMoving)) }

  /// Lets the configured schedule switch tracking on and off. A warning in the log when there is none.
  public func startSchedule() { device.call(.startSchedule) }

  /// Ends that. Tracking stays as it is.
  public func stopSchedule() { device.call(.stopSchedule) }

  /// The process ends here, as if it were killed: what was stored stays in the folder, for the next instance, and the
  /// platform watches on what the SDK has left with it. Requests that wait for an answer get `LocationError` 499, and members
  /// that are used later do nothing.
  public func close() { device.close() }

  /// The user closes the app. Unless `stopOnTerminate` is false, tracking stops, and the process ends as with `close`.
  ///
  /// When it is false, iOS leaves a region with the platform, whose exit starts the app: see `LinuxPlatform.onRelaunch`.
  /// Android goes on without the app: the platform keeps the device, which records and uploads without listeners,
  /// until a new `BGGeo` on the same folder and platform takes it over, or `close` is called here.
  public func terminate() { device.terminate() }

  private func run(_ call: EngineCall) throws(LocationError) {
    let isDone: Void? = device.perform { $0.host.receive(.call(call), at: $1) }
    if isDone == nil { throw .cancelled }
  }
}

/// The names under which newer versions of the SDK have its types.
extension BGGeo {
  /// As in this module.
  public typealias Geofence = BackgroundGeolocation.Geofence
  /// As in this module.
  public typealias LocationEvent = BackgroundGeolocation.LocationEvent
  /// As in this module.
  public typealias GeofenceEvent = BackgroundGeolocation.GeofenceEvent
  /// As in this module.
  public typealias HttpEvent = BackgroundGeolocation.HttpEvent
  /// As in this module.
  public typealias EventSubscription = BackgroundGeolocation.EventSubscription
  /// As in this module.
  public typealias State = BackgroundGeolocation.State
  /// As in this module.
  public typealias LogLevel = BackgroundGeolocation.LogLevel
  /// As in this module.
  public typealias PersistMode = BackgroundGeolocation.PersistMode
  /// As in this module.
  public typealias TrackingMode = BackgroundGeolocation.TrackingMode
  /// As in this module.
  public typealias TransistorToken = BackgroundGeolocation.TransistorToken
  /// As in this module.
  public typealias TransistorAuthorizationService = BackgroundGeolocation.TransistorAuthorizationService
}
