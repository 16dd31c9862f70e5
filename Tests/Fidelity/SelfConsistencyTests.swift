import Contract
import DeviceLog
import Engine
import Testing
import Vocabulary

@testable import Fidelity

/// Engine, log, reader, engine: what our own device wrote, our own engine does again.
@Suite struct SelfConsistencyTests {
  private func check(
    _ device: LoggingDevice, records: Int? = nil, location: SourceLocation = #_sourceLocation
  ) throws {
    let report = FidelityReport(try #require(LogReader(device.log)), isAsObserved: false)
    for agreement in report.agreements {
      #expect(agreement.missing.isEmpty && agreement.extra.isEmpty, "\(agreement)", sourceLocation: location)
    }
    for kind: FidelityClass in [.records, .transitions, .uploads] {
      #expect(report[kind].share == 1, "\(kind)", sourceLocation: location)
    }
    #expect(try #require(report.odometerError) < 0.000_1, sourceLocation: location)
  }

  @Test(arguments: DevicePlatform.allCases) func aDriveIsDoneAgain(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform)
    device.travel(by: .inVehicle, speeds: [12, 18, 30, 7, 3])
    try check(device)
  }

  @Test(
    arguments: DevicePlatform.allCases, [ActivityType.walking, .onFoot, .running, .onBicycle])
  func aWayWithoutACarIsDoneAgain(platform: DevicePlatform, activity: ActivityType) throws {
    var device = LoggingDevice(platform) { $0.geolocation.distanceFilterMetres = 20 }
    device.travel(by: activity, speeds: [1.2, 2.4, 2.6, 5.1])
    try check(device)
  }

  @Test(arguments: DevicePlatform.allCases) func settingsThatTheLogShowsCount(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform) {
      $0.geolocation.distanceFilterMetres = 50
      $0.geolocation.stopTimeoutMinutes = 2
      $0.geolocation.disableElasticity = true
    }
    device.travel(by: .inVehicle, speeds: [12, 18, 30, 7, 3])
    try check(device)
  }

  /// An upload is due with the threshold's number of records, or with a motion change.
  @Test(arguments: DevicePlatform.allCases) func uploadsWaitForTheThreshold(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform) { $0.http.autoSyncThreshold = 4 }
    device.travel(by: .inVehicle, speeds: [12, 18, 30, 7, 3])
    try check(device)
    let uploads = FidelityReport(try #require(LogReader(device.log)), isAsObserved: false)[.uploads]
    #expect(uploads.matched < 20, "\(uploads)")
  }

  @Test(arguments: DevicePlatform.allCases) func aLogWithoutConfigurationBetraysIt(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform, hasBanner: false) {
      $0.geolocation.distanceFilterMetres = 50
      $0.geolocation.stopTimeoutMinutes = 2
    }
    device.travel(by: .inVehicle, speeds: [12, 18, 30, 7, 3])
    try check(device)
  }

  @Test(arguments: DevicePlatform.allCases) func aRelaunchIsFollowed(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform)
    device.travel(by: .inVehicle, speeds: [12, 18])
    device.relaunch()
    device.send(.sample(device.fix(north: 0, speed: 0)))
    device.wait(60)
    try check(device)
  }

  @Test(arguments: DevicePlatform.allCases) func aStopDetectionThatIsOffIsOff(platform: DevicePlatform) throws {
    var device = LoggingDevice(platform) { $0.activity.disableStopDetection = true }
    device.travel(by: .inVehicle, speeds: [12, 18])
    try check(device)
  }
}
