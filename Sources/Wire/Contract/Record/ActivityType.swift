/// What the motion sensors say the user is doing.
package enum ActivityType: Equatable, Sendable {
  case still, walking, onFoot, running, onBicycle, inVehicle, unknown
  /// A name this version does not know, kept as it came.
  case other(String)

  /// As on the wire.
  package var name: String {
    switch self {
    case .still: "still"
    case .walking: "walking"
    case .onFoot: "on_foot"
    case .running: "running"
    case .onBicycle: "on_bicycle"
    case .inVehicle: "in_vehicle"
    case .unknown: "unknown"
    case .other(let name): name
    }
  }

  package init(name: String) {
    switch name {
    case "still": self = .still
    case "walking": self = .walking
    case "on_foot": self = .onFoot
    case "running": self = .running
    case "on_bicycle": self = .onBicycle
    case "in_vehicle": self = .inVehicle
    case "unknown": self = .unknown
    default: self = .other(name)
    }
  }
}
