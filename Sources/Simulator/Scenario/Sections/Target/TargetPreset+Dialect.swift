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
  /// What an app configures so that such a server takes its records.
  package mutating func speak(_ preset: TargetPreset) {
    guard preset != .rollingroad else { return }
    http.rootProperty = "location"
    // Traccar's OsmAnd decoder takes one object under `location` and asks for `device_id` beside it.
    if preset == .traccar || preset == .dawarich { http.batchSync = false }
    // Dawarich's endpoint for tracking apps takes the place flat, one record at a time.
    if preset == .dawarich {
      persistence.locationTemplate = Configuration.flatRecord
      persistence.geofenceTemplate = Configuration.flatRecord
    }
  }

  /// Says whose the records are where such a server looks for it, unless the app has said so itself.
  package mutating func identify(_ device: String, to preset: TargetPreset) {
    guard preset != .rollingroad else {
      if !hasHeader(HeaderName.deviceID.description) { setHeader(HeaderName.deviceID.description, device) }
      return
    }
    guard case .object(var members) = http.params, members["device_id"] == nil else { return }
    members["device_id"] = .string(device)
    http.params = .object(members)
  }

  /// Names of header fields ignore case (RFC 9110 §5.1).
  package func header(_ name: String) -> String? {
    guard case .object(let fields) = http.headers,
      case .string(let value)? = fields.members.first(where: { $0.key.lowercased() == name.lowercased() })?.value
    else { return nil }
    return value
  }

  package func hasHeader(_ name: String) -> Bool {
    guard case .object(let fields) = http.headers else { return false }
    return fields.members.contains { $0.key.lowercased() == name.lowercased() }
  }

  package mutating func removeHeader(_ name: String) {
    guard case .object(var fields) = http.headers else { return }
    for field in fields.members where field.key.lowercased() == name.lowercased() { fields[field.key] = nil }
    http.headers = .object(fields)
  }

  /// In the place of one of this name.
  package mutating func setHeader(_ name: String, _ value: String) {
    removeHeader(name)
    guard case .object(var fields) = http.headers else { return }
    fields[name] = .string(value)
    http.headers = .object(fields)
  }

  private static let flatRecord = """
    {"uuid":"<%= uuid %>","timestamp":"<%= timestamp %>","latitude":<%= latitude %>,"longitude":<%= longitude %>,\
    "accuracy":<%= accuracy %>,"altitude":<%= altitude %>,"speed":<%= speed %>,"heading":<%= heading %>}
    """
}
