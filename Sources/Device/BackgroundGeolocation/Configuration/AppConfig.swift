import Contract
public import FoundationEssentials
import JSON

/// How tracking lives with the app: its end, reboots, heartbeats, the schedule.
public final class AppConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Whether tracking ends with the app; `true` by default.
  public var stopOnTerminate: Bool {
    get { box.value.app.stopOnTerminate }
    set { box.edit { $0.app.stopOnTerminate = newValue } }
  }

  /// Whether tracking goes on after a reboot; `false` by default. Without effect while `stopOnTerminate` is true,
  /// which leaves a warning in the log.
  public var startOnBoot: Bool {
    get { box.value.app.startOnBoot }
    set { box.edit { $0.app.startOnBoot = newValue } }
  }

  /// Android only: whether events are delivered without a user interface; `false` by default.
  public var enableHeadless: Bool {
    get { box.value.app.enableHeadless }
    set { box.edit { $0.app.enableHeadless = newValue } }
  }

  /// Seconds between heartbeats while the device is at rest; 0 or less for none. Default 60 on iOS and -1 on Android,
  /// where less than 60 becomes 60. In the background iOS needs `preventSuspend`.
  public var heartbeatInterval: TimeInterval {
    get { box.value.app.heartbeatIntervalSeconds }
    set { box.edit { $0.app.heartbeatIntervalSeconds = newValue } }
  }

  /// iOS only: keeps the app running in the background while the device is at rest; `false` by default.
  public var preventSuspend: Bool {
    get { box.value.app.preventSuspend }
    set { box.edit { $0.app.preventSuspend = newValue } }
  }

  /// When tracking is on, as texts: `2-6 09:00-17:00` (days of the week, Sunday is 1), `2026-01-31 09:00-17:00`,
  /// `2026-01-01-09:00 2026-12-31-17:00`, each with ` geofence` or ` location` behind it if wanted. Begins with
  /// `BGGeo.startSchedule`. An entry that is no text leaves the old schedule, one that cannot be read is left out,
  /// each with a warning in the log.
  public var schedule: [Any] {
    get { box.value.app.schedule }
    set { box.setSchedule(newValue) }
  }

  /// Android only: the schedule switches on the minute; `false` by default.
  public var scheduleUseAlarmManager: Bool {
    get { box.value.app.scheduleUseAlarmManager }
    set { box.edit { $0.app.scheduleUseAlarmManager = newValue } }
  }

  /// Android only: the notification of the service, kept and shown nowhere.
  public var notification: [String: Any] {
    get { box.value.app.notification.dictionary }
    set { box.set("app.notification", newValue) { $0.app.notification = $1 } }
  }

  /// Android only: the texts of the dialog before the permission for the background, kept and shown nowhere.
  public var backgroundPermissionRationale: [String: Any] {
    get { box.value.app.backgroundPermissionRationale.dictionary }
    set { box.set("app.backgroundPermissionRationale", newValue) { $0.app.backgroundPermissionRationale = $1 } }
  }
}
