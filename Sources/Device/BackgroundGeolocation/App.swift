import Base
import Contract
import Engine
import Host
import Vocabulary

/// Background execution time.
public final class App: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Requests background time from the system: about 30 s on iOS, three minutes on Android. Pass the returned number to
  /// `stopBackgroundTask`.
  public func startBackgroundTask() -> Int {
    let id = device.perform { core, _ in core.waiting.makeID() } ?? 0
    device.call(.startBackgroundTask(id: id))
    return id
  }

  /// Ends a background task. An unknown number has no effect.
  public func stopBackgroundTask(_ id: Int) { device.call(.stopBackgroundTask(id: id)) }

  /// Whether power saving is on; the system then delays positions and uploads.
  public var isPowerSaveMode: Bool { device.platform.isPowerSaving }
}

/// The permission to use the location.
public final class Authorization: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// The current permission and the available ways to locate.
  public func getState() -> ProviderChangeEvent { ProviderChangeEvent(device.platform.provider) }

  /// Asks the user, and returns the answer; before `ready` it waits. A `LinuxPlatform` answers with the status set by
  /// `setAuthorization`. Throws `BGGeoError` with the status as its code when the user refuses, and `LocationError` 499
  /// when the task is cancelled or the instance closed.
  public func requestPermission() async throws -> CLAuthorizationStatus {
    try await device.untilReady()
    let status = getState().status
    switch status {
    case .authorizedAlways, .authorizedWhenInUse: return status
    case .notDetermined, .restricted, .denied:
      throw BGGeoError("location authorization was refused", code: status.rawValue)
    }
  }

  /// Requests precise locations once; waits and throws like `requestPermission`. `purpose` is the key of the
  /// explanation to show. Returns the answer of the platform.
  public func requestTemporaryFullAccuracy(purpose: String) async throws -> CLAccuracyAuthorization {
    try await device.untilReady()
    return getState().accuracyAuthorization
  }
}

/// Registers an app with the demo server of the SDK's vendor, or a compatible one, for `BGGeo.shared`.
/// Other instances have the same functions as methods.
public enum TransistorAuthorizationService {
  /// Returns the stored token for the host of `url`, or a new one. Throws like `BGGeo.findOrCreateToken`.
  public static func findOrCreateToken(
    org: String, username: String, url: String = "https://tracker.transistorsoft.com", framework: String = "Swift"
  ) async throws -> TransistorToken {
    try await BGGeo.shared.findOrCreateToken(org: org, username: username, url: url, framework: framework)
  }

  /// Deletes the token for the host of `url`.
  public static func destroyToken(url: String) { BGGeo.shared.destroyToken(url: url) }

  /// Whether a token is stored for this host.
  public static func hasToken(forHost host: String) -> Bool { BGGeo.shared.hasToken(forHost: host) }
}

/// Settings of the phone.
public final class DeviceSettings: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Whether power saving is on; the system then delays positions and uploads.
  public var isPowerSaveMode: Bool { device.platform.isPowerSaving }
}

/// The motion sensors of the phone. A `LinuxPlatform` has those of a usual phone.
public final class Sensors: Sendable {
  private let isAndroid: Bool

  init(_ device: Device) { isAndroid = device.platform.description.platform == .android }

  /// `iOS` or `Android`.
  public var platform: String { isAndroid ? "Android" : "iOS" }
  /// Whether the phone has an accelerometer.
  public var hasAccelerometer: Bool { true }
  /// Whether the phone has a gyroscope.
  public var hasGyroscope: Bool { true }
  /// Whether the phone has a compass.
  public var hasMagnetometer: Bool { true }
  /// Android only; the iOS equivalent counts as one.
  public var hasSignificantMotion: Bool { true }
}
