package import Contract
import JSON

extension TargetPreset {
  package static let names = allCases.map(\.rawValue).joined(separator: ", ")

  /// Where uploads go. A target that names more than the server is taken as it is.
  package func uploads(to target: String) -> String {
    let host = target.firstRange(of: "://")?.upperBound ?? target.startIndex
    let end = target[host...].firstIndex { $0 == "/" || $0 == "?" } ?? target.endIndex
    guard ["", "/"].contains(target[end...]) else { return target }
    return target[..<end] + path
  }

  private var path: String {
    switch self {
    case .rollingroad: "/locations"
    case .traccar: "/"
    case .dawarich: "/api/v1/traccar/points"
    case .transistorConsole: "/api/locations"
    }
  }
}

extension Configuration {
  /// What an app configures so that such a server takes its records and knows whose they are.
  package mutating func speak(_ preset: TargetPreset, device: String) {
    guard preset != .rollingroad else {
      http.headers = http.headers.with(HeaderName.deviceID.description, .string(device))
      return
    }
    http.rootProperty = "location"
    if case .object(let members) = http.params, members["device_id"] == nil {
      http.params = http.params.with("device_id", .string(device))
    }
    // Traccar's OsmAnd decoder takes one object under `location` and asks for `device_id` beside it.
    if preset == .traccar || preset == .dawarich { http.batchSync = false }
    // Dawarich's endpoint for tracking apps takes the place flat, one record at a time.
    if preset == .dawarich {
      persistence.locationTemplate = Configuration.flatRecord
      persistence.geofenceTemplate = Configuration.flatRecord
    }
  }

  private static let flatRecord = """
    {"uuid":"<%= uuid %>","timestamp":"<%= timestamp %>","latitude":<%= latitude %>,"longitude":<%= longitude %>,\
    "accuracy":<%= accuracy %>,"altitude":<%= altitude %>,"speed":<%= speed %>,"heading":<%= heading %>}
    """
}

extension JSONValue {
  /// An object with one member more.
  fileprivate func with(_ key: String, _ value: JSONValue) -> JSONValue {
    guard case .object(var members) = self else { return self }
    members[key] = value
    return .object(members)
  }
}
