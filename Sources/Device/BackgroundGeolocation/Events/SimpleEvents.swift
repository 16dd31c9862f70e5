import JSON

/// The network came or went.
public struct ConnectivityChangeEvent: Hashable, Sendable {
  /// Whether there is a network now.
  public let hasConnection: Bool
  /// The same by the name that newer documents use.
  public var isConnected: Bool { hasConnection }
}

/// Tracking was switched on or off.
public struct EnabledChangeEvent: Hashable, Sendable {
  /// Whether tracking is on now.
  public let enabled: Bool
}

/// The system began or ended saving power.
public struct PowerSaveChangeEvent: Hashable, Sendable {
  /// Whether the system saves power now.
  public let isPowerSaveMode: Bool
}

/// The set of geofences that are watched has changed.
public struct GeofencesChangeEvent: Sendable {
  /// Watched from now on.
  public let on: [Geofence]
  /// The identifiers of those that are watched no longer. Both lists are empty when all geofences were removed.
  public let off: [String]
}

/// The device is at rest, and the interval for heartbeats has passed.
public struct HeartbeatEvent: Sendable {
  /// The last known one: a heartbeat does not look for a new one, stores nothing and uploads nothing.
  public let location: LocationEvent
  /// The event as the SDK's dictionaries have it.
  public var data: [String: Any] { ["location": location.data] }
}

/// The schedule has switched tracking on or off.
public struct ScheduleEvent: Sendable {
  /// Right after the switch.
  public let state: State
  /// Whether tracking is on now.
  public var enabled: Bool { state.enabled }
  /// What is recorded now.
  public var trackingMode: TrackingMode { state.trackingMode }
}
