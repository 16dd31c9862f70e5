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

  /// On the queue of callbacks.
  func tell(_ event: HostEvent, style: RecordStyle) {
    switch event {
    case .engine(let event): tell(event, style)
    case .http(let event): http.call(HttpEvent(event))
    case .authorization(let event): authorization.call(AuthorizationEvent(event))
    case .position, .synced, .discarded, .logUploaded, .configured, .commanded: preconditionFailure("not for listeners")
    }
  }

  private func tell(_ event: EngineEvent, _ style: RecordStyle) {
    switch event {
    case .location(let record): location.call(LocationEvent(record, style: style))
    case .locationError(let error): locationError.call(LocationError(code: error.code, message: "\(error)"))
    case .motionChange(let record): motionChange.call(LocationEvent(record, style: style))
    case .geofence(let record, let fence):
      if let event = GeofenceEvent(record, fence, style: style) { geofence.call(event) }
    case .geofencesChange(let on, let off):
      geofencesChange.call(GeofencesChangeEvent(on: on.map { Geofence($0) }, off: off))
    case .heartbeat(let record): heartbeat.call(HeartbeatEvent(location: LocationEvent(record, style: style)))
    case .activityChange(let activity):
      activityChange.call(ActivityChangeEvent(activity, platform: style == .iOS ? .ios : .android))
    case .providerChange(let provider): providerChange.call(ProviderChangeEvent(provider))
    case .connectivityChange(let isConnected):
      connectivityChange.call(ConnectivityChangeEvent(hasConnection: isConnected))
    case .enabledChange(let isEnabled): enabledChange.call(EnabledChangeEvent(enabled: isEnabled))
    case .powerSaveChange(let isOn): powerSaveChange.call(PowerSaveChangeEvent(isPowerSaveMode: isOn))
    case .locationFilter(let filtered): locationFilter.call(LocationFilterEvent(filtered, style: style))
    // The device tells of the schedule itself, with the whole state; headless events are for code outside this process.
    case .schedule, .boot, .terminate: break
    }
  }
}
