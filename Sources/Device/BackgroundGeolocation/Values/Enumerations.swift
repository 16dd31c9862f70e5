/// Whether the device is inside a geofence.
public enum EntryState: Int, CaseIterable, Sendable {
  case outside = 0
  case inside = 1
}

/// What is recorded while tracking is enabled.
public enum TrackingMode: Int, CaseIterable, Sendable {
  /// Only the crossings of geofences.
  case geofence = 0
  /// Positions, and the crossings of geofences.
  case location = 1
}

/// The least important lines that the log keeps.
public enum LogLevel: Int, CaseIterable, Sendable {
  case off, error, warning, info, debug, verbose
}

/// The method of uploads.
public enum HttpMethod: String, CaseIterable, Sendable {
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
}

/// Which records are stored, and so uploaded.
public enum PersistMode: Int, CaseIterable, Sendable {
  case geofence = -1
  case none = 0
  case location = 1
  case all = 2
}

/// In which order of insertion records are read and uploaded.
public enum LocationsOrderDirection: String, CaseIterable, Sendable {
  case ascending = "ASC"
  case descending = "DESC"
}

/// How times stand in a record.
public enum TimestampFormat: String, CaseIterable, Sendable {
  case iso
  /// Milliseconds since 1970.
  case epoch
}

/// Which permission the app asks for.
public enum LocationAuthorizationRequest: String, CaseIterable, Sendable {
  case always = "Always"
  case whenInUse = "WhenInUse"
  case any = "Any"
}

/// How the access token stands in the header of uploads.
public enum AuthorizationStrategy: String, CaseIterable, Sendable {
  /// Behind `Bearer `.
  case jwt = "JWT"
  /// Alone.
  case sas = "SAS"
}

/// What the location filter does with an implausible step.
public enum FilterPolicy: Int, CaseIterable, Sendable {
  /// Rejects nothing but bad accuracy.
  case passThrough = 0
  /// Caps the step.
  case adjust = 1
  /// Rejects bursts, caps the rest.
  case conservative = 2
}

/// How the location filter smooths the length of steps.
public enum KalmanProfile: Int, CaseIterable, Sendable {
  case balanced = 0
  case smooth = 1
  case quick = 2
}
