package import Contract
package import World

extension Activity {
  /// What the motion sensors of the world say, as the platform hands it to an app.
  package init(_ report: ActivityReport, on platform: DevicePlatform) {
    switch platform {
    case .ios: self.init(ActivityType(onIOS: report.activity), confidence: Activity.confidenceOnIOS(report.confidence))
    case .android: self.init(ActivityType(report.activity), confidence: report.confidence)
    }
  }

  /// Low, medium and high are all that it knows (SDK §4.5).
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

  /// Who walks is on foot there (SDK §4.5).
  fileprivate init(onIOS activity: MotionActivity) {
    self = activity == .walking ? .onFoot : ActivityType(activity)
  }
}
