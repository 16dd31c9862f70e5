import BackgroundGeolocation
import FoundationEssentials
import Testing

/// What the document of LocationEvent says of the odometer.
extension LocationEventDocumentTests {
  // LocationEvent 136 to 142
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `LocationEvent: the odometer adds the ways between the records`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    phone.drive(from: 0, to: 3_000)
    #expect(abs(phone.app.odometer - 3_000) < 150)
    let readings = phone.heard.locations.compactMap(\.odometer)
    #expect(readings == readings.sorted())
    phone.move(from: 3_000, to: 0)
    #expect(abs(phone.app.odometer - 6_000) < 300)
  }

  // LocationEvent 138
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `LocationEvent: the odometer survives a restart`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start { config in config.app.stopOnTerminate = false }
    phone.drive(from: 0, to: 1_000)
    let before = phone.app.odometer
    phone.kill()
    try phone.launchReady { config in config.app.stopOnTerminate = false }
    #expect(before > 900 && abs(phone.app.odometer - before) < 1)
  }

  // LocationEvent 143: a position that the app asks for, 60 m from the place of rest.
  @Test func `LocationEvent: the odometer counts a small motion at rest`() async throws {
    let phone = try Phone()
    try await phone.start()
    let before = phone.app.odometer
    phone.pass(minutes: 5)
    let event = try await phone.standing(at: 60) { try await $0.getCurrentPosition(samples: 1) }
    #expect(!event.isMoving && abs((event.odometer ?? 0) - before - 60) < 10)
  }

  // LocationEvent 144
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `LocationEvent: in the mode of geofences the odometer counts at each crossing`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try Phone(profile)
    try await phone.app.geofences.add(GeofenceDocumentTests.circle("WORK", at: 2_000))
    try await phone.startGeofences()
    phone.move(from: 0, to: 3_000)
    let readings = phone.heard.crossings.compactMap(\.location.odometer)
    #expect(readings.count == 2)
    #expect(abs((readings.first ?? 0) - 1_800) < 150 && abs((readings.last ?? 0) - 2_200) < 150)
  }

  // LocationEvent 146
  @Test func `LocationEvent: a bad sample does not count`() async throws {
    let phone = try Phone()
    try await phone.start { config in config.geolocation.filter.odometerAccuracyThreshold = 20 }
    phone.drive(from: 0, to: 500)
    let before = phone.app.odometer
    for step in 1...10 {
      phone.pass(10)
      phone.push(500 + Double(step) * 50, accuracy: 90, speed: 5)
    }
    #expect(abs(phone.app.odometer - before) < 1)
  }

  // LocationEvent 147
  @Test func `LocationEvent: a device that stands still does not count`() async throws {
    let phone = try Phone()
    try await phone.start()
    phone.drive(from: 0, to: 500)
    phone.rest(at: 500)
    let before = phone.app.odometer
    for step in 0..<600 {
      phone.pass(1)
      phone.push(500 + Double(step % 5))
    }
    #expect(phone.app.odometer == before)
  }

  // LocationEvent 136, BGGeo 480, 499
  @Test func `BGGeo: the odometer counts on from the value that it is set to`() async throws {
    let phone = try Phone()
    try await phone.start()
    phone.drive(from: 0, to: 500)
    let set = try await phone.standing(at: 500) { try await $0.setOdometer(1_234.56) }
    #expect(abs((set.odometer ?? 0) - 1_234.56) < 0.01 && abs(phone.app.odometer - 1_234.56) < 0.01)
    phone.move(from: 500, to: 1_000)
    #expect(abs(phone.app.odometer - 1_734.56) < 60)
    let reset = try await phone.standing(at: 1_000) { try await $0.resetOdometer() }
    #expect(reset.odometer == 0 && phone.app.odometer == 0)
  }

  // BGGeo 482, 501
  @Test func `BGGeo: setting the odometer records the place where it was set`() async throws {
    let phone = try Phone()
    try await phone.start { config in config.http.url = Server.url }
    phone.pass(minutes: 1)
    phone.push(30)
    let event = try await phone.standing(at: 30) { try await $0.setOdometer(0) }
    #expect(event.coords?.latitude == Phone.latitude(30))
    #expect(phone.server.uuids.contains(event.uuid ?? ""))
  }

  // LocationEvent 178
  @Test func `LocationEvent: setting the odometer sets its error to zero`() async throws {
    let phone = try Phone()
    try await phone.start()
    phone.drive(from: 0, to: 2_000)
    #expect(phone.app.state.odometerError > 0)
    let event = try await phone.standing(at: 2_000) { try await $0.setOdometer(100) }
    #expect(event.odometerError == 0 && phone.app.state.odometerError == 0)
  }
}
