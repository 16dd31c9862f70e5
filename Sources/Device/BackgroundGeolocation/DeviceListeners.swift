import Contract
import Engine
import Host
import Synchronization

/// The listeners of a device.
final class DeviceListeners: Sendable {
  let location = Listeners<LocationEvent>()
  let locationError = Listeners<LocationError>()
  let motionChange = Listeners<LocationEvent>()
  let activityChange = Listeners<ActivityChangeEvent>()
  let providerChange = Listeners<ProviderChangeEvent>()
  let geofence = Listeners<GeofenceEvent>()
  let geofencesChange = Listeners<GeofencesChangeEvent>()
  let heartbeat = Listeners<HeartbeatEvent>()
  let http = Listeners<HttpEvent>()
  let authorization = Listeners<AuthorizationEvent>()
  let connectivityChange = Listeners<ConnectivityChangeEvent>()
  let enabledChange = Listeners<EnabledChangeEvent>()
  let powerSaveChange = Listeners<PowerSaveChangeEvent>()
  let schedule = Listeners<ScheduleEvent>()
  let locationFilter = Listeners<LocationFilterEvent>()

  func removeAll() {
    location.removeAll()
    locationError.removeAll()
    motionChange.removeAll()
    activityChange.removeAll()
    providerChange.removeAll()
    geofence.removeAll()
    geofencesChange.removeAll()
    heartbeat.removeAll()
    http.removeAll()
    authorization.removeAll()
    connectivityChange.removeAll()
    enabledChange.removeAll()
    powerSaveChange.removeAll()
    schedule.removeAll()
    locationFilter.removeAll()
  }

  /// The calls for an event, for the callback queue.
  func calls(_ event: HostEvent, style: RecordStyle) -> [CallbackQueue.Call] {
    switch event {
    case .engine(let event): calls(event, style)
    case .http(let event): http.calls(HttpEvent(event))
    case .authorization(let event): authorization.calls(AuthorizationEvent(event))
    case .position, .synced, .discarded, .logUploaded, .configured, .commanded: preconditionFailure("not for listeners")
    }
  }

  private func calls(_ event: EngineEvent, _ style: RecordStyle) -> [CallbackQueue.Call] {
    switch event {
    case .location(let record): location.calls(LocationEvent(record, style: style))
    case .locationError(let error): locationError.calls(LocationError(code: error.code, message: "\(error)"))
    case .motionChange(let record): motionChange.calls(LocationEvent(record, style: style))
    case .geofence(let record, let fence):
      GeofenceEvent(record, fence, style: style).map(geofence.calls) ?? []
    case .geofencesChange(let on, let off):
      geofencesChange.calls(GeofencesChangeEvent(on: on.map { Geofence($0) }, off: off))
    case .heartbeat(let record): heartbeat.calls(HeartbeatEvent(location: LocationEvent(record, style: style)))
    case .activityChange(let activity):
      activityChange.calls(ActivityChangeEvent(activity, platform: style == .iOS ? .ios : .android))
    case .providerChange(let provider): providerChange.calls(ProviderChangeEvent(provider))
    case .connectivityChange(let isConnected):
      connectivityChange.calls(ConnectivityChangeEvent(hasConnection: isConnected))
    case .enabledChange(let isEnabled): enabledChange.calls(EnabledChangeEvent(enabled: isEnabled))
    case .powerSaveChange(let isOn): powerSaveChange.calls(PowerSaveChangeEvent(isPowerSaveMode: isOn))
    case .locationFilter(let filtered): locationFilter.calls(LocationFilterEvent(filtered, style: style))
    // The device reports the schedule itself, with the whole state; headless events are for code outside this process.
    case .schedule, .boot, .terminate: []
    }
  }
}

/// A function of the app. It runs on the actor on which it was passed, which is what the compiler promises to the
/// closure; without an actor it runs on the callback queue. The SDK does not require `@Sendable`: calls are serial, and
/// on one actor only.
struct Callback<Event: Sendable>: @unchecked Sendable {
  /// Weak, so that an object that listens on behalf of an actor does not keep it alive. The state dies with the actor,
  /// so nothing is shared.
  private weak var isolation: (any Actor)?
  private let body: (Event) -> Void

  init(isolation: (any Actor)?, _ body: @escaping (Event) -> Void) {
    self.isolation = isolation
    self.body = body
  }

  /// `isWanted` is evaluated right before the call.
  func call(_ event: Event, if isWanted: @escaping @Sendable () -> Bool = { true }) -> CallbackQueue.Call {
    CallbackQueue.Call(isolation: isolation) { if isWanted() { body(event) } }
  }
}

/// The listeners for one kind of event, in the order of subscription.
final class Listeners<Event: Sendable>: Sendable {
  private struct State {
    var listeners: [(id: Int, callback: Callback<Event>)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  func subscribe(isolation: (any Actor)? = nil, _ callback: @escaping (Event) -> Void) -> EventSubscription {
    let callback = Callback(isolation: isolation, callback)
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      state.listeners.append((state.nextID, callback))
      return state.nextID
    }
    return EventSubscription { [weak self] in self?.remove(id) }
  }

  /// What a closure holds may end with it, and remove subscriptions of its own: closures end outside the lock.
  func removeAll() {
    let removed = state.withLock { state in
      defer { state.listeners = [] }
      return state.listeners
    }
    withExtendedLifetime(removed) {}
  }

  /// For the callback queue. A listener that an earlier listener removes is not called any more.
  func calls(_ event: Event) -> [CallbackQueue.Call] {
    state.withLock { $0.listeners }.map { id, callback in callback.call(event) { self.has(id) } }
  }

  private func has(_ id: Int) -> Bool { state.withLock { $0.listeners.contains { $0.id == id } } }

  private func remove(_ id: Int) {
    let removed = state.withLock { state in
      state.listeners.firstIndex { $0.id == id }.map { state.listeners.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }
}

/// Keeps a listener subscribed, until `remove`, `BGGeo.removeListeners`, or the end of the last reference to the
/// subscription: keep it in a property, or in a set by `store(in:)`.
public final class EventSubscription: Hashable, Sendable {
  private let cancellation: Mutex<(@Sendable () -> Void)?>

  init(_ cancel: @escaping @Sendable () -> Void) { cancellation = Mutex(cancel) }

  deinit { remove() }

  /// Ends the subscription. No call begins after this returns; a running one completes. Further calls have no effect.
  public func remove() {
    let cancel = cancellation.withLock { cancellation in
      defer { cancellation = nil }
      return cancellation
    }
    cancel?()
  }

  /// Inserts the subscription into a set, whose lifetime it then shares.
  public func store(in subscriptions: inout Set<EventSubscription>) { subscriptions.insert(self) }

  /// Whether both are the same subscription.
  public static func == (left: EventSubscription, right: EventSubscription) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
