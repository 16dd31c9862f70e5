import Base
import Contract
import Engine
import Host
import Vocabulary

/// Time to work in the background.
public final class App: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Asks the system for time: about 30 s on iOS, three minutes on Android. Give the number back to
  /// `stopBackgroundTask`.
  public func startBackgroundTask() -> Int {
    let id = device.perform { core, _ in core.waiting.makeID() } ?? 0
    device.call(.startBackgroundTask(id: id))
    return id
  }

  /// The work is done. A number that is none of a running task has no effect.
  public func stopBackgroundTask(_ id: Int) { device.call(.stopBackgroundTask(id: id)) }

  /// Whether the system saves power, and so holds positions and uploads back.
  public var isPowerSaveMode: Bool { device.platform.isPowerSaving }
}

/// The permission to use positions.
public final class Authorization: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// What the device may and can locate with now.
  public func getState() -> ProviderChangeEvent { ProviderChangeEvent(device.platform.provider) }

  /// Asks the user, and returns the answer; before `ready` it waits. A `LinuxPlatform` answers what it was told by
  /// `setAuthorization`. Throws `BGGeoError` with the status as its code when the user has refused, and `LocationError` 499 when
  /// the task is cancelled or the instance closed.
  public func requestPermission() async throws -> CLAuthorizationStatus {
    try await device.untilReady()
    let status = getState().status
    switch status {
    case .authorizedAlways, .authorizedWhenInUse: return status
    case .notDetermined, .restricted, .denied:
      throw BGGeoError("location authorization was refused", code: status.rawValue)
    }
  }

  /// Asks for accurate positions for once, and waits and throws as `requestPermission` does; `purpose` is the key of the
  /// text to show. Returns what the platform was told.
  public func requestTemporaryFullAccuracy(purpose: String) async throws -> CLAccuracyAuthorization {
    try await device.untilReady()
    return getState().accuracyAuthorization
  }
}

/// Registers an app with the demo server of the SDK's vendor, or with one that speaks like it, for `BGGeo.shared`.
/// Another instance has the same as methods.
public enum TransistorAuthorizationService {
  /// The token that was kept for the host of `url`, or a new one. Errors as of `BGGeo.findOrCreateToken`.
  public static func findOrCreateToken(
    org: String, username: String, url: String = "https://tracker.transistorsoft.com", framework: String = "Swift"
  ) async throws -> TransistorToken {
    try await BGGeo.shared.findOrCreateToken(org: org, username: username, url: url, framework: framework)
  }

  /// Forgets the token for the host of `url`.
  public static func destroyToken(url: String) { BGGeo.shared.destroyToken(url: url) }

  /// Whether a token is kept for this host.
  public static func hasToken(forHost host: String) -> Bool { BGGeo.shared.hasToken(forHost: host) }
}

/// How the phone is set up.
public final class DeviceSettings: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Whether the system saves power, and so holds positions and uploads back.
  public var isPowerSaveMode: Bool { device.platform.isPowerSaving }
}

/// Which motion sensors the phone has. A `LinuxPlatform` has those of a usual phone.
public final class Sensors: Sendable {
  private let isAndroid: Bool

  init(_ device: Device) { isAndroid = device.platform.description.platform == .android }

  /// `iOS` or `Android`.
  public var platform: String { isAndroid ? "Android" : "iOS" }
  /// Whether accelerations are measured.
  public var hasAccelerometer: Bool { true }
  /// Whether rotations are measured.
  public var hasGyroscope: Bool { true }
  /// Whether there is a compass.
  public var hasMagnetometer: Bool { true }
  /// Android only; what iOS has in its place counts as one.
  public var hasSignificantMotion: Bool { true }
}
