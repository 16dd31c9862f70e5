import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

@testable import Engine

/// The engine makes only the entries that the log keeps (SDK §20.1), and every one of those.
@Suite struct LogLevelTests {
  private func entries(_ platform: DevicePlatform, _ level: Contract.LogLevel) -> [LogEntry] {
    var rig = EngineRig(platform) {
      $0.logger.logLevel = level
      $0.geolocation.stopTimeoutMinutes = 1
      $0.app.preventSuspend = true
      $0.app.heartbeatIntervalSeconds = 60
      $0.app.schedule = ["1-7 07:00-17:00", "nonsense"]
    }
    rig.send(.ready(Launch()))
    rig.send(.call(.changePace(isMoving: true)))
    let home = Geofence(
      identifier: "home", shape: .circle(center: .init(latitude: 45.5, longitude: -116.3), radiusMetres: 100))
    rig.send(.call(.addGeofences([home])))
    rig.send(.call(.start))
    rig.sample(accuracy: 30)
    rig.sample()
    rig.send(.background)
    rig.wait(70)
    rig.act(.inVehicle)
    rig.wait(11)
    rig.sample(north: 17)
    rig.act(.still, 33)
    rig.send(.stationaryRegionExit(rig.fix(north: 50, accuracy: 90)))
    rig.send(.stationaryRegionExit(rig.fix(north: 300)))
    rig.sample(north: 300)
    for metres in [400.0, 700, 700_000] {
      rig.wait(30)
      rig.drive(north: metres)
      rig.send(.fix(rig.fix(north: metres, ageSeconds: 60)))
    }
    rig.send(.geofenceCrossing(identifier: "home", isEntry: false, rig.fix(north: 700)))
    rig.send(.geofenceCrossing(identifier: "home", isEntry: false, rig.fix(north: 700)))
    rig.act(.unknown, 33)
    rig.act(.still)
    rig.wait(300)
    rig.send(.call(.startBackgroundTask(id: 1)))
    rig.wait(200)
    rig.send(.connectivity(.wifi))
    rig.reconfigure { $0.geolocation.distanceFilterMetres = 20 }
    rig.send(.call(.removeGeofences(identifiers: nil)))
    rig.send(.call(.stopSchedule))
    rig.send(.call(.stop))
    rig.send(.terminate)
    return rig.take().logs
  }

  @Test(arguments: DevicePlatform.allCases, Contract.LogLevel.allCases)
  func aLevelKeepsWhatItIsFor(platform: DevicePlatform, level: Contract.LogLevel) {
    let all = entries(platform, .verbose)
    #expect(all.count > 70)
    #expect(entries(platform, level) == all.filter { level != .off && $0.level <= level })
  }
}
