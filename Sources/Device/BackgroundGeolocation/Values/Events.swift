import Contract
import Engine
public import FoundationEssentials
import JSON
import Upload

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

/// The motion sensors report another activity.
public struct ActivityChangeEvent: Hashable, Sendable {
  /// `still`, `on_foot`, `walking`, `running`, `on_bicycle`, `in_vehicle` or `unknown`.
  public let activity: String
  /// Percent; always 100 on Android.
  public let confidence: Int

  init(_ activity: Contract.Activity, platform: DevicePlatform) {
    self.activity = activity.type.name
    confidence = platform == .android ? 100 : activity.confidence
  }
}

/// A request for new tokens has ended.
public struct AuthorizationEvent: Sendable {
  /// Whether it brought new tokens. They are in use unless the app has set another access token meanwhile.
  public let isSuccess: Bool
  /// Of the answer; 0 when none came.
  public let status: Int
  /// What went wrong; nil when nothing did.
  public let error: String?
  private let answer: JSONValue?

  /// What the server answered, tokens included; nil unless it was a success.
  public var response: [String: Any]? {
    if case .object(let object)? = answer { object.dictionary } else { nil }
  }

  init(_ event: Upload.AuthorizationEvent) {
    isSuccess = event.isSuccess
    status = event.status
    error = event.error
    answer = event.response
  }
}

/// The device has crossed the boundary of a geofence, or stayed inside for its loitering delay.
public struct GeofenceEvent: Sendable {
  /// Of the geofence.
  public let identifier: String
  /// `ENTER`, `EXIT` or `DWELL`.
  public let action: String
  /// Of the crossing; the location may be a little younger.
  public let timestamp: Date
  /// The record that is stored for it.
  public let location: LocationEvent
  /// As it is after the crossing.
  public let geofence: Geofence
  /// Those of the geofence; nil when it has none.
  public var extras: [String: Any]? { geofence.extras }
  /// Where the device was.
  public let triggerCoordinate: CLLocationCoordinate2D
  /// Degrees clockwise from north; nil when unknown.
  public let triggerHeading: CLLocationDirection?

  /// Nil for a record without a crossing.
  init?(_ record: LocationRecord, _ fence: Contract.Geofence, style: RecordStyle) {
    guard let trigger = record.geofence else { return nil }
    identifier = trigger.identifier
    action = trigger.action.rawValue
    timestamp = Date(trigger.timestamp)
    location = LocationEvent(record, style: style)
    geofence = Geofence(fence)
    triggerCoordinate = CLLocationCoordinate2D(
      latitude: record.coords.latitude, longitude: record.coords.longitude)
    triggerHeading = record.coords.heading.flatMap { $0 < 0 ? nil : $0 }
  }
}

/// An upload request has ended, well or badly.
public struct HttpEvent: Sendable {
  /// Whether the server has taken the records: any status from 200 to 299.
  public let isSuccess: Bool
  /// 0 when no answer came: no network, time limit, cancelled.
  public let statusCode: Int
  /// The body of the answer, or what went wrong.
  public let responseText: String
  /// Why there was no answer; nil when there was one.
  public let error: BGGeoError?

  init(_ event: HTTPEvent) {
    isSuccess = event.isSuccess
    statusCode = event.status
    responseText = event.responseText
    error = event.status == 0 ? BGGeoError(event.responseText, code: 0) : nil
  }
}

extension HttpEvent: CustomStringConvertible {
  /// Status and text.
  public var description: String { "\(statusCode) \(responseText)" }
}

/// A position, or a crossing, that came to nothing.
public struct LocationFilterEvent: Sendable {
  /// The crossing of a geofence that was suppressed.
  public struct Crossing: Hashable, Sendable {
    /// Of the geofence.
    public let identifier: String
    /// `ENTER`, `EXIT` or `DWELL`.
    public let action: String
    /// Metres from the centre.
    public let distance: Double
    /// Metres.
    public let radius: Double
    /// Metres beyond the boundary; 0 inside.
    public let outsideBy: Double
  }

  /// Not stored, and not given to `onLocation`.
  public let location: LocationEvent
  /// `low-accuracy`, `implied-speed`, `outlier-capped`, `geofence-spurious-exit` or `geofence-duplicate-enter`.
  public let reason: String
  /// Metres; of the position.
  public let accuracy: Double
  /// Metres; -1 with a crossing.
  public let trackingAccuracyThreshold: Double
  /// Nil unless a crossing was suppressed.
  public let geofence: Crossing?

  init(_ filtered: FilteredLocation, style: RecordStyle) {
    location = LocationEvent(filtered.record, style: style)
    reason = filtered.reason
    accuracy = filtered.record.coords.accuracy ?? -1
    trackingAccuracyThreshold = filtered.thresholdMetres
    geofence = filtered.crossing.map {
      Crossing(
        identifier: $0.identifier, action: $0.action.rawValue, distance: $0.distanceMetres, radius: $0.radiusMetres,
        outsideBy: $0.outsideByMetres)
    }
  }
}

/// What the device may and can locate with.
public struct ProviderChangeEvent: Hashable, Sendable {
  /// Whether location services are on and the app may use them.
  public let enabled: Bool
  /// What the user has allowed.
  public let status: CLAuthorizationStatus
  /// Whether positions of Wi-Fi and cells can be had.
  public let network: Bool
  /// Whether positions of satellites can be had.
  public let gps: Bool
  /// Whether the place is the accurate one.
  public let accuracyAuthorization: CLAccuracyAuthorization

  init(_ provider: ProviderState) {
    enabled = provider.isEnabled
    // Android's "denied for good" has no counterpart on iOS.
    status = CLAuthorizationStatus(rawValue: provider.authorizationStatus) ?? .denied
    network = provider.hasNetwork
    gps = provider.hasGPS
    accuracyAuthorization = CLAccuracyAuthorization(rawValue: provider.accuracyAuthorization) ?? .fullAccuracy
  }
}
