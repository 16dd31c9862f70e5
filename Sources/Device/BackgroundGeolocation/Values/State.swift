import Contract
import JSON

/// What the SDK was doing when the value was taken.
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
  /// Whether the system began this launch, not the user.
  public var didLaunchInBackground: Bool { flag("didLaunchInBackground") }
  /// Whether nothing was kept before this launch.
  public var isFirstBoot: Bool { flag("isFirstBoot") }
  /// What is recorded while tracking is on.
  public var trackingMode: TrackingMode {
    document["trackingMode"]?.double.flatMap { TrackingMode(rawValue: Int($0)) } ?? .location
  }
  /// Metres.
  public var odometer: Double { document["odometer"]?.double ?? 0 }
  /// Metres by which the odometer may be wrong.
  public var odometerError: Double { document["odometerError"]?.double ?? 0 }

  /// The configuration, in its groups and with flat names, and the members of this type.
  public func toDictionary() -> [String: Any] {
    var dictionary = document.configurationDictionary
    dictionary["odometer"] = odometer
    dictionary["odometerError"] = odometerError
    return dictionary
  }

  /// `toDictionary` as JSON.
  public func toJson() -> String { String(decoding: JSONValue.object(document).text, as: UTF8.self) }

  private func flag(_ key: String) -> Bool { document[key] == .bool(true) }
}

/// The tokens of a device that has registered with the demo server of the SDK's vendor, or with one that speaks like
/// it.
public struct TransistorToken: Hashable, Sendable {
  /// Goes with every upload.
  public let accessToken: String
  /// Buys the next pair of tokens.
  public let refreshToken: String
  /// As the server gave it; -1 for a token without end.
  public let expires: Int
  /// Where records go.
  public let apiUrl: String
  /// Where new tokens come from.
  public let refreshUrl: String

  /// Tokens that the app got elsewhere. The two urls follow from that of the server.
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

  /// The members by their names.
  public func toDictionary() -> [String: Any] {
    [
      "accessToken": accessToken, "refreshToken": refreshToken, "expires": expires, "apiUrl": apiUrl,
      "refreshUrl": refreshUrl,
    ]
  }
}
