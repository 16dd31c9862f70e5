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

/// A phone whose records say something else than the truth is found out.
@Suite struct RecordValueTests {
  enum Wrong: CaseIterable {
    case place, timestamp, hourOld, oldPlace, speed, accuracy, battery, charger, recordedAt
    case age, heading, altitude, threshold
    case noAccuracy, noSpeed, noSpeedAccuracy, noAltitudeAccuracy, noHeadingAccuracy
  }

  /// A record contains the place, the speed and the battery of its time (SDK §5.1).
  @Test(arguments: Wrong.allCases) func aRecordThatIsWrong(_ wrong: Wrong) {
    let found = drive { stage, metres in
      let isLate = metres > 2_000
      switch wrong {
      case .place: return record(stage, metres + 1_000)
      case .timestamp: return record(stage, metres, ago: isLate ? 60 : 0)
      case .hourOld: return record(stage, metres, ago: 3_600)
      case .oldPlace: return record(stage, isLate ? metres - 400 : metres)
      case .speed: return record(stage, metres) { $0.coords.speed = 40 }
      case .accuracy:
        stage.tell(.strayed(metres: 0, accuracyMetres: 70))
        return record(stage, metres)
      case .battery: return record(stage, metres) { $0.battery.level = 0.5 }
      case .age: return record(stage, metres) { $0.ageMilliseconds = 1_000 }
      case .heading: return record(stage, metres) { ($0.coords.heading, $0.coords.headingAccuracy) = (180, 5) }
      case .altitude: return record(stage, metres) { ($0.coords.altitude, $0.coords.altitudeAccuracy) = (900, 5) }
      case .threshold: return record(stage, metres) { $0.coords.accuracy = 101 }
      case .noAccuracy: return record(stage, metres) { $0.coords.accuracy = nil }
      case .noSpeed: return record(stage, metres) { $0.coords.speed = nil }
      case .noSpeedAccuracy: return record(stage, metres) { $0.coords.speedAccuracy = nil }
      case .noAltitudeAccuracy: return record(stage, metres) { $0.coords.altitudeAccuracy = nil }
      case .noHeadingAccuracy: return record(stage, metres) { $0.coords.heading = 20 }
      case .charger: return record(stage, metres) { $0.battery.isCharging = true }
      case .recordedAt:
        return record(stage, metres) {
          $0.recordedAt = $0.timestamp.advanced(byMilliseconds: -60_000)
        }
      }
    }
    #expect(found == (wrong == .recordedAt ? [.identity] : [.recording]))
  }

  enum Right: CaseIterable {
    case plain, outlier, earlierOutlier, earlierPlace, odometer, clockSet, clockFault, clockAhead, motionChange, poor,
      network, battery, values
  }

