import Contract

/// What the user was doing when a location was recorded.
public struct Activity: Hashable, Sendable {
  /// `still`, `on_foot`, `walking`, `running`, `on_bicycle`, `in_vehicle` or `unknown`.
  public let type: String?
  /// Percent, 0 to 100.
  public let confidence: Int?

  init(_ activity: Contract.Activity) {
    type = activity.type.name
    confidence = activity.confidence
  }
}
