import Base
import Contract
import Engine
import JSON
import Queue
import Testing
import Upload
import Vocabulary

@testable import Host

/// What a launch begins with (SDK §1, §19.1).
@Suite struct ReadyTests {
  @Test func theFirstLaunchAppliesTheConfigurationWhateverReset() throws {
    for reset in [true, false] {
      let device = try TestHost()
      try device.ready(#"{"reset":\#(reset),"distanceFilter":77}"#)
      #expect(device.host.configuration.geolocation.distanceFilterMetres == 77)
      #expect(device.host.state["isFirstBoot"] == .bool(true))
    }
  }

  @Test func aLaterLaunchWithResetBeginsWithTheDefaults() throws {
    let device = try TestHost()
    try device.ready(#"{"distanceFilter":77,"stopTimeout":9}"#)
    try device.relaunch()
    #expect(device.host.configuration.geolocation.distanceFilterMetres == 77)
    try device.ready(#"{"stopTimeout":8}"#)
    #expect(device.host.configuration.geolocation.distanceFilterMetres == 10)
    #expect(device.host.configuration.geolocation.stopTimeoutMinutes == 8)
    #expect(device.host.state["isFirstBoot"] == .bool(false))
    try device.relaunch()
    #expect(device.host.configuration.geolocation.stopTimeoutMinutes == 8)
  }

  @Test func withoutResetTheKeptConfigurationIsUsed() throws {
    let device = try TestHost()
    try device.ready(#"{"distanceFilter":77}"#)
    try device.relaunch()
    try device.ready(#"{"reset":false,"distanceFilter":5}"#)
    #expect(device.host.configuration.geolocation.distanceFilterMetres == 77)
  }

  @Test func anEmptyConfigurationIsAFirstLaunchToo() throws {
    let device = try TestHost()
    try device.ready()
    try device.relaunch()
    try device.ready(#"{"reset":false,"distanceFilter":5}"#)
    #expect(device.host.configuration.geolocation.distanceFilterMetres == 10)
  }

  @Test func whatWasConfiguredBeforeTheFirstReadyDoesNotOutliveIt() throws {
    let device = try TestHost()
    try device.configure(#"{"url":"http://early.example/","distanceFilter":77}"#)
    try device.ready()
    for configuration in [
      device.host.configuration, device.host.engine.configuration, device.host.uploader.configuration,
    ] {
      #expect(configuration == Configuration(platform: .ios))
    }
  }

  @Test func theTokenIsAppliedInEveryCase() throws {
    let device = try TestHost()
    try device.ready()
    try device.relaunch()
    try device.ready(
      """
      {"reset":false,"transistorAuthorizationToken":
       {"accessToken":"a","refreshToken":"r","expires":-1,"url":"http://demo.example"}}
      """)
    #expect(device.host.configuration.http.url == "http://demo.example/api/locations")
    #expect(device.host.configuration.authorization.accessToken == "a")
  }

  @Test func whatIsNoConfigurationSurvivesReset() throws {
    let device = try TestHost()
    try device.ready(#"{"url":""}"#)
    try device.startMoving()
    try device.call(
      .addGeofences([
        Geofence(
          identifier: "home", shape: .circle(center: .init(latitude: 10, longitude: 20), radiusMetres: 200))
      ]))
    try device.drive(10)
    let state = device.host.engine.state
    let rows = try device.rows()
    #expect(state.odometerMetres > 400)
    #expect(rows.count >= 10)
    try device.relaunch()
    #expect(device.host.engine.state == state)
    #expect(try device.rows() == rows)
    try device.ready()
    #expect(device.host.engine.state.isEnabled)
    #expect(device.host.engine.state.isMoving)
    #expect(device.host.engine.geofences.map(\.identifier) == ["home"])
  }

  @Test func theUUIDsOfALaunchAreItsOwn() throws {
    let device = try TestHost()
    for _ in 0..<5 {
      try device.ready(#"{"url":""}"#)
      try device.call(.start)
      try device.call(.changePace(isMoving: true))
      try device.drive(2)
      try device.call(.stop)
      try device.relaunch()
    }
    let uuids = try device.rows().map(\.uuid)
    #expect(Set(uuids).count == uuids.count)
    #expect(uuids.count >= 15)
  }

  @Test func nothingIsSentBeforeReady() throws {
    let device = try TestHost()
    try device.ready(#"{"url":"http://server.example/","autoSync":false}"#)
    try device.startMoving()
    try device.drive(3)
    try device.relaunch()
    try device.give(.connectivity(.none))
    try device.give(.connectivity(.wifi))
    try device.give(.foreground)
    try device.call(.start)
    try device.sync(4)
    try device.configure(#"{"params":{"a":1}}"#)
    #expect(device.sent.isEmpty)
    #expect(device.phone.events == [.configured(device.host.configuration)])
    try device.ready(#"{"reset":false}"#)
    #expect(try device.syncs.map { try $0.get().count >= 3 } == [true])
    #expect(device.sent.first?.text.contains(#""a":1"#) == true)
  }

  @Test func theStateSaysEverything() throws {
    let device = try TestHost()
    try device.ready(#"{"url":"http://server.example/","distanceFilter":33}"#, Launch(didReboot: true))
    try device.call(.start)
    let state = device.host.state
    #expect(state["enabled"] == .bool(true))
    #expect(state["isMoving"] == .bool(false))
    #expect(state["trackingMode"] == .integer(1))
    #expect(state["didDeviceReboot"] == .bool(true))
    #expect(state["distanceFilter"] == .integer(33))
    #expect(state["odometer"] == .double(0))
    #expect(state["schedulerEnabled"] == .bool(false))
  }

  @Test func whatCannotBeReadIsSaidAndTheRestIsUsed() throws {
    let device = try TestHost()
    try device.ready(#"{"distanceFilter":77}"#)
    try device.database.state(of: 0).set("engine", to: "{".utf8.span)
    try device.database.geofences(of: 0).put([StoredGeofence(identifier: "home", definition: Array("{}".utf8))])
    try device.relaunch()
    try device.ready(#"{"reset":false,"logLevel":1}"#)
    #expect(device.host.configuration.geolocation.distanceFilterMetres == 77)
    #expect(device.host.engine.state == EngineState())
    #expect(device.host.engine.geofences.isEmpty)
    #expect(device.phone.entries.isEmpty)
    try device.relaunch()
    try device.ready(#"{"logLevel":1}"#)
    #expect(device.phone.entries == ["engine", "geofence home"].map { .error("Cannot read saved state: \($0)") })
  }

  @Test func engineStatesComeBackAsTheyWere() throws {
    var state = EngineState()
    state.isEnabled = true
    state.isMoving = true
    state.trackingMode = .geofence
    state.isSchedulerEnabled = true
    state.odometerMetres = 1_234.5
    state.odometerErrorMetres = 7
    state.stationaryPlace = .init(latitude: 1, longitude: -2.5)
    for state in [state, EngineState()] {
      var writer = JSONWriter()
      state.write(to: &writer)
      #expect(EngineState(try JSONValue(parsing: writer.bytes.span)) == state)
    }
    #expect(EngineState(.null) == EngineState())
  }
}
