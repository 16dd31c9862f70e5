import Contract

/// The motion sensors report another activity.
public struct ActivityChangeEvent: Hashable, Sendable {
  /// `still`, `on_foot`, `walking`, `running`, `on_bicycle`, `in_vehicle` or `unknown`.
  public let activity: String
  /// Percent; always 100 on Android.
  public let confidence: Int

  init(_ activity: Contract.Activity, platform: DevicePlatform) {
    self.activity = activity.type.name
    confidence = platform == .android ? 100 : activity.confidence
  }
}
