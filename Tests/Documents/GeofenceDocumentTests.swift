import BackgroundGeolocation
import FoundationEssentials
import JSON
import Testing

/// The document of Geofence: what is watched and what is told. Comments name the lines of the document.
@Suite struct GeofenceDocumentTests {
  /// A circle whose centre is so many metres north of home.
  static func circle(
    _ identifier: String, at metres: Double = 1_000, radius: Double = 200, entry: Bool = true, exit: Bool = true,
    dwell: Double? = nil, extras: [String: Any]? = nil
  ) -> Geofence {
    Geofence(
      identifier: identifier, radius: radius, latitude: Phone.latitude(metres), longitude: Phone.longitude,
      notifyOnEntry: entry, notifyOnExit: exit, notifyOnDwell: dwell != nil, loiteringDelay: (dwell ?? 0) * 1_000,
      extras: extras)
  }

  /// Through a circle of 200 m around 1,000 m, and back.
  private func thereAndBack(_ phone: Phone) {
    if phone.app.state.trackingMode == .location { phone.app.changePace(true) }
    phone.move(from: 0, to: 2_000)
    phone.move(from: 2_000, to: 0)
  }

  // Geofence 19, 20, 116
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], [false, true])
  func `Geofence: a circle tells entry and exit with tracking and without`(
    profile: LinuxPlatform.Profile, isGeofenceMode: Bool
  ) async throws {
    let phone = try Phone(profile)
    try await phone.app.geofences.add(Self.circle("WORK"))
    if isGeofenceMode { try await phone.startGeofences() } else { try await phone.start() }
    thereAndBack(phone)
    #expect(phone.heard.transitions == ["WORK ENTER", "WORK EXIT", "WORK ENTER", "WORK EXIT"])
  }

  // Geofence 310: inside is nearer to the centre than the radius.
  @Test func `Geofence: the boundary is the radius`() async throws {
    let phone = try Phone(.android)
    try await phone.start()
    try await phone.app.geofences.add(Self.circle("WORK", radius: 300))
    phone.drive(from: 0, to: 690)
    #expect(phone.heard.transitions.isEmpty)
    phone.move(from: 700, to: 760)
    #expect(phone.heard.transitions == ["WORK ENTER"])
    phone.move(from: 770, to: 1_290)
    #expect(phone.heard.transitions == ["WORK ENTER"])
    phone.move(from: 1_300, to: 1_500)
    #expect(phone.heard.transitions == ["WORK ENTER", "WORK EXIT"])
  }

  // Geofence 296, 304
  @Test(arguments: [(true, false, ["WORK ENTER"]), (false, true, ["WORK EXIT"]), (false, false, [])])
  func `Geofence: only the crossings that were asked for are told`(
    entry: Bool, exit: Bool, told: [String]
  ) async throws {
    let phone = try Phone(.android)
    try await phone.start()
    try await phone.app.geofences.add(Self.circle("WORK", entry: entry, exit: exit))
    phone.drive(from: 0, to: 2_000)
    #expect(phone.heard.transitions == told)
  }

  // Geofence 276, 290
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `Geofence: a dwell comes after the loitering delay and not before`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    try await phone.app.geofences.add(Self.circle("WORK", dwell: 300))
    phone.drive(from: 0, to: 1_000)
    let entered = try #require(phone.heard.crossings.first?.timestamp)
    phone.rest(at: 1_000)
    phone.pass(entered.addingTimeInterval(290).timeIntervalSince(phone.clock.now))
    #expect(phone.heard.transitions == ["WORK ENTER"])
    phone.pass(minutes: 2)
    #expect(phone.heard.transitions == ["WORK ENTER", "WORK DWELL"])
  }

  // Geofence 276
  @Test func `Geofence: there is no dwell when the device leaves before the delay is over`() async throws {
    let phone = try Phone(.android)
    try await phone.start()
    try await phone.app.geofences.add(Self.circle("WORK", dwell: 300))
    phone.drive(from: 0, to: 2_000)
    phone.pass(minutes: 20)
    #expect(phone.heard.transitions == ["WORK ENTER", "WORK EXIT"])
  }

  // Geofence 87, 290
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `Geofence: a dwell whose delay ends after a restart comes all the same`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try Phone(profile)
    let configure: @Sendable (Config) -> Void = { config in
      config.app.stopOnTerminate = false
      config.app.startOnBoot = true
    }
    try await phone.start(configure)
    try await phone.app.geofences.add(Self.circle("WORK", dwell: 600))
    phone.drive(from: 0, to: 1_000)
    phone.rest(at: 1_000)
    phone.kill()
    try phone.launchReady(configure)
    phone.push(1_000)
    #expect(!phone.heard.transitions.contains("WORK DWELL"))
    phone.pass(minutes: 15)
    phone.push(1_000)
    phone.pass(minutes: 5)
    #expect(phone.heard.transitions == ["WORK ENTER", "WORK DWELL"])
  }

  // Geofence 27
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `Geofence: with the permission When In Use nothing is watched`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    phone.platform.setAuthorization(.authorizedWhenInUse)
    try await phone.app.geofences.add(Self.circle("WORK"))
    try await phone.startGeofences { config in config.geolocation.locationAuthorizationRequest = .whenInUse }
    phone.platform.enterBackground()
    thereAndBack(phone)
    #expect(phone.heard.transitions.isEmpty)
  }

  // Geofence 298
  @Test(arguments: [true, false])
  func `Geofence: a device that is inside from the first has an entry only when configured`(
    isTriggered: Bool
  ) async throws {
    let phone = try Phone(.android)
    try await phone.start { config in config.geolocation.geofenceInitialTriggerEntry = isTriggered }
    try await phone.app.geofences.add(Self.circle("HOME", at: 0))
    phone.push()
    phone.pass(minutes: 2)
    phone.callListeners()
    #expect(phone.heard.transitions == (isTriggered ? ["HOME ENTER"] : []))
    phone.drive(from: 0, to: 800)
    #expect(phone.heard.transitions.last == "HOME EXIT")
  }

  // MARK: What a geofence says of itself

  // Geofence 236 to 242, 254, 326
  @Test func `Geofence: it knows its state and when it changed and how often`() async throws {
    let phone = try Phone(.android)
    try await phone.start()
    try await phone.app.geofences.add(Self.circle("WORK"))
    var fence = try await phone.app.geofences.get("WORK")
    #expect(fence.entryState == .outside && fence.hits == 0)
    phone.drive(from: 0, to: 1_000)
    fence = try await phone.app.geofences.get("WORK")
    #expect(fence.entryState == .inside && fence.entryState.rawValue == 1 && fence.hits == 1)
    let entered = try #require(fence.stateUpdatedAt)
    #expect(abs(entered.timeIntervalSince(phone.heard.crossings[0].timestamp)) <= 1)
    phone.move(from: 1_000, to: 2_000)
    fence = try await phone.app.geofences.get("WORK")
    #expect(fence.entryState == .outside && fence.entryState.rawValue == 0 && fence.hits == 2)
    #expect(try #require(fence.stateUpdatedAt) > entered)
  }

  // Geofence 248
  @Test func `Geofence: its extras go into the event and into the payload`() async throws {
    let phone = try Phone()
    try await phone.start { config in config.http.url = Server.url }
    try await phone.app.geofences.add(Self.circle("WORK", extras: ["route_id": 1_234]))
    phone.drive(from: 0, to: 1_000)
    let event = try #require(phone.heard.crossings.first)
    #expect(event.extras?["route_id"] as? Int == 1_234)
    let record = try #require(phone.server.records.first { $0["event"]?.text == "geofence" })
    let posted = record["geofence"]?["extras"]?["route_id"] ?? record["extras"]?["route_id"]
    #expect(posted?.number == 1_234)
  }

  // Geofence 278, 288
  @Test func `Geofence: the loitering delay is zero and only entry and exit are told by default`() {
    let fence = Geofence(identifier: "HOME", radius: 200, latitude: 45.5, longitude: -73.6)
    #expect(fence.loiteringDelay == 0 && !fence.notifyOnDwell && fence.extras == nil && fence.vertices == nil)
  }
}

