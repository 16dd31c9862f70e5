import Contract
import Host

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
