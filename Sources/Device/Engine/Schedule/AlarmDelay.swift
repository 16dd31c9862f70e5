package import Base
package import Contract

/// How late a platform acts upon an alarm (SDK §16.3; the sources give words, the numbers are our choice).
package enum AlarmDelay {
  /// Android, when it may set exact alarms.
  static let exact = Nanoseconds.seconds(1)
  /// Android otherwise.
  static let inexact = Nanoseconds.seconds(600)

  /// `fraction` is a draw of 0 ..< 1. Nil on iOS, which sets no alarms: its scheduler looks at the clock whenever
  /// something else wakes the device.
  package static func draw(_ fraction: Double, on platform: DevicePlatform, isExact: Bool) -> Nanoseconds? {
    switch platform {
    case .ios: nil
    case .android: Nanoseconds(Int64(Double((isExact ? exact : inexact).count) * fraction))
    }
  }
}