/// Adding and removing.
extension GeofenceDocumentTests {
  // Geofence 34, 262
  @Test func `Geofence: one with the same identifier is replaced`() async throws {
    let phone = try Phone()
    try await phone.start()
    try await phone.app.geofences.add(Self.circle("WORK", at: 1_000))
    try await phone.app.geofences.add(Self.circle("WORK", at: 3_000, radius: 250))
    #expect(phone.app.geofences.getAll().map(\.radius) == [250])
    phone.drive(from: 0, to: 2_000)
    #expect(phone.heard.transitions.isEmpty)
    phone.move(from: 2_000, to: 3_000)
    #expect(phone.heard.transitions == ["WORK ENTER"])
  }

  // Geofence 32, 225
  @Test func `Geofence: many are added at once`() async throws {
    let phone = try Phone()
    try await phone.start()
    try await phone.app.geofences.addAll((1...50).map { Self.circle("\($0)", at: Double($0) * 500) })
    #expect(phone.app.geofences.getAll().count == 50)
  }

  // Geofence 93, 111
  @Test func `Geofence: a removed one tells nothing any more and the others do`() async throws {
    let phone = try Phone()
    try await phone.start()
    try await phone.app.geofences.addAll([Self.circle("A", at: 1_000), Self.circle("B", at: 2_000)])
    try await phone.app.geofences.remove("A")
    #expect(phone.app.geofences.getAll().map(\.identifier) == ["B"])
    #expect(await !phone.app.geofences.exists("A"))
    phone.drive(from: 0, to: 3_000)
    #expect(phone.heard.transitions == ["B ENTER", "B EXIT"])
  }

