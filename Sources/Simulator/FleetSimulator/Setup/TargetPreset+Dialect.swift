import Contract
import JSON
import Scenario

/// What an app has to configure so that a server knows whose record it is.
extension TargetPreset {
  func apply(to configuration: inout Configuration, device: String) {
    switch self {
    case .rollingroad: break
    case .traccar:
      // Its OsmAnd decoder takes one object under `location` and asks for `device_id` beside it.
      configuration.http.batchSync = false
      configuration.http.rootProperty = "location"
      configuration.http.setParameter("device_id", .string(device))
    case .dawarich:
      // Its endpoint for tracking apps takes the place flat under `location`, one record at a time.
      configuration.http.batchSync = false
      configuration.http.rootProperty = "location"
      configuration.http.setParameter("device_id", .string(device))
      configuration.persistence.locationTemplate = TargetPreset.flatRecord
      configuration.persistence.geofenceTemplate = TargetPreset.flatRecord
    case .transistorConsole:
      configuration.http.rootProperty = "location"
      configuration.http.setParameter("device_id", .string(device))
    }
  }

  private static let flatRecord = """
    {"uuid":"<%= uuid %>","timestamp":"<%= timestamp %>","latitude":<%= latitude %>,"longitude":<%= longitude %>,\
    "accuracy":<%= accuracy %>,"altitude":<%= altitude %>,"speed":<%= speed %>,"heading":<%= heading %>}
    """
}

extension HTTPSettings {
  /// What the scenario says of it stands.
  fileprivate mutating func setParameter(_ name: String, _ value: JSONValue) {
    guard case .object(var members) = params, members[name] == nil else { return }
    members[name] = value
    params = .object(members)
  }
}
