/// The state of the device's battery.
package struct Battery: Equatable, Sendable {
  /// 0 to 1; nil when unknown (as in the iOS simulator), which is -1 on the wire.
  package var level: Double?
  package var isCharging: Bool

  package init(level: Double?, isCharging: Bool) {
    self.level = level
    self.isCharging = isCharging
  }
}
