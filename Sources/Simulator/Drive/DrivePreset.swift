import Contract
package import JSON

/// Servers whose dialect is known: where uploads go, and how they learn which device it is.
package enum DrivePreset: String, CaseIterable, Sendable {
  case rollingroad, traccar, dawarich
  case transistorConsole = "transistor-console"

  /// What an app for such a server configures; it goes on when it is closed and when the phone is switched on again. A
  /// target with a path is taken as it is.
  package func document(target: String, deviceName: String) -> JSONValue {
    let names = JSONValue.object(["device_id": .string(deviceName)])
    var http: JSONObject = ["url": .string(url(target)), "params": names]
    if self == .rollingroad { http["headers"] = .object([HeaderName.deviceID.description: .string(deviceName)]) }
    return .object([
      "http": .object(http), "app": .object(["stopOnTerminate": .bool(false), "startOnBoot": .bool(true)]),
    ])
  }

  private func url(_ target: String) -> String {
    let parts = target.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count < 4 || parts[3].isEmpty else { return target }
    return target + (parts.count == 4 ? String(path.dropFirst()) : path)
  }

  private var path: String {
    switch self {
    case .rollingroad: "/locations"
    case .traccar: "/"
    case .dawarich: "/api/v1/traccar/points"
    case .transistorConsole: "/v2/locations"
    }
  }
}