  // Geofence 50
  @Test func `Geofence: removing all is told with two empty lists`() async throws {
    let phone = try Phone()
    try await phone.start()
    try await phone.app.geofences.addAll([Self.circle("A", at: 1_000), Self.circle("B", at: 2_000)])
    phone.push()
    phone.heard.forget()
    try await phone.app.geofences.removeAll()
    phone.callListeners()
    let event = try #require(phone.heard.geofenceChanges.last)
    #expect(event.on.isEmpty && event.off.isEmpty && phone.app.geofences.getAll().isEmpty)
  }

  // Geofence 87
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `Geofence: they stay until they are removed and are watched after a restart`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try Phone(profile)
    try await phone.startGeofences { config in config.app.stopOnTerminate = false }
    try await phone.app.geofences.add(Self.circle("WORK"))
    phone.kill()
    try phone.launchReady { config in config.app.stopOnTerminate = false }
    #expect(phone.app.geofences.getAll().map(\.identifier) == ["WORK"])
    phone.push()
    phone.move(from: 0, to: 2_000)
    #expect(phone.heard.transitions == ["WORK ENTER", "WORK EXIT"])
  }

  private static let staysOn: @Sendable (Config) -> Void = { config in
    config.app.stopOnTerminate = false
    config.app.startOnBoot = true
  }

  /// How the app goes away while the device is inside, and what the app hears when it is back.
  enum Absence: CaseIterable { case kill, userCloses, reboot }

  // Geofence 87
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], Absence.allCases)
  func `Geofence: one that is left while the app is away has its exit`(
    profile: LinuxPlatform.Profile, absence: Absence
  ) async throws {
    let phone = try Phone(profile)
    try await phone.app.geofences.add(Self.circle("HOME", at: 0))
    try await phone.start(Self.staysOn)
    phone.pass(minutes: 2)
    #expect(phone.heard.transitions == ["HOME ENTER"])
    switch absence {
    case .kill: phone.kill()
    case .userCloses: phone.terminate()
    case .reboot: phone.platform.reboot()
    }
    phone.move(from: 0, to: 3_000)
    try phone.launchReady(Self.staysOn)
    phone.push(3_000)
    phone.pass(minutes: 1)
    phone.push(3_000)
    // Android's service may have told and stored it while there was no listener.
    let stored = try await phone.app.store.all().compactMap { ($0["geofence"] as? [String: Any])?["action"] as? String }
    #expect(phone.heard.transitions == ["HOME ENTER", "HOME EXIT"] || stored.filter { $0 == "EXIT" }.count == 1)
    #expect(try await phone.app.geofences.get("HOME").entryState == .outside)
  }
}
