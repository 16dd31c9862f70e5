import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// A phone on a line through a fence, which is 200 m around the middle.
extension Stage {
  static let depot = Geofence(
    identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 200))

  /// As wide from south to north.
  static var polygon: Geofence {
    let (south, north) = (place(-200).latitude, place(200).latitude)
    return Geofence(
      identifier: "depot",
      shape: .polygon(
        [(south, 1.998), (south, 2.002), (north, 2.002), (north, 1.998)].map {
          Geofence.Vertex(latitude: $0.0, longitude: $0.1)
        }))
  }

  /// A store that can write nothing.
  static func fullDisk() throws -> FaultAction {
    let text = #"""
      { version: 1, name: "x", fleets: { cars: { devices: 1 } },
        faults: [{ name: "full", at: "1s", for: "1h", storage: { error: "SQLITE_FULL" } }] }
      """#
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(text).scenario
    return try #require(scenario.faults.first).action
  }

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

  func tell(_ action: GeofenceTrigger.Action, of fence: Geofence = Stage.depot, agedSeconds: Int64 = 0) {
    var record = location()
    let crossing = record.timestamp.advanced(byMilliseconds: -1_000 * agedSeconds)
    record.geofence = GeofenceTrigger(identifier: fence.identifier, action: action, timestamp: crossing)
    event(.geofence(record, fence))
  }
}
