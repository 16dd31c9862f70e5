import BackgroundGeolocation
import FoundationEssentials
import JSON
import Testing

/// The document of LocationEvent: the record in callbacks, in the store and on the wire. Comments name its lines.
@Suite struct LocationEventDocumentTests {
  private func upload(_ config: Config) { config.http.url = Server.url }

  /// On the way, with a server that has everything.
  private func driving(_ profile: LinuxPlatform.Profile = .iOS) async throws -> Phone {
    let phone = try Phone(profile)
    try await phone.start { config in
      config.http.url = Server.url
      config.persistence.extras = ["car": "red"]
    }
    phone.platform.setBattery(level: 0.75, isCharging: true)
    phone.push(activity: "in_vehicle", confidence: 90)
    phone.drive(from: 0, to: 500)
    return phone
  }

  // MARK: The body

  // LocationEvent 44 to 66
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `LocationEvent: the posted record has the keys of the schema with values of their kinds`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try await driving(profile)
    let record = try #require(phone.server.records.last)
    let coords = try #require(record["coords"])
    for key in ["latitude", "longitude", "accuracy", "speed", "heading", "altitude", "ellipsoidal_altitude"] {
      #expect(coords[key]?.number != nil, "\(key)")
    }
    #expect(record["activity"]?["type"]?.text == "in_vehicle")
    #expect(record["activity"]?["confidence"]?.number != nil)
    #expect(record["battery"]?["level"]?.number == 0.75 && record["battery"]?["is_charging"]?.flag == true)
    #expect(record["extras"]?["car"]?.text == "red")
    #expect(record["is_moving"]?.flag == true)
    #expect(record["odometer"]?.number != nil)
    #expect(record["timestamp"]?.text?.hasSuffix("Z") == true)
    #expect(record["uuid"]?.text?.count == 36)
    #expect(record["geofence"] == nil)
  }

  // LocationEvent 46 to 66
  @Test func `LocationEvent: the body has the record under location`() async throws {
    let phone = try await driving()
    #expect(phone.server.uploads.allSatisfy { $0.body.keys == ["location"] })
  }

  // LocationEvent 47 to 54: what the receiver said.
  @Test func `LocationEvent: the posted coordinates are those of the position`() async throws {
    let phone = try await driving()
    let event = try #require(phone.heard.locations.last { $0.event == nil })
    let record = try #require(phone.server.records.first { $0["uuid"]?.text == event.uuid })
    let coords = try #require(record["coords"])
    #expect(coords["latitude"]?.number == event.coords?.latitude)
    #expect(coords["longitude"]?.number == Phone.longitude)
    #expect(coords["accuracy"]?.number == 5 && coords["speed"]?.number == 10 && coords["heading"]?.number == 0)
    #expect(coords["altitude"]?.number == 40 && coords["ellipsoidal_altitude"]?.number == 10)
  }

  // LocationEvent 28 to 41
  @Test func `LocationEvent: a listener finds the same in the properties`() async throws {
    let phone = try await driving()
    let event = try #require(phone.heard.locations.last { $0.event == nil })
    #expect(event.timestamp != nil && event.isMoving && event.odometer != nil)
    #expect(event.coords?.longitude == Phone.longitude && event.coords?.accuracy == 5)
    #expect(event.coords?.speed == 10 && event.coords?.heading == 0 && event.coords?.altitude == 40)
    #expect(event.coords?.ellipsoidalAltitude == 10)
    #expect(event.activity?.type == "in_vehicle" && (0...100).contains(event.activity?.confidence ?? -1))
    #expect(event.battery?.level == 0.75 && event.battery?.isCharging == true)
  }

  // LocationEvent 58, 112 to 118
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `LocationEvent: a record of a geofence names it and no other record does`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try Phone(profile)
    try await phone.start(upload)
    try await phone.app.geofences.add(GeofenceDocumentTests.circle("WORK"))
    phone.drive(from: 0, to: 2_000)
    let fences = phone.server.records.filter { $0["geofence"] != nil }
    #expect(fences.map { $0["geofence"]?["identifier"]?.text } == ["WORK", "WORK"])
    #expect(fences.map { $0["geofence"]?["action"]?.text } == ["ENTER", "EXIT"])
    #expect(fences.allSatisfy { $0["event"]?.text == "geofence" })
    #expect(phone.server.records.filter { $0["event"]?.text == "geofence" }.count == 2)
    let trigger = try #require(phone.heard.crossings.first?.location.geofence)
    #expect(trigger.identifier == "WORK" && trigger.action == "ENTER")
  }

  // MARK: Its parts

  // LocationEvent 15, 60, 201
  @Test func `LocationEvent: the timestamp is that of the receiver in UTC`() async throws {
    let phone = try Phone()
    try phone.platform.setTimeZone(named: "CET-1CEST,M3.5.0,M10.5.0/3")
    try await phone.start(upload)
    phone.pass(untilDay: 1, hour: 12, minute: 59, second: 30)
    phone.drive(from: 0, to: 100)
    phone.pass(untilDay: 1, hour: 13)
    phone.platform.push(phone.fix(200, speed: 10, age: 3))
    phone.callListeners()
    let event = try #require(phone.heard.locations.last)
    #expect(event.timestamp == phone.clock.now.addingTimeInterval(-3))
    #expect(phone.server.records.last?["timestamp"]?.text == "2026-08-04T12:59:57.000Z")
  }

  // LocationEvent 80 to 82
  @Test func `LocationEvent: timestamp and age make the time at which the SDK got the position`() async throws {
    let phone = try await driving()
    phone.pass(5)
    phone.platform.push(phone.fix(600, speed: 10, age: 2))
    phone.callListeners()
    let event = try #require(phone.heard.locations.last)
    #expect(event.age == 2_000)
    #expect(event.timestamp?.addingTimeInterval(2) == phone.clock.now)
  }

  // LocationEvent 207
  @Test func `LocationEvent: each record has a uuid of its own`() async throws {
    let phone = try await driving()
    #expect(phone.server.uuids.count > 10 && Set(phone.server.uuids).count == phone.server.uuids.count)
  }

  // LocationEvent 209
  @Test func `LocationEvent: a record that is sent again has the same uuid`() async throws {
    let phone = try Phone()
    phone.server.answer(500)
    try await phone.start(upload)
    let refused = try #require(phone.server.uuids.first)
    phone.server.answer(200)
    phone.drive(from: 0, to: 100)
    #expect(phone.server.uuids.filter { $0 == refused }.count >= 2)
  }

  // LocationEvent 74, 88
  @Test func `LocationEvent: activity and battery are those of the time of the record`() async throws {
    let phone = try await driving()
    phone.platform.setBattery(level: 0.2, isCharging: false)
    phone.push(activity: "on_bicycle", confidence: 95)
    phone.move(from: 500, to: 700)
    let (first, last) = (phone.server.records.first { $0["is_moving"]?.flag == true }, phone.server.records.last)
    #expect(first?["battery"]?["level"]?.number == 0.75 && last?["battery"]?["level"]?.number == 0.2)
    #expect(last?["battery"]?["is_charging"]?.flag == false && last?["activity"]?["type"]?.text == "on_bicycle")
  }

  // LocationEvent 100 to 102
  @Test func `LocationEvent: the event says what triggered the record and is absent without a trigger`() async throws {
    let phone = try await driving()
    phone.rest(at: 500)
    let events = phone.server.records.map { $0["event"]?.text }
    #expect(events.first == "motionchange" && events.last == "motionchange")
    #expect(events.filter { $0 == nil }.count > 10)
    #expect(Set(events) == [nil, "motionchange"])
  }

  // LocationEvent 102
  @Test func `LocationEvent: on Android a change of the provider is a record`() async throws {
    let phone = try Phone(.android)
    try await phone.start(upload)
    phone.platform.setAuthorization(.authorizedAlways, accuracy: .reducedAccuracy)
    phone.pass(1)
    phone.push()
    #expect(phone.server.records.contains { $0["event"]?.text == "providerchange" })
  }

  // LocationEvent 102
  @Test func `LocationEvent: the location of a heartbeat says heartbeat`() async throws {
    let phone = try Phone()
    try await phone.start { config in config.app.heartbeatInterval = 60 }
    phone.pass(minutes: 2)
    #expect(phone.heard.heartbeats.first?.location.event == "heartbeat")
  }

  // LocationEvent 108 to 110
  @Test func `LocationEvent: extras of a request are merged with those of the configuration`() async throws {
    let phone = try await driving()
    let event = try await phone.standing(at: 500) {
      try await $0.getCurrentPosition(samples: 1, extras: ["route": 7])
    }
    #expect(event.extras?["car"] as? String == "red" && event.extras?["route"] as? Int == 7)
    let record = try #require(phone.server.records.first { $0["uuid"]?.text == event.uuid })
    #expect(record["extras"]?["car"]?.text == "red" && record["extras"]?["route"]?.number == 7)
    phone.move(from: 500, to: 600)
    #expect(phone.server.records.last?["extras"]?.keys == ["car"])
  }

  // LocationEvent 124
  @Test func `LocationEvent: isMoving is the state in which the record was made`() async throws {
    let phone = try await driving()
    phone.rest(at: 500)
    let moving = phone.server.records.map { $0["is_moving"]?.flag }
    #expect(moving.first == false && moving.last == false && moving.dropFirst().dropLast().allSatisfy { $0 == true })
  }

  // LocationEvent 130
  @Test func `LocationEvent: a position of a test tool says mock and no other does`() async throws {
    let phone = try await driving()
    #expect(phone.server.records.allSatisfy { $0["mock"] == nil || $0["mock"]?.flag == false })
    phone.pass(3)
    phone.platform.push(phone.fix(600, speed: 10), isMock: true)
    phone.callListeners()
    #expect(phone.heard.locations.last?.mock == true && phone.server.records.last?["mock"]?.flag == true)
  }

  // LocationEvent 191 to 195
  @Test func `LocationEvent: samples are told as such and never stored or posted`() async throws {
    let phone = try Phone()
    phone.ready(upload)
    let event = try await phone.standing(accuracy: 40) {
      try await $0.getCurrentPosition(timeout: 30, desiredAccuracy: 10, samples: 4)
    }
    #expect(!event.sample && !phone.heard.samples.isEmpty)
    #expect(phone.server.records.count == 1 && phone.server.uuids == [event.uuid])
  }
}
