package import Contract
package import World

extension Activity {
  /// Converts a report of the world's motion sensors to the platform's form.
  package init(_ report: ActivityReport, on platform: DevicePlatform) {
    switch platform {
    case .ios: self.init(ActivityType(onIOS: report.activity), confidence: Activity.confidenceOnIOS(report.confidence))
    case .android: self.init(ActivityType(report.activity), confidence: report.confidence)
    }
  }

  /// Returns the confidence on iOS, which has only low, medium and high (SDK §4.5).
  private static func confidenceOnIOS(_ percent: Int) -> Int {
    switch percent {
    case 75...: 100
    case 50...: 66
    default: 33
    }
  }
}

extension ActivityType {
  fileprivate init(_ activity: MotionActivity) {
    self =
      switch activity {
      case .still: .still
      case .walking: .walking
      case .running: .running
      case .onFoot: .onFoot
      case .onBicycle: .onBicycle
      case .inVehicle: .inVehicle
      case .unknown: .unknown
      }
  }

  /// iOS has no activity `walking`; it reports `on_foot` (SDK §4.5).
  fileprivate init(onIOS activity: MotionActivity) {
    self = activity == .walking ? .onFoot : ActivityType(activity)
  }
}
