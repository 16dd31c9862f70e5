import Contract
import JSON

/// A snapshot of the SDK's state.
public struct State: Sendable {
  private let document: JSONObject

  init(_ document: JSONObject) { self.document = document }

  /// Whether tracking is on.
  public var enabled: Bool { flag("enabled") }
  /// Whether the device is in the moving state.
  public var isMoving: Bool { flag("isMoving") }
  /// Whether the schedule starts and stops tracking.
  public var schedulerEnabled: Bool { flag("schedulerEnabled") }
  /// Whether this launch is the first one since the device was switched on.
  public var didDeviceReboot: Bool { flag("didDeviceReboot") }
  /// Whether the system, not the user, started this launch.
  public var didLaunchInBackground: Bool { flag("didLaunchInBackground") }
  /// Whether nothing was stored before this launch.
  public var isFirstBoot: Bool { flag("isFirstBoot") }
  /// The kind of records while tracking is on.
  public var trackingMode: TrackingMode {
    document["trackingMode"]?.double.flatMap { TrackingMode(rawValue: Int($0)) } ?? .location
  }
  /// The odometer in metres.
  public var odometer: Double { document["odometer"]?.double ?? 0 }
  /// The possible error of the odometer in metres.
  public var odometerError: Double { document["odometerError"]?.double ?? 0 }

  /// Returns the configuration, grouped and with flat names, and the members of this type.
  public func toDictionary() -> [String: Any] {
    var dictionary = document.configurationDictionary
    dictionary["odometer"] = odometer
    dictionary["odometerError"] = odometerError
    return dictionary
  }

  /// Returns `toDictionary` as JSON.
  public func toJson() -> String { JSONValue.object(document).serializedText }

  private func flag(_ key: String) -> Bool { document[key] == .bool(true) }
}

/// The tokens of a device registered with the demo server of the SDK's vendor, or with a compatible one.
public struct TransistorToken: Hashable, Sendable {
  /// The token of every upload.
  public let accessToken: String
  /// The token that is exchanged for the next pair.
  public let refreshToken: String
  /// The expiry as the server gave it; -1 for never.
  public let expires: Int
  /// The URL of uploads.
  public let apiUrl: String
  /// The URL of token requests.
  public let refreshUrl: String

  /// Creates a value from tokens obtained elsewhere. Both URLs are derived from that of the server.
  public init(
    accessToken: String, refreshToken: String, expires: Int = -1, url: String = "https://tracker.transistorsoft.com"
  ) {
    self.init(
      Contract.TransistorToken(
        accessToken: accessToken, refreshToken: refreshToken, expires: Double(expires), url: url))
  }

  init(_ token: Contract.TransistorToken) {
    accessToken = token.accessToken
    refreshToken = token.refreshToken
    expires = Int(exactly: token.expires.rounded()) ?? -1
    apiUrl = token.apiURL
    refreshUrl = token.refreshURL
  }

  var contract: Contract.TransistorToken {
    var token = Contract.TransistorToken(
      accessToken: accessToken, refreshToken: refreshToken, expires: Double(expires))
    token.apiURL = apiUrl
    token.refreshURL = refreshUrl
    return token
  }

  /// Returns the members by name.
  public func toDictionary() -> [String: Any] {
    [
      "accessToken": accessToken, "refreshToken": refreshToken, "expires": expires, "apiUrl": apiUrl,
      "refreshUrl": refreshUrl,
    ]
  }
}
