import BackgroundGeolocation
import FoundationEssentials
import JSON
import Synchronization
import Testing

/// What the document of HttpConfig says of commands of the server, and of the log.
extension HttpConfigDocumentTests {
  /// The next upload of a phone at rest is answered with these commands.
  private func phoneObeying(
    _ commands: String, status: Int = 200, _ prepare: (Phone) async throws -> Void = { _ in }
  ) async throws -> Phone {
    let phone = try await uploadingPhone()
    try await prepare(phone)
    let isFirst = Mutex(true)
    phone.server.answer { request in
      let isObeyed =
        request.url == Server.url
        && isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
      let body = isObeyed ? #"{"background_geolocation":\#(commands)}"# : ""
      return .answered(status: status, body: Array(body.utf8))
    }
    try await record(1...1, on: phone)
    phone.server.answer(200)
    phone.callListeners()
    return phone
  }

  // HttpConfig 75
  @Test(arguments: [200, 500])
  func `HttpConfig: the server stops tracking with any status`(status: Int) async throws {
    let phone = try await phoneObeying(#"["stop"]"#, status: status)
    #expect(!phone.app.enabled && phone.heard.enabled.last == false)
  }

  // HttpConfig 74
  @Test func `HttpConfig: the server starts tracking`() async throws {
    let phone = try await phoneObeying(#"["start"]"#) { $0.app.stop() }
    #expect(phone.app.enabled && phone.app.state.trackingMode == .location)
  }

  // HttpConfig 76
  @Test func `HttpConfig: the server starts the mode of geofences`() async throws {
    let phone = try await phoneObeying(#"["startGeofences"]"#)
    #expect(phone.app.enabled && phone.app.state.trackingMode == .geofence)
  }

  // HttpConfig 77
  @Test func `HttpConfig: the server changes the pace`() async throws {
    let phone = try await phoneObeying(#"["changePace",true]"#)
    phone.push()
    phone.pass(2)
    #expect(phone.app.state.isMoving)
  }

  // HttpConfig 78
  @Test func `HttpConfig: the server changes the configuration`() async throws {
    let phone = try await phoneObeying(
      #"["setConfig",{"http":{"params":{"fleet":7}},"geolocation":{"distanceFilter":123}}]"#)
    #expect(phone.app.config.geolocation.distanceFilter == 123)
    try await record(2...2, on: phone)
    #expect(phone.server.requests.last?.body["fleet"]?.number == 7)
  }

  // HttpConfig 79, 80
  @Test func `HttpConfig: the server adds geofences`() async throws {
    let one = #"{"identifier":"A","latitude":45.51,"longitude":-73.6,"radius":200,"notifyOnEntry":true}"#
    let two = one.replacing("\"A\"", with: "\"B\"")
    for (command, added) in [
      (#"["addGeofence",\#(one)]"#, ["A"]), (#"["addGeofences",[\#(one),\#(two)]]"#, ["A", "B"]),
    ] {
      let phone = try await phoneObeying(command)
      #expect(phone.app.geofences.getAll().map(\.identifier) == added)
    }
  }

  // HttpConfig 81, 82
  @Test(arguments: [
    (#"["removeGeofence","A"]"#, ["B", "C"]), (#"["removeGeofences",["A","B"]]"#, ["C"]),
    (#"["removeGeofences"]"#, []),
  ])
  func `HttpConfig: the server removes geofences`(command: String, left: [String]) async throws {
    let phone = try await phoneObeying(command) { phone in
      try await phone.app.geofences.addAll(["A", "B", "C"].map { GeofenceDocumentTests.circle($0, at: 5_000) })
    }
    #expect(phone.app.geofences.getAll().map(\.identifier) == left)
  }

  // HttpConfig 83
  @Test func `HttpConfig: the server asks for the log`() async throws {
    let phone = try await phoneObeying(#"["uploadLog","\#(Server.logUrl)"]"#)
    let log = try #require(phone.server.requests.first { $0.url == Server.logUrl })
    #expect(log.text.utf8.count > 500)
  }

  // HttpConfig 84
  @Test func `HttpConfig: the server deletes the log`() async throws {
    let phone = try await phoneObeying(#"["destroyLog"]"#) { phone in
      phone.app.config.logger.logLevel = .debug
      phone.app.logger.info("a line from before")
      let log = try await phone.app.logger.getLog()
      #expect(log.contains("a line from before"))
    }
    #expect(try await !phone.app.logger.getLog().contains("a line from before"))
  }

  // HttpConfig 71: in any response body.
  @Test func `HttpConfig: commands in the answer to a refresh are obeyed`() async throws {
    let phone = try await uploadingPhone { config in
      config.authorization.accessToken = "old"
      config.authorization.refreshToken = "again"
      config.authorization.refreshUrl = Server.refreshUrl
      config.authorization.refreshPayload = ["refresh_token": "{refreshToken}"]
    }
    phone.server.answer { request in
      if request.url == Server.refreshUrl {
        let body = #"{"access_token":"new","background_geolocation":["stop"]}"#
        return .answered(status: 200, body: Array(body.utf8))
      }
      return .answered(status: request.headers["authorization"] == "Bearer new" ? 200 : 401, body: [])
    }
    try await record(1...1, on: phone)
    #expect(!phone.app.enabled)
  }

  // HttpConfig 71
  @Test func `HttpConfig: commands in the answer to a log upload are obeyed`() async throws {
    let phone = try await uploadingPhone()
    phone.server.answer(200, #"{"background_geolocation":["stop"]}"#)
    try await phone.app.logger.uploadLog(url: Server.logUrl)
    #expect(!phone.app.enabled)
  }

  // HttpConfig 71
  @Test func `HttpConfig: several commands are obeyed in their order`() async throws {
    let phone = try await phoneObeying(#"[["stop"],["startGeofences"],["setConfig",{"distanceFilter":77}]]"#)
    #expect(phone.app.state.trackingMode == .geofence && phone.app.enabled)
    #expect(phone.app.config.geolocation.distanceFilter == 77)
  }

  // HttpConfig 90 to 96
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], [HttpMethod.post, .put])
  func `HttpConfig: the log shows the way of a record`(
    profile: LinuxPlatform.Profile, method: HttpMethod
  ) async throws {
    let phone = try await uploadingPhone(profile) { config in
      config.logger.logLevel = .verbose
      config.http.method = method
    }
    let log = try await phone.app.logger.getLog()
    // iOS writes LOCKED.
    let entries = ["INSERT", "locked", "Response", "DESTROY"]
    #expect(entries.allSatisfy { log.lowercased().contains($0.lowercased()) })
    withKnownIssue("the log of iOS has no line for the request") {
      let isSaid = log.contains("HTTP \(method.rawValue)")
      #expect(isSaid, "of \(log.count) characters")
    } when: {
      profile == .iOS
    }
    phone.server.answer(500)
    try await record(1...1, on: phone)
    #expect(try await phone.app.logger.getLog().contains("UNLOCK"))
  }
}
