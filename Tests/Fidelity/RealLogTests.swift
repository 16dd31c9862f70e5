import DeviceLog
import FoundationEssentials
import Testing

@testable import Fidelity

/// The logs of real devices, when somebody has them: `CAR_LOG` and `SLC_LOG` name the unpacked files.
@Suite struct RealLogTests {
  static let path = ProcessInfo.processInfo.environment["CAR_LOG"]

  static let slcPath = ProcessInfo.processInfo.environment["SLC_LOG"]

  @Test(.enabled(if: slcPath != nil, "SLC_LOG names no log"))
  func theEngineAgreesWithSignificantChanges() throws {
    let text = try String(contentsOfFile: try #require(RealLogTests.slcPath), encoding: .utf8)
    let report = FidelityReport(try #require(LogReader(text)))
    for kind: FidelityClass in [.records, .geofences, .transitions, .stopTimers] {
      #expect(try #require(report[kind].share) >= 0.95, "\(report[kind])")
    }
  }

  @Test(.enabled(if: path != nil, "CAR_LOG names no log"))
  func theEngineAgreesWithADrive() throws {
    let path = try #require(RealLogTests.path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let report = FidelityReport(try #require(LogReader(text)))
    for kind in FidelityClass.allCases { #expect(try #require(report[kind].share) >= 0.98, "\(report[kind])") }
    #expect(try #require(report.odometerError) <= 0.005, "\(report.loggedMetres) against \(report.replayedMetres)")
  }
}
