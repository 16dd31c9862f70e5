/// The SDK event that produced a record; plain tracking and single requests have none.
package enum RecordEvent: Equatable, Sendable {
  case motionchange, geofence, providerchange
  /// Documented for the wire although the SDK does not store heartbeats; a server accepts it.
  case heartbeat
  /// A name this version does not know, kept as it came.
  case other(String)

  /// As on the wire.
  package var name: String {
    switch self {
    case .motionchange: "motionchange"
    case .geofence: "geofence"
    case .providerchange: "providerchange"
    case .heartbeat: "heartbeat"
    case .other(let name): name
    }
  }

  package init(name: String) {
    switch name {
    case "motionchange": self = .motionchange
    case "geofence": self = .geofence
    case "providerchange": self = .providerchange
    case "heartbeat": self = .heartbeat
    default: self = .other(name)
    }
  }
}
