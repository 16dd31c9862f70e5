import Contract
import Engine
public import FoundationEssentials
import JSON
import Upload

/// The network became available or unavailable.
public struct ConnectivityChangeEvent: Hashable, Sendable {
  /// Whether a network is available now.
  public let hasConnection: Bool
  /// `hasConnection` under the name of newer documents.
  public var isConnected: Bool { hasConnection }
}

/// Tracking was switched on or off.
public struct EnabledChangeEvent: Hashable, Sendable {
  /// Whether tracking is on now.
  public let enabled: Bool
}

/// Power saving was switched on or off.
public struct PowerSaveChangeEvent: Hashable, Sendable {
  /// Whether power saving is on now.
  public let isPowerSaveMode: Bool
}

/// The set of watched geofences has changed.
public struct GeofencesChangeEvent: Sendable {
  /// The geofences that are newly watched.
  public let on: [Geofence]
  /// The identifiers of geofences no longer watched. Both lists are empty when all geofences were removed.
  public let off: [String]
}

/// The device is at rest, and the heartbeat interval has passed.
public struct HeartbeatEvent: Sendable {
  /// The last known location: a heartbeat does not request a new one, and stores and uploads nothing.
  public let location: LocationEvent
  /// The event in the form of the SDK's dictionaries.
  public var data: [String: Any] { ["location": location.data] }
}

/// The schedule has switched tracking on or off.
public struct ScheduleEvent: Sendable {
  /// The state right after the switch.
  public let state: State
  /// Whether tracking is on now.
  public var enabled: Bool { state.enabled }
  /// The kind of records from now on.
  public var trackingMode: TrackingMode { state.trackingMode }
}

/// The motion sensors report a new activity.
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

/// A token request has ended.
public struct AuthorizationEvent: Sendable {
  /// Whether it brought new tokens. They are in use unless the app has set another access token meanwhile.
  public let isSuccess: Bool
  /// The HTTP status; 0 without a response.
  public let status: Int
  /// The reason of a failure; nil on success.
  public let error: String?
  private let answer: JSONValue?

  /// The body of a successful response, tokens included; otherwise nil.
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
  /// The identifier of the geofence.
  public let identifier: String
  /// `ENTER`, `EXIT` or `DWELL`.
  public let action: String
  /// The time of the crossing; the location may be slightly later.
  public let timestamp: Date
  /// The record stored for the crossing.
  public let location: LocationEvent
  /// The geofence after the crossing.
  public let geofence: Geofence
  /// The extras of the geofence; nil when it has none.
  public var extras: [String: Any]? { geofence.extras }
  /// The position of the device.
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

/// An upload request has succeeded or failed.
public struct HttpEvent: Sendable {
  /// Whether the server acknowledged the records: any status from 200 to 299.
  public let isSuccess: Bool
  /// 0 without a response: no network, timeout, cancelled.
  public let statusCode: Int
  /// The body of the response, or the reason of the failure.
  public let responseText: String
  /// The reason why there was no response; nil when there was one.
  public let error: BGGeoError?

  init(_ event: HTTPEvent) {
    isSuccess = event.isSuccess
    statusCode = event.status
    responseText = event.responseText
    error = event.status == 0 ? BGGeoError(event.responseText, code: 0) : nil
  }
}

extension HttpEvent: CustomStringConvertible {
  /// The status and the text.
  public var description: String { "\(statusCode) \(responseText)" }
}

/// A rejected position or a suppressed crossing.
public struct LocationFilterEvent: Sendable {
  /// A suppressed crossing of a geofence.
  public struct Crossing: Hashable, Sendable {
    /// The identifier of the geofence.
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

  /// The location, which is neither stored nor delivered to `onLocation`.
  public let location: LocationEvent
  /// `low-accuracy`, `implied-speed`, `outlier-capped`, `geofence-spurious-exit` or `geofence-duplicate-enter`.
  public let reason: String
  /// The accuracy of the position in metres.
  public let accuracy: Double
  /// The threshold in metres; -1 for a crossing.
  public let trackingAccuracyThreshold: Double
  /// The suppressed crossing; nil for a position.
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

/// The permission and the available ways to locate.
public struct ProviderChangeEvent: Hashable, Sendable {
  /// Whether location services are on and the app may use them.
  public let enabled: Bool
  /// The permission granted by the user.
  public let status: CLAuthorizationStatus
  /// Whether positions from Wi-Fi and cells are available.
  public let network: Bool
  /// Whether positions from satellites are available.
  public let gps: Bool
  /// Whether the precise location is allowed.
  public let accuracyAuthorization: CLAccuracyAuthorization

  init(_ provider: ProviderState) {
    enabled = provider.isEnabled
    // Android's permanent denial has no counterpart on iOS.
    status = CLAuthorizationStatus(rawValue: provider.authorizationStatus) ?? .denied
    network = provider.hasNetwork
    gps = provider.hasGPS
    accuracyAuthorization = CLAccuracyAuthorization(rawValue: provider.accuracyAuthorization) ?? .fullAccuracy
  }
}
