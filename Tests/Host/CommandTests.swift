import Contract
import Engine
import JSON
import Queue
import Testing
import Upload
import Vocabulary

@testable import Host

/// What a server can make a device do (SDK §10).
@Suite struct CommandTests {
  private static let configuration = #"{"url":"http://server.example/locations","logLevel":5}"#

  /// A device that has just sent its first record and gets this answer, then nothing but plain ones.
  private func device(_ commands: String, status: Int = 200, _ configuration: String = configuration) throws -> TestHost
  {
    let device = try TestHost()
    var isFirst = true
    device.server = { request in
      guard request.purpose == .records, isFirst else { return .status(200) }
      isFirst = false
      return .status(status, "{\"background_geolocation\":\(commands)}")
    }
    try device.ready(configuration)
    try device.call(.start)
    return device
  }

  @Test(arguments: [200, 400, 401, 403, 410, 500])
  func stopStopsOnEveryStatus(status: Int) throws {
    let device = try device(#"[["stop"]]"#, status: status)
    #expect(!device.host.engine.state.isEnabled)
    #expect(device.phone.events.contains(.engine(.enabledChange(isEnabled: false))))
    try device.relaunch()
    #expect(!device.host.engine.state.isEnabled)
  }

  @Test func setConfigIsAppliedKeptAndTold() throws {
    let device = try device(#"["setConfig",{"distanceFilter":123,"http":{"params":{"a":1}},"nonsense":1}]"#)
    for configuration in [
      device.host.configuration, device.host.engine.configuration, device.host.uploader.configuration,
    ] {
      #expect(configuration.geolocation.distanceFilterMetres == 123)
      #expect(configuration.http.params == .object(["a": .integer(1)]))
    }
    #expect(device.phone.entries.contains(.configurationChanged(key: "geolocation.distanceFilter")))
    #expect(device.phone.entries.contains(.warning("Unknown configuration key: nonsense", from: .configuration)))
    try device.relaunch()
    #expect(device.host.configuration.geolocation.distanceFilterMetres == 123)
  }

  @Test func theNextRequestGoesWhereTheCommandSays() throws {
    let device = try TestHost()
    device.server = { request in
      request.url.hasPrefix("http://new.")
        ? .status(200)
        : .status(200, #"{"background_geolocation":["setConfig",{"url":"http://new.example/"}]}"#)
    }
    try device.ready(#"{"url":"http://server.example/locations","autoSync":false}"#)
    try device.startMoving()
    try device.drive(3)
    try device.sync(1)
    #expect(device.sent.first?.url == "http://server.example/locations")
    #expect(device.sent.count >= 4)
    #expect(device.sent.dropFirst().allSatisfy { $0.url == "http://new.example/" })
    #expect(device.host.queue.count == 0)
  }

  @Test func commandsRunInOrderAndAFailingOneStopsNoOther() throws {
    let device = try device(
      #"[["changePace","fast"],["fly"],null,["setOdometer",7],["removeGeofence","none"],["changePace",true]]"#)
    #expect(device.host.engine.state.isMoving)
    #expect(device.host.engine.state.odometerMetres == 7)
    let problems = device.phone.entries.filter { if case .commandProblem = $0 { true } else { false } }
    #expect(problems.count == 3)
    let names = device.phone.entries.compactMap { if case .command(let name, _) = $0 { name } else { nil } }
    #expect(names == [.setOdometer, .removeGeofence, .changePace])
  }

  @Test func ofTooManyTheOldestAreDropped() throws {
    let commands = (1...103).map { "[\"setOdometer\",\($0)]" }.joined(separator: ",")
    let device = try device("[\(commands)]")
    #expect(device.phone.entries.contains(.commandOverflow(limit: 100, dropped: 3)))
    let first = device.phone.entries.first { if case .command = $0 { true } else { false } }
    #expect(first == .command(.setOdometer, argument: "4"))
    #expect(device.host.engine.state.odometerMetres == 103)
  }

  @Test func fencesComeAndGo() throws {
    let device = try device(
      """
      [["addGeofence",{"identifier":"a","radius":200,"latitude":1,"longitude":2}],
       ["addGeofences",[{"identifier":"b","radius":200,"latitude":1,"longitude":2},
        {"identifier":"c","radius":200,"latitude":1,"longitude":2}]],
       ["removeGeofence","b"]]
      """)
    #expect(device.host.engine.geofences.map(\.identifier) == ["a", "c"])
    try device.relaunch()
    #expect(device.host.engine.geofences.map(\.identifier) == ["a", "c"])
  }

  @Test func onlyTheDemoServerCanBan() throws {
    let ban = #"[["ban","Go away"],["stop"]]"#
    let ours = try device(ban, status: 403)
    #expect(ours.host.configuration.http.url == "http://server.example/locations")
    let demo = try device(
      ban, status: 403, #"{"url":"https://tracker.transistorsoft.com/api/locations","logLevel":1}"#)
    #expect(demo.host.configuration.http.url == "")
    #expect(demo.phone.entries.contains(.error("Go away")))
    #expect(!demo.host.engine.state.isEnabled)
  }

  @Test func startAndStartGeofences() throws {
    #expect(try device(#"["startGeofences"]"#).host.engine.state.trackingMode == .geofence)
    #expect(try device(#"[["stop"],["start"]]"#).host.engine.state.isEnabled)
    // One command with an argument, not two (SDK §10.1).
    #expect(try !device(#"["stop","start"]"#).host.engine.state.isEnabled)
  }
}
