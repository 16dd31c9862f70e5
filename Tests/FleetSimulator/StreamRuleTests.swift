import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator
@testable import Oracle

/// I27, I18: places that are rounded, and an entry where a device was all the time, are found out.
@Suite struct StreamRuleTests {
  /// Latitude and longitude keep the digits of the receiver (SDK §5.1).
  @Test(arguments: [(1e4, true), (1e5, true), (1e7, false)] as [(Double, Bool)])
  func aPlaceKeepsItsDigits(digits: Double, isFound: Bool) {
    let stage = Stage.started()
    stage.go(from: 0, to: 2_000, seconds: 100) {
      var record = stage.location()
      record.coords = Coordinates(
        latitude: (record.coords.latitude * digits).rounded() / digits, longitude: record.coords.longitude)
      (record.coords.accuracy, record.coords.speed, record.coords.speedAccuracy) = (5, 20, 1)
      (record.coords.altitudeAccuracy, record.ageMilliseconds) = (5, 0)
      stage.event(.location(record))
    }
    let isNamed = stage.oracle.violations.violations.contains {
      $0.what.contains("with few digits")
    }
    #expect(isNamed == isFound)
  }

  enum Entry: CaseIterable { case initial, permitted, come, outside, blind, restarted }

  /// Without `geofenceInitialTriggerEntry` there is no entry where the device is already (SDK §15.4).
  @Test(arguments: Entry.allCases) func anEntryWhereTheDeviceIs(_ entry: Entry) {
    let fence = Geofence(
      identifier: "depot",
      shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 1_000))
    let stage = Stage.fenced(fence, at: entry == .come ? 1_500 : 0) {
      $0.geolocation.geofenceInitialTriggerEntry = entry == .permitted
    }
    stage.stay(entry == .come ? 1_500 : entry == .outside ? 950 : 0)
    if entry == .blind { stage.begin(.device(StreamRuleTests.blindness)) }
    stage.wait(400)
    if entry == .come { stage.stay(0) }
    if entry == .restarted {
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
    }
    stage.wait(30)
    if entry == .blind { stage.end(.device(StreamRuleTests.blindness)) }
    stage.tell(.enter, of: fence)
    let isNamed = stage.oracle.violations.violations.contains {
      $0.what.contains("geofenceInitialTriggerEntry is off")
    }
    #expect(isNamed == (entry == .initial), "\(entry)")
  }

  private static var blindness: DeviceFault {
    var fault = DeviceFault()
    fault.noFix = true
    return fault
  }
}
