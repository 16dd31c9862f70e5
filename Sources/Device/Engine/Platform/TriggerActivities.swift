import Contract

/// The activities that may end a rest (SDK §2.7).
struct TriggerActivities: OptionSet, Sendable {
  let rawValue: UInt8

  static let walking = TriggerActivities(rawValue: 1)
  static let onFoot = TriggerActivities(rawValue: 2)
  static let running = TriggerActivities(rawValue: 4)
  static let onBicycle = TriggerActivities(rawValue: 8)
  static let inVehicle = TriggerActivities(rawValue: 16)
  static let all: TriggerActivities = [.walking, .onFoot, .running, .onBicycle, .inVehicle]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Nil allows all; names that are none of the moving activities allow nothing.
  init(_ names: [String]?) {
    guard let names else {
      self = .all
      return
    }
    self = []
    for name in names { formUnion(TriggerActivities(of: ActivityType(name: name))) }
  }

  /// Empty for an activity at rest.
  init(of type: ActivityType) {
    switch type {
    case .walking: self = .walking
    case .onFoot: self = .onFoot
    case .running: self = .running
    case .onBicycle: self = .onBicycle
    case .inVehicle: self = .inVehicle
    case .still, .unknown, .other: self = []
    }
  }
}

extension ActivityType {
  /// What the log shows as `isMoving` behind an activity.
  var isMoving: Bool { !TriggerActivities(of: self).isEmpty }
}
