import Contract
import Engine
import Host

/// Who listens to a device.
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

  /// What an event brings, for the queue of callbacks.
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
    // The device tells of the schedule itself, with the whole state; headless events are for code outside this process.
    case .schedule, .boot, .terminate: []
    }
  }
}
