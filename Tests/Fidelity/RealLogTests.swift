import DeviceLog
import FoundationEssentials
import Testing

@testable import Fidelity

/// The log of a real drive, when somebody has it: `CAR_LOG` names the unpacked file.
@Suite struct RealLogTests {
  static let path = ProcessInfo.processInfo.environment["CAR_LOG"]

  @Test(.enabled(if: path != nil, "CAR_LOG names no log"))
  func theEngineAgreesWithADrive() throws {
    let path = try #require(RealLogTests.path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let report = FidelityReport(try #require(LogReader(text)))
    for kind in FidelityClass.allCases { #expect(try #require(report[kind].share) >= 0.98, "\(report[kind])") }
    #expect(try #require(report.odometerError) <= 0.005, "\(report.loggedMetres) against \(report.replayedMetres)")
  }
}
