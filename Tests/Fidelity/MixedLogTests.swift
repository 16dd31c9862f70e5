import Base
import Contract
import DeviceLog
import Engine
import Testing
import Vocabulary

@testable import Fidelity

/// Logs that are not whole trips: parts of one, other modes, changed settings, and nothing at all.
@Suite struct MixedLogTests {
  private func report(_ text: String) throws -> FidelityReport {
    FidelityReport(try #require(LogReader(text)), isAsObserved: false)
  }

  @Test func nothingAgainstNothingIsNoAgreement() throws {
    let report = try report("2026-07-28 10:00:00.000 🔵 -[TSConfig persist] \n")
    #expect(report.agreements.allSatisfy { $0.share == nil })
    #expect(report.odometerError == nil)
  }

  @Test(arguments: DevicePlatform.allCases) func aLogMayBeginAnywhereInADrive(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform, hasBanner: false) { $0.geolocation.distanceFilterMetres = 50 }
    device.travel(by: .inVehicle, speeds: [12, 18, 30, 7, 3])
    let lines = device.log.split(separator: "\n", omittingEmptySubsequences: false)
    for part in 1..<8 {
      let text = lines[(lines.count * part / 16)...].joined(separator: "\n")
      let report = try report(text)
      let transitions = report[.transitions]
      #expect(transitions.missing.isEmpty && transitions.extra.isEmpty, "part \(part): \(transitions)")
      // The first trip's distance is not known before the log shows it; every difference has its line.
      let all = report.agreements.flatMap { $0.missing + $0.extra }
      #expect(all.allSatisfy { $0.line > 0 }, "part \(part): \(all)")
      #expect(try #require(report[.records].share) > 0.8, "part \(part): \(report[.records])")
    }
  }

  @Test(arguments: DevicePlatform.allCases) func aDistanceThatTheAppChangesIsFollowed(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform)
    device.travel(by: .inVehicle, speeds: [12, 18])
    device.reconfigure { $0.geolocation.distanceFilterMetres = 100 }
    device.send(.stationaryRegionExit(nil))
    device.send(.sample(device.fix(north: 9_000, speed: 12)))
    device.wait(60)
    device.send(.fix(device.fix(north: 10_000, speed: 12)))
    device.wait(60)
    device.send(.fix(device.fix(north: 12_000, speed: 30)))
    let distance = try report(device.log)[.distanceFilter]
    #expect(distance.missing.isEmpty && distance.extra.isEmpty, "\(distance)")
  }

  @Test(arguments: DevicePlatform.allCases) func geofenceModeHasNoPace(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform)
    device.send(.ready(Launch()))
    device.send(.call(.startGeofences))
    device.wait(60)
    device.act(.inVehicle)
    device.wait(600)
    let report = try report(device.log)
    #expect(report[.transitions].share == nil && report[.records].extra.isEmpty, "\(report.agreements)")
  }

  /// In the first and in the last hour of the calendar, as on any other day.
  @Test(arguments: [("0001-01-01", "00:0"), ("9999-12-31", "23:5")])
  func aLogMayBeAtAnEndOfTheCalendar(day: String, hour: String) throws {
    let trip = SmallLog.trip.text
    let moved = trip.replacing("2026-07-28 10:0", with: "\(day) \(hour)").replacing(", 10:0", with: ", \(hour)")
    let (usual, odd) = (try report(trip), try report(moved))
    #expect(usual[.records].matched == 4 && usual[.transitions].matched == 2)
    #expect(odd.agreements.map(\.matched) == usual.agreements.map(\.matched))
    #expect(odd.agreements.allSatisfy { $0.missing.isEmpty && $0.extra.isEmpty }, "\(odd.agreements)")
  }

  @Test(arguments: DevicePlatform.allCases) func everyCutOfADeviceLogIsSurvived(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform)
    device.travel(by: .running, speeds: [2, 3])
    let bytes = device.bytes
    for end in stride(from: 0, to: bytes.count, by: 9_973) {
      guard let log = LogReader(String(decoding: bytes[..<end], as: UTF8.self)) else { continue }
      #expect(FidelityReport(log).agreements.count == FidelityClass.allCases.count)
    }
  }
}
