import Contract
import Engine
import Host
import Vocabulary

@testable import FleetSimulator

/// A phone on a line through a fence, which is 200 m around the middle.
extension Stage {
  static let depot = Geofence(
    identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 200))

  static func fenced(
    _ fence: Geofence, at metres: Double, _ request: Command = .start,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) -> Stage {
    let stage = Stage(configure)
    stage.stay(metres)
    stage.tell(.asked(.addGeofences([fence])))
    stage.tell(.asked(request))
    return stage
  }

  func tell(_ action: GeofenceTrigger.Action) {
    var record = location()
    record.geofence = GeofenceTrigger(identifier: "depot", action: action, timestamp: record.timestamp)
    event(.geofence(record, Stage.depot))
  }
}
