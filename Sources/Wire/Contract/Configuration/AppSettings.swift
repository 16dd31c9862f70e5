package import JSON

/// Group `app`: life cycle, heartbeat, schedule, and the Android texts (SDK §2.3, §2.4).
package struct AppSettings: Equatable, Sendable {
  package var stopOnTerminate = true
  package var startOnBoot = false
  package var enableHeadless = false
  /// 0 or less: no heartbeat.
  package var heartbeatIntervalSeconds: Double
  package var preventSuspend = false
  /// Entries in the grammar of SDK §16.1, not checked here.
  package var schedule: [String] = []
  package var scheduleUseAlarmManager = false
  /// An object, kept for whoever asks; a simulated device shows no notification.
  package var notification = AppSettings.defaultNotification
  /// An object, kept for whoever asks; a simulated device shows no dialog.
  package var backgroundPermissionRationale = AppSettings.defaultRationale

  package init(platform: DevicePlatform) {
    heartbeatIntervalSeconds =
      switch platform {
      case .ios: 60
      case .android: -1
      }
  }
}
