package import Contract
package import World

extension Activity {
  /// What the motion sensors of the world say, as the platform hands it to an app.
  package init(_ report: ActivityReport) {
    let type: ActivityType =
      switch report.activity {
      case .still: .still
      case .walking: .walking
      case .running: .running
      case .onFoot: .onFoot
      case .onBicycle: .onBicycle
      case .inVehicle: .inVehicle
      case .unknown: .unknown
      }
    self.init(type, confidence: report.confidence)
  }
}
