/// How the phone is set up.
public final class DeviceSettings: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// Whether the system saves power, and so holds positions and uploads back.
  public var isPowerSaveMode: Bool { device.platform.isPowerSaving }
}