  /// Positions may be far off or old, and clocks are set.
  @Test(arguments: Right.allCases) func aRecordThatIsRight(_ right: Right) {
    let found = drive { stage, metres in
      let isThere = metres == 2_000
      switch right {
      case .plain: return record(stage, metres) { $0.recordedAt = $0.timestamp }
      case .outlier:
        stage.tell(.strayed(metres: isThere ? 1_000 : 0))
        return record(stage, isThere ? metres + 1_000 : metres)
      // The outlier was the best position, and is recorded behind a later one.
      case .earlierOutlier:
        if metres == 1_800 { stage.tell(.strayed(metres: 1_000)) }
        if isThere { stage.tell(.strayed(metres: 0)) }
        return metres == 1_800
          ? nil : isThere ? record(stage, metres + 800, ago: 10) : record(stage, metres)
      // A crossing without a position of its own is recorded at the last one (SDK §15.3.5).
      case .earlierPlace:
        return isThere ? record(stage, metres - 1_400, ago: 70) { $0.event = .geofence } : record(stage, metres)
      // So is a new odometer (SDK §13.1.4).
      case .odometer:
        if isThere { stage.tell(.told(.commanded(.resetOdometer))) }
        return isThere ? record(stage, metres - 1_400, ago: 70) : record(stage, metres)
      case .clockSet:
        if isThere { stage.setBack(seconds: 60) }
        return isThere ? record(stage, metres - 1_200) : record(stage, metres)
      // It sets the clock and sets it back.
      case .clockFault:
        if isThere { stage.begin(.device(DeviceFault())) }
        return isThere ? record(stage, metres - 400, ago: 10) : record(stage, metres)
      // A position from the time when the clock was ahead seems to be a later one.
      case .clockAhead:
        if metres == 1_000 || metres == 1_600 { stage.setBack(seconds: metres == 1_000 ? -60 : 60) }
        return record(stage, metres == 2_400 ? 1_200 : metres)
      case .motionChange:
        return record(stage, metres) { ($0.event, $0.coords.speed) = (.motionchange, nil) }
      case .poor:
        stage.tell(.strayed(metres: 0, accuracyMetres: 70))
        return record(stage, metres) { $0.coords.accuracy = 70 }
      case .network:
        stage.tell(.strayed(metres: 0, accuracyMetres: 70))
        return record(stage, metres) { ($0.coords.accuracy, $0.coords.speed, $0.coords.speedAccuracy) = (20, nil, nil) }
      case .values:
        return record(stage, metres) {
          ($0.ageMilliseconds, $0.coords.heading) = (0, metres.truncatingRemainder(dividingBy: 400) == 0 ? 350 : 20)
          $0.coords.headingAccuracy = 5
          ($0.coords.altitude, $0.coords.altitudeAccuracy) = (70, 5)
          $0.coords.accuracy = 100
        }
      // The record was made before the report of the same instant.
      case .battery:
        if isThere { stage.tell(.charged(Battery(level: 0.7, isCharging: false))) }
        return record(stage, metres) { $0.battery.level = metres > 2_000 ? 0.7 : 0.8 }
      }
    }
    #expect(found == [])
  }

  /// A device that comes back elsewhere may still record where it was.
  @Test(arguments: [true, false]) func aDeviceThatComesBackElsewhere(isRight: Bool) {
    let stage = RecordValueTests.phone()
    stage.pass(seconds: 100)
    stage.event(.location(record(stage, 0) { $0.coords.speed = 0 }))
    stage.pass(seconds: 10)
    stage.stay(5_000)
    if isRight { stage.tell(.asked(.start)) }
    stage.pass(seconds: 10)
    stage.event(.location(record(stage, 0, ago: isRight ? 15 : 5) { $0.coords.speed = 0 }))
    #expect(stage.violated.contains(.recording) == !isRight)
  }

  /// Drives 4 km north at 20 m/s and makes a record each 200 m.
  private func drive(_ make: (Stage, Double) -> LocationRecord?) -> [Invariant] {
    let stage = RecordValueTests.phone()
    var metres = 0.0
    stage.go(from: 0, to: 4_000, seconds: 200) {
      metres += 200
      if let record = make(stage, metres) { stage.event(.location(record)) }
    }
    return stage.violated.filter { [.recording, .identity].contains($0) }
  }

  private static func phone() -> Stage {
    let stage = Stage { $0.geolocation.distanceFilterMetres = 40 }
    stage.stay(0)
    stage.tell(.charged(Battery(level: 0.8, isCharging: false)))
    stage.tell(.asked(.start))
    return stage
  }

  private func record(
    _ stage: Stage, _ metresNorth: Double, ago seconds: Int64 = 0,
    _ change: (inout LocationRecord) -> Void = { _ in }
  ) -> LocationRecord {
    var record = stage.location(isMoving: true, metresNorth: metresNorth)
    record.timestamp = record.timestamp.advanced(byMilliseconds: -seconds * 1_000)
    (record.coords.accuracy, record.coords.speed) = (5, 20)
    (record.coords.speedAccuracy, record.coords.altitudeAccuracy) = (0.6, 8)
    record.battery = Battery(level: 0.8, isCharging: false)
    change(&record)
    return record
  }
}
