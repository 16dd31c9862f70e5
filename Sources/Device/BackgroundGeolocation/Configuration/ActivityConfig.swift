import Contract
public import FoundationEssentials

/// When the device counts as moving and when as still.
public final class ActivityConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Milliseconds, 10 000 by default and at least 500: on iOS the length of the timer that decides about the begin of
  /// a trip.
  public var activityRecognitionInterval: TimeInterval {
    get { box.value.activity.activityRecognitionIntervalMilliseconds }
    set { box.edit { $0.activity.activityRecognitionIntervalMilliseconds = newValue } }
  }

  /// Percent; activities that are less sure decide nothing. Default 70 on iOS, 75 on Android.
  public var minimumActivityRecognitionConfidence: Int {
    get { box.value.activity.minimumActivityRecognitionConfidence }
    set { box.edit { $0.activity.minimumActivityRecognitionConfidence = newValue } }
  }

  /// Whether a trip does not end because the device is still; `false` by default.
  public var disableStopDetection: Bool {
    get { box.value.activity.disableStopDetection }
    set { box.edit { $0.activity.disableStopDetection = newValue } }
  }

  /// Whether tracking stops when a trip ends; `false` by default.
  public var stopOnStationary: Bool {
    get { box.value.activity.stopOnStationary }
    set { box.edit { $0.activity.stopOnStationary = newValue } }
  }

  /// iOS only: seconds from becoming still to the begin of stop detection, 0 by default; 1 000 and more count as
  /// milliseconds.
  public var stopDetectionDelay: TimeInterval {
    get { box.value.activity.stopDetectionDelay }
    set { box.edit { $0.activity.stopDetectionDelay = newValue } }
  }

  /// Android only: milliseconds that the device must be moving before a trip begins; 0 by default.
  public var motionTriggerDelay: TimeInterval {
    get { box.value.activity.motionTriggerDelayMilliseconds }
    set { box.edit { $0.activity.motionTriggerDelayMilliseconds = newValue } }
  }

  /// Names of the activities that may begin a trip, with commas between them; empty, the default, for all.
  public var triggerActivities: String {
    get { box.value.activity.triggerActivities }
    set { box.edit { $0.activity.triggerActivities = newValue } }
  }

  /// Whether the motion sensors are not asked; `false` by default.
  public var disableMotionActivityUpdates: Bool {
    get { box.value.activity.disableMotionActivityUpdates }
    set { box.edit { $0.activity.disableMotionActivityUpdates = newValue } }
  }
}
