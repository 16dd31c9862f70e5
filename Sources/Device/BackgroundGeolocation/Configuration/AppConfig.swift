import Contract
public import FoundationEssentials
import JSON

/// Settings of tracking over the life of the app: termination, reboots, heartbeats, the schedule.
public final class AppConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Whether tracking stops when the app is closed; `true` by default.
  public var stopOnTerminate: Bool {
    get { box.value.app.stopOnTerminate }
    set { box.edit { $0.app.stopOnTerminate = newValue } }
  }

  /// Whether tracking resumes after a reboot; `false` by default. Has no effect, and logs a warning, while
  /// `stopOnTerminate` is true.
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

  /// The times at which tracking is on, as texts: `2-6 09:00-17:00` (days of the week, Sunday is 1),
  /// `2026-01-31 09:00-17:00`, `2026-01-01-09:00 2026-12-31-17:00`, each optionally followed by ` geofence` or
  /// ` location`. Takes effect with `BGGeo.startSchedule`. If an entry is not a text, the old schedule remains; an
  /// invalid entry is skipped. Both log a warning.
  public var schedule: [Any] {
    get { box.value.app.schedule }
    set { box.setSchedule(newValue) }
  }

  /// Android only: whether the schedule switches exactly on the minute; `false` by default.
  public var scheduleUseAlarmManager: Bool {
    get { box.value.app.scheduleUseAlarmManager }
    set { box.edit { $0.app.scheduleUseAlarmManager = newValue } }
  }

  /// Android only: the notification of the service; stored, but not shown.
  public var notification: [String: Any] {
    get { box.value.app.notification.dictionary }
    set { box.set("app.notification", newValue) { $0.app.notification = $1 } }
  }

  /// Android only: the texts of the dialog before the background permission; stored, but not shown.
  public var backgroundPermissionRationale: [String: Any] {
    get { box.value.app.backgroundPermissionRationale.dictionary }
    set { box.set("app.backgroundPermissionRationale", newValue) { $0.app.backgroundPermissionRationale = $1 } }
  }
}

/// Settings that decide whether the device is moving or still.
public final class ActivityConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Milliseconds, 10 000 by default and at least 500: on iOS the length of the timer that decides about the start of a trip.
  public var activityRecognitionInterval: TimeInterval {
    get { box.value.activity.activityRecognitionIntervalMilliseconds }
    set { box.edit { $0.activity.activityRecognitionIntervalMilliseconds = newValue } }
  }

  /// Percent; activities of lower confidence are ignored. Default 70 on iOS, 75 on Android.
  public var minimumActivityRecognitionConfidence: Int {
    get { box.value.activity.minimumActivityRecognitionConfidence }
    set { box.edit { $0.activity.minimumActivityRecognitionConfidence = newValue } }
  }

  /// Whether trips do not end when the device is still; `false` by default.
  public var disableStopDetection: Bool {
    get { box.value.activity.disableStopDetection }
    set { box.edit { $0.activity.disableStopDetection = newValue } }
  }

  /// Whether tracking stops when a trip ends; `false` by default.
  public var stopOnStationary: Bool {
    get { box.value.activity.stopOnStationary }
    set { box.edit { $0.activity.stopOnStationary = newValue } }
  }

  /// iOS only: seconds from becoming still to the start of stop detection, 0 by default; 1 000 and more count as milliseconds.
  public var stopDetectionDelay: TimeInterval {
    get { box.value.activity.stopDetectionDelay }
    set { box.edit { $0.activity.stopDetectionDelay = newValue } }
  }

  /// Android only: milliseconds that the device must move before a trip begins; 0 by default.
  public var motionTriggerDelay: TimeInterval {
    get { box.value.activity.motionTriggerDelayMilliseconds }
    set { box.edit { $0.activity.motionTriggerDelayMilliseconds = newValue } }
  }

  /// The names of the activities that may begin a trip, separated by commas; empty, the default, for all.
  public var triggerActivities: String {
    get { box.value.activity.triggerActivities }
    set { box.edit { $0.activity.triggerActivities = newValue } }
  }

  /// Whether the motion sensors are not used; `false` by default.
  public var disableMotionActivityUpdates: Bool {
    get { box.value.activity.disableMotionActivityUpdates }
    set { box.edit { $0.activity.disableMotionActivityUpdates = newValue } }
  }
}

/// Settings of the log.
public final class LoggerConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// On phones: sounds and notifications at each event. Here it is stored and has no effect.
  public var debug: Bool {
    get { box.value.logger.debug }
    set { box.edit { $0.logger.debug = newValue } }
  }

  /// The least severe level that is logged; `.off` by default.
  public var logLevel: LogLevel {
    get { LogLevel(box.value.logger.logLevel) }
    set { box.edit { $0.logger.logLevel = newValue.contract } }
  }

  /// Days after which lines are deleted at the next launch; 3 by default.
  public var logMaxDays: Int {
    get { box.value.logger.logMaxDays }
    set { box.edit { $0.logger.logMaxDays = newValue } }
  }
}

/// Settings of stored records: their form and lifetime.
public final class PersistenceConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// The JSON of a record with tags such as `<%= latitude %>`; empty, the default, for the SDK's own form. A template
  /// that gives no JSON logs an error, and the record has the SDK's form.
  public var locationTemplate: String {
    get { box.value.persistence.locationTemplate }
    set { box.edit { $0.persistence.locationTemplate = newValue } }
  }

  /// The template for geofence records.
  public var geofenceTemplate: String {
    get { box.value.persistence.geofenceTemplate }
    set { box.edit { $0.persistence.geofenceTemplate = newValue } }
  }

  /// The format of times in a record; `.iso` by default.
  public var timestampFormat: TimestampFormat {
    get { TimestampFormat(box.value.persistence.timestampFormat) }
    set { box.edit { $0.persistence.timestampFormat = newValue.contract } }
  }

  /// Days after which a record that was never uploaded is deleted; 1 by default, 0 or less for never.
  public var maxDaysToPersist: Int {
    get { box.value.persistence.maxDaysToPersist }
    set { box.edit { $0.persistence.maxDaysToPersist = newValue } }
  }

  /// The maximum number of stored records, beyond which the oldest are deleted; -1, the default, for no limit, 0 to
  /// store nothing.
  public var maxRecordsToPersist: Int {
    get { box.value.persistence.maxRecordsToPersist }
    set { box.edit { $0.persistence.maxRecordsToPersist = newValue } }
  }

  /// The order in which records are read and uploaded; `.ascending` by default.
  public var locationsOrderDirection: LocationsOrderDirection {
    get { LocationsOrderDirection(box.value.persistence.locationsOrderDirection) }
    set { box.edit { $0.persistence.locationsOrderDirection = newValue.contract } }
  }

  /// The kinds of records that are stored; `.all` by default.
  public var persistMode: PersistMode {
    get { PersistMode(box.value.persistence.persistMode) }
    set { box.edit { $0.persistence.persistMode = newValue.contract } }
  }

  /// Added to every record when it is created. A value that JSON cannot represent is refused with a warning in the log;
  /// the old extras remain.
  public var extras: [String: Any] {
    get { box.value.persistence.extras.dictionary }
    set { box.set("persistence.extras", newValue) { $0.persistence.extras = $1 } }
  }

  /// Android only: whether a change of permissions creates no record by itself; `false` by default.
  public var disableProviderChangeRecord: Bool {
    get { box.value.persistence.disableProviderChangeRecord }
    set { box.edit { $0.persistence.disableProviderChangeRecord = newValue } }
  }
}
