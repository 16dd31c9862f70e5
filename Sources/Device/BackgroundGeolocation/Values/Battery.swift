import Contract

/// The battery when a location was recorded.
public struct Battery: Hashable, Sendable {
  /// 0 to 1; -1 when the device does not say.
  public let level: Double?
  /// Whether the phone is plugged in.
  public let isCharging: Bool?

  init(_ battery: Contract.Battery) {
    level = battery.level ?? -1
    isCharging = battery.isCharging
  }
}
