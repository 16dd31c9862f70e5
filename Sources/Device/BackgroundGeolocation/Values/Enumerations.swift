/// Whether the device is inside a geofence.
public enum EntryState: Int, CaseIterable, Sendable {
  case outside = 0
  case inside = 1
}

/// The kind of records while tracking is enabled.
public enum TrackingMode: Int, CaseIterable, Sendable {
  /// Only the crossings of geofences.
  case geofence = 0
  /// Positions, and the crossings of geofences.
  case location = 1
}

/// The least severe level that is logged.
public enum LogLevel: Int, CaseIterable, Sendable {
  case off, error, warning, info, debug, verbose
}

/// The method of uploads.
public enum HttpMethod: String, CaseIterable, Sendable {
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
}

/// The records that are stored, and so uploaded.
public enum PersistMode: Int, CaseIterable, Sendable {
  case geofence = -1
  case none = 0
  case location = 1
  case all = 2
}

/// The order of insertion in which records are read and uploaded.
public enum LocationsOrderDirection: String, CaseIterable, Sendable {
  case ascending = "ASC"
  case descending = "DESC"
}

/// The format of times in a record.
public enum TimestampFormat: String, CaseIterable, Sendable {
  case iso
  /// Milliseconds since 1970.
  case epoch
}

/// The permission that the app requests.
public enum LocationAuthorizationRequest: String, CaseIterable, Sendable {
  case always = "Always"
  case whenInUse = "WhenInUse"
  case any = "Any"
}

/// The form of the access token in the header of uploads.
public enum AuthorizationStrategy: String, CaseIterable, Sendable {
  /// After `Bearer `.
  case jwt = "JWT"
  /// The token alone.
  case sas = "SAS"
}

/// The treatment of implausible steps by the location filter.
public enum FilterPolicy: Int, CaseIterable, Sendable {
  /// Rejects nothing but bad accuracy.
  case passThrough = 0
  /// Caps the step.
  case adjust = 1
  /// Rejects bursts, caps the rest.
  case conservative = 2
}

/// The smoothing of step lengths by the location filter.
public enum KalmanProfile: Int, CaseIterable, Sendable {
  case balanced = 0
  case smooth = 1
  case quick = 2
}
