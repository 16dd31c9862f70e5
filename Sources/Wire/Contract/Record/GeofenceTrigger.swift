package import Base

/// The `geofence` of a record that a geofence transition produced.
package struct GeofenceTrigger: Equatable, Sendable {
  /// What the device did at the boundary.
  package enum Action: String, Sendable {
    case enter = "ENTER"
    case exit = "EXIT"
    case dwell = "DWELL"
  }

  package let identifier: String
  package let action: Action
  package let timestamp: WallInstant
  /// The extras of the geofence itself.
  package let extras: RenderedObject

  package init(identifier: String, action: Action, timestamp: WallInstant, extras: RenderedObject = .empty) {
    self.identifier = identifier
    self.action = action
    self.timestamp = timestamp
    self.extras = extras
  }
}
