import BackgroundGeolocation
import FoundationEssentials
import Testing

/// What the document of Geofence says of polygons and of more geofences than the platform can watch.
extension GeofenceDocumentTests {
  // MARK: Polygons

  /// A rectangle from 900 m to 1,100 m north of home, and 400 m to either side: the circle around it has 412 m.
  private static let wide: [[Double]] = {
    let metresOfDegree = 111_195 * 0.7009
    return [(900, -400), (900, 400), (1_100, 400), (1_100, -400)].map { north, east in
      [Phone.latitude(north), Phone.longitude + east / metresOfDegree]
    }
  }()

  private static let polygon = Geofence(identifier: "AREA", vertices: wide)

  // Geofence 57, 334
  @Test func `Geofence: a polygon has the smallest circle around its corners`() async throws {
    let phone = try Phone()
    try await phone.app.geofences.add(Self.polygon)
    let fence = try await phone.app.geofences.get("AREA")
    #expect(abs(fence.radius - 412.3) < 3)
    #expect(abs(fence.latitude - Phone.latitude(1_000)) < 0.0001 && abs(fence.longitude - Phone.longitude) < 0.0001)
    #expect(fence.vertices?.count == 4)
  }

  // Geofence 55, 334, 336
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], [false, true])
  func `Geofence: a polygon tells where its own edges are crossed and not those of its circle`(
    profile: LinuxPlatform.Profile, isGeofenceMode: Bool
  ) async throws {
    let phone = try Phone(profile)
    try await phone.app.geofences.add(Self.polygon)
    if isGeofenceMode { try await phone.startGeofences() } else { try await phone.start() }
    if !isGeofenceMode { phone.app.changePace(true) }
    phone.move(from: 0, to: 880, speed: 5)
    #expect(phone.heard.transitions.isEmpty, "in the circle only")
    phone.move(from: 885, to: 1_000, speed: 5)
    #expect(phone.heard.transitions == ["AREA ENTER"])
    phone.move(from: 1_005, to: 1_095, speed: 5)
    #expect(phone.heard.transitions == ["AREA ENTER"])
    phone.move(from: 1_100, to: 1_300, speed: 5)
    #expect(phone.heard.transitions == ["AREA ENTER", "AREA EXIT"], "still in the circle")
    phone.move(from: 1_305, to: 2_000, speed: 5)
    #expect(phone.heard.transitions == ["AREA ENTER", "AREA EXIT"])
  }

  // Geofence 336
  @Test func `Geofence: a way through the circle beside the polygon tells nothing`() async throws {
    let phone = try Phone()
    // The rectangle is 300 m east of the way.
    let degree = 111_195 * 0.7009
    let corners = [(700.0, 100.0), (700, 500), (1_300, 500), (1_300, 100)].map { north, east in
      [Phone.latitude(north), Phone.longitude + east / degree]
    }
    try await phone.app.geofences.add(Geofence(identifier: "AREA", vertices: corners))
    try await phone.startGeofences()
    phone.move(from: 0, to: 2_000)
    #expect(phone.heard.transitions.isEmpty)
  }

  // MARK: More than the platform can watch

  // Geofence 80
  @Test func `Geofence: the proximity radius is at least a kilometre`() throws {
    let phone = try Phone()
    phone.ready { config in config.geolocation.geofenceProximityRadius = 500 }
    #expect(phone.app.config.geolocation.geofenceProximityRadius == 1_000)
  }

  // Geofence 9, 78, 81, 82, BGGeo 188: 150 circles, one each 500 m, on either platform more than its limit.
  @Test(arguments: [(LinuxPlatform.Profile.iOS, 20), (.android, 100)])
  func `Geofence: only the nearest are watched and never more than the platform allows`(
    profile: LinuxPlatform.Profile, limit: Int
  ) async throws {
    let phone = try Phone(profile)
    try await phone.start { config in config.geolocation.geofenceProximityRadius = 2_000 }
    try await phone.app.geofences.addAll((1...150).map { Self.circle("\($0)", at: Double($0) * 500, radius: 100) })
    phone.drive(from: 0, to: 20_000, speed: 25)
    let watched = phone.heard.watched
    #expect(watched.count <= limit)
    // At 20,000 m: from 18,000 m to 22,000 m, the next ones first.
    for number in 38...42 { #expect(watched.contains("\(number)")) }
    for number in [1, 30, 50, 150] { #expect(!watched.contains("\(number)")) }
    #expect(phone.app.geofences.getAll().count == 150)
  }

  // Geofence 9, 78
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `Geofence: of any number each is entered and left`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    let count = 120
    try await phone.app.geofences.addAll((1...count).map { Self.circle("\($0)", at: Double($0) * 500, radius: 200) })
    phone.drive(from: 0, to: Double(count) * 500 + 1_000, speed: 20)
    #expect(phone.heard.transitions == (1...count).flatMap { ["\($0) ENTER", "\($0) EXIT"] })
  }

  // Geofence 81: its edge, not its centre, lies within the radius.
  @Test func `Geofence: a large one among many is entered at its edge and left at its edge`() async throws {
    let phone = try Phone(.iOS)
    try await phone.start { config in config.geolocation.geofenceProximityRadius = 1_000 }
    let small = (1...40).map { Self.circle("\($0)", at: -10_000 - Double($0) * 1_000, radius: 100) }
    try await phone.app.geofences.addAll([Self.circle("CITY", at: 8_000, radius: 4_000)] + small)
    phone.drive(from: 0, to: 3_900, speed: 20)
    #expect(phone.heard.transitions.isEmpty)
    phone.move(from: 3_920, to: 4_400, speed: 20)
    #expect(phone.heard.transitions == ["CITY ENTER"])
    phone.move(from: 4_420, to: 11_800, speed: 20)
    #expect(phone.heard.transitions == ["CITY ENTER"])
    phone.move(from: 11_820, to: 12_800, speed: 20)
    #expect(phone.heard.transitions == ["CITY ENTER", "CITY EXIT"])
  }

  // MARK: The mode of geofences

  // Geofence 116, BGGeo 544
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `Geofence: in the mode of geofences only crossings are recorded`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.app.geofences.add(Self.circle("WORK"))
    try await phone.startGeofences()
    phone.pass(minutes: 2)
    let count = phone.app.store.count
    phone.move(from: 0, to: 2_000)
    #expect(phone.app.state.trackingMode == .geofence)
    let events = try await phone.app.store.all().dropFirst(count).map { $0["event"] as? String }
    #expect(events == ["geofence", "geofence"])
  }

  // Geofence 118, 141 to 155: tracking in the zone, geofences outside of it.
  @Test func `Geofence: a listener may switch between tracking and the mode of geofences`() async throws {
    let phone = try Phone(.android)
    try await phone.app.geofences.add(Self.circle("DANGER_ZONE", at: 3_000, radius: 1_000))
    try await phone.startGeofences()
    phone.move(from: 0, to: 2_200)
    #expect(phone.heard.transitions == ["DANGER_ZONE ENTER"] && phone.app.state.trackingMode == .geofence)
    try await phone.app.start()
    #expect(phone.app.state.trackingMode == .location)
    let count = phone.app.store.count
    phone.drive(from: 2_200, to: 4_300)
    #expect(phone.app.store.count > count + 20)
    #expect(phone.heard.transitions == ["DANGER_ZONE ENTER", "DANGER_ZONE EXIT"])
    try await phone.app.startGeofences()
    #expect(phone.app.state.trackingMode == .geofence && phone.app.enabled)
  }
}
