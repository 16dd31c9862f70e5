import BackgroundGeolocation
import FoundationEssentials
import Synchronization

/// What the listeners of a phone's apps were told, each list in its order.
final class Heard: Sendable {
  struct Lists: Sendable {
    var locations: [LocationEvent] = []
    var errors: [Int] = []
    var motion: [LocationEvent] = []
    var crossings: [GeofenceEvent] = []
    var geofenceChanges: [GeofencesChangeEvent] = []
    var heartbeats: [HeartbeatEvent] = []
    var http: [HttpEvent] = []
    var authorization: [AuthorizationEvent] = []
    var connectivity: [Bool] = []
    var enabled: [Bool] = []
    var provider: [ProviderChangeEvent] = []
    var powerSave: [Bool] = []
    var activities: [ActivityChangeEvent] = []
    var schedule: [ScheduleEvent] = []
    /// The names of all events, but those of samples.
    var names: [String] = []
  }

  private let lists = Mutex(Lists())

  private func add<Event>(_ name: String, _ list: WritableKeyPath<Lists, [Event]>, _ event: Event) {
    lists.withLock { lists in
      lists[keyPath: list].append(event)
      lists.names.append(name)
    }
  }

  var locations: [LocationEvent] { lists.withLock { $0.locations }.filter { !$0.sample } }
  var samples: [LocationEvent] { lists.withLock { $0.locations }.filter(\.sample) }
  var errors: [Int] { lists.withLock { $0.errors } }
  var motion: [LocationEvent] { lists.withLock { $0.motion } }
  var crossings: [GeofenceEvent] { lists.withLock { $0.crossings } }
  /// As in `HOME ENTER`.
  var transitions: [String] { crossings.map { "\($0.identifier) \($0.action)" } }
  var geofenceChanges: [GeofencesChangeEvent] { lists.withLock { $0.geofenceChanges } }
  var heartbeats: [HeartbeatEvent] { lists.withLock { $0.heartbeats } }
  var http: [HttpEvent] { lists.withLock { $0.http } }
  var authorization: [AuthorizationEvent] { lists.withLock { $0.authorization } }
  var connectivity: [Bool] { lists.withLock { $0.connectivity } }
  var enabled: [Bool] { lists.withLock { $0.enabled } }
  var provider: [ProviderChangeEvent] { lists.withLock { $0.provider } }
  var powerSave: [Bool] { lists.withLock { $0.powerSave } }
  var activities: [ActivityChangeEvent] { lists.withLock { $0.activities } }
  var schedule: [ScheduleEvent] { lists.withLock { $0.schedule } }
  var names: [String] { lists.withLock { $0.names } }

  func forget() { lists.withLock { $0 = Lists() } }

  /// The identifiers of the geofences that are watched by what was told.
  var watched: Set<String> {
    geofenceChanges.reduce(into: []) { watched, event in
      watched.formUnion(event.on.map(\.identifier))
      watched.subtract(event.off)
    }
  }

  func listen(to app: BGGeo) -> Set<EventSubscription> {
    [
      app.onLocation(
        { [self] in add("location", \.locations, $0) }, failure: { [self] in add("error", \.errors, $0.code) }),
      app.onMotionChange { [self] in add("motionchange", \.motion, $0) },
      app.onGeofence { [self] in add("geofence", \.crossings, $0) },
      app.onGeofencesChange { [self] in add("geofenceschange", \.geofenceChanges, $0) },
      app.onHeartbeat { [self] in add("heartbeat", \.heartbeats, $0) },
      app.onHttp { [self] in add("http", \.http, $0) },
      app.onAuthorization { [self] in add("authorization", \.authorization, $0) },
      app.onConnectivityChange { [self] in add("connectivitychange", \.connectivity, $0.hasConnection) },
      app.onEnabledChange { [self] in add("enabledchange", \.enabled, $0.enabled) },
      app.onProviderChange { [self] in add("providerchange", \.provider, $0) },
      app.onPowerSaveChange { [self] in add("powersavechange", \.powerSave, $0.isPowerSaveMode) },
      app.onActivityChange { [self] in add("activitychange", \.activities, $0) },
      app.onSchedule { [self] in add("schedule", \.schedule, $0) },
    ]
  }
}
