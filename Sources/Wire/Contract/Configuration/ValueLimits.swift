/// The range of a numeric key. Values beyond it are moved to its nearest end.
package struct ValueLimits: Equatable, Sendable {
  package let lowest: Double
  package let highest: Double
  /// Nil when the range holds on both platforms.
  package let platform: DevicePlatform?
  /// Whether 0 and less stand for "off" and are left alone.
  package let allowsOff: Bool

  static let none = ValueLimits(lowest: -.infinity, highest: .infinity, platform: nil, allowsOff: false)

  static func from(_ lowest: Double, to highest: Double, on platform: DevicePlatform? = nil) -> ValueLimits {
    ValueLimits(lowest: lowest, highest: highest, platform: platform, allowsOff: false)
  }

  static func atLeast(_ lowest: Double) -> ValueLimits { .from(lowest, to: .infinity) }

  static func offOrAtLeast(_ lowest: Double, on platform: DevicePlatform) -> ValueLimits {
    ValueLimits(lowest: lowest, highest: .infinity, platform: platform, allowsOff: true)
  }

  func clamp(_ value: Double, on platform: DevicePlatform) -> Double {
    if let only = self.platform, only != platform { return value }
    if allowsOff && value <= 0 { return value }
    return min(max(value, lowest), highest)
  }
}
