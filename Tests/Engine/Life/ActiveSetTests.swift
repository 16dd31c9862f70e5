import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// What `geofenceschange` tells of the active set (BGGeo 188).
@Suite struct ActiveSetTests {
  private func fence(_ identifier: String, north metres: Double) -> Geofence {
    Geofence(
      identifier: identifier,
      shape: .circle(center: .init(latitude: 45.5 + metres / 111_147, longitude: -116.3), radiusMetres: 200))
  }

  /// As in the example: a map from which circles are removed as `off` says has each of them once.
  @Test(arguments: DevicePlatform.allCases, [EngineCall.start, .startGeofences])
  func theActiveSetIsEmptyWhenMonitoringEnds(platform: DevicePlatform, start: EngineCall) {
    var rig = EngineRig(platform, geofences: [fence("home", north: 1_000), fence("work", north: 3_000)])
    rig.send(.ready(Launch()))
    var map: [String] = []
    func draw(_ effects: [Effect]) {
      for case .geofencesChange(let on, let off) in effects.events {
        map.removeAll { off.contains($0) }
        map += on.map(\.identifier)
      }
    }
    func provider(_ status: Int) -> EngineInput {
      .provider(
        ProviderState(
          isEnabled: true, authorizationStatus: status, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0))
    }
    let ends: [[EngineInput]] = [
      [.call(.stop), .call(start)], [provider(4), provider(3)], [provider(2), provider(3)],
    ]
    rig.send(.call(start))
    for end in ends {
      rig.sample()
      draw(rig.take())
      #expect(map == ["home", "work"])
      rig.send(end[0])
      draw(rig.take())
      #expect(map.isEmpty)
      rig.send(end[1])
    }
  }
}
