import BackgroundGeolocation
import FoundationEssentials
import JSON
import Testing

/// What the document of HttpConfig says of answers, failures and retries.
extension HttpConfigDocumentTests {
  // HttpConfig 37, 40
  @Test(arguments: [200, 201, 202, 204, 299])
  func `HttpConfig: any success deletes the record`(status: Int) async throws {
    let phone = try await uploadingPhone()
    phone.server.answer(status, "nonsense")
    try await record(1...3, on: phone)
    #expect(phone.app.store.count == 0 && numbers(phone) == [1, 2, 3])
    #expect(phone.heard.http.last?.isSuccess == true && phone.heard.http.last?.statusCode == status)
  }

  // HttpConfig 38, 64
  @Test(arguments: [301, 400, 403, 404, 413, 422, 429, 500, 503])
  func `HttpConfig: any other status keeps the record and a later one sends it again`(status: Int) async throws {
    let phone = try await uploadingPhone()
    phone.server.answer(status)
    try await record(1...1, on: phone)
    #expect(phone.app.store.count == 1)
    #expect(phone.heard.http.last?.isSuccess == false && phone.heard.http.last?.statusCode == status)
    phone.server.answer(200)
    try await record(2...2, on: phone)
    #expect(phone.app.store.count == 0 && Set(numbers(phone)) == [1, 2])
  }

  // HttpConfig 34: rendered when recorded.
  @Test func `HttpConfig: what is sent is what was true when it was recorded`() async throws {
    let phone = try await uploadingPhone { $0.persistence.extras = ["day": 1] }
    phone.server.answer(500)
    phone.drive(from: 0, to: 100)
    phone.app.config.persistence.extras = ["day": 2]
    let count = phone.app.store.count
    phone.server.forget()
    phone.server.answer(200)
    _ = try await phone.app.store.sync()
    #expect(phone.server.records.count == count)
    #expect(phone.server.records.allSatisfy { $0["extras"]?["day"]?.number == 1 })
  }

  // HttpConfig 35
  @Test func `HttpConfig: a record on its way is not sent a second time`() async throws {
    let phone = try await uploadingPhone()
    phone.server.forget()
    phone.server.hold()
    try await record(1...5, on: phone)
    phone.platform.enterBackground()
    phone.platform.enterForeground()
    while phone.server.isAsked { phone.server.answerNext() }
    #expect(numbers(phone) == Array(1...5) && phone.app.store.count == 0)
  }

  // HttpConfig 40
  @Test func `HttpConfig: records leave the queue when they are destroyed or too old or too many`() async throws {
    let phone = try Phone()
    phone.ready { config in
      config.persistence.maxRecordsToPersist = 10
      config.persistence.maxDaysToPersist = 2
    }
    try await record(1...15, on: phone)
    let left = try await phone.app.store.all().compactMap { ($0["extras"] as? [String: Any])?["number"] as? Int }
    #expect(left == Array(6...15) && phone.app.store.count == 10)
    try await phone.app.store.destroyAll()
    #expect(phone.app.store.count == 0)
    try await record(1...3, on: phone)
    phone.pass(untilDay: 3, hour: 1)
    phone.kill()
    try phone.launchReady { config in config.persistence.maxDaysToPersist = 2 }
    #expect(phone.app.store.count == 0)
  }

  // HttpConfig 15, 378
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `HttpConfig: the queue survives the end of the process and goes at the next launch`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try await uploadingPhone(profile)
    phone.server.answer(500)
    try await record(1...5, on: phone)
    phone.kill()
    phone.server.forget()
    phone.server.answer(200)
    try phone.launchReady(Self.upload)
    #expect(numbers(phone) == Array(1...5) && phone.app.store.count == 0)
  }

  // HttpConfig 15, BGGeo 141
  @Test func `HttpConfig: when connectivity returns the queue goes`() async throws {
    let phone = try await uploadingPhone()
    phone.platform.setConnectivity(hasConnection: false)
    phone.server.forget()
    phone.drive(from: 0, to: 300)
    let count = phone.app.store.count
    #expect(phone.server.requests.isEmpty && count > 5)
    phone.platform.setConnectivity(hasConnection: true)
    #expect(phone.server.records.count == count && phone.app.store.count == 0)
  }

  enum Trigger: CaseIterable { case record, resume, launch, reboot, connectivity, heartbeat, fetch }

  private func pull(
    _ trigger: Trigger, on phone: Phone, _ configure: @escaping @Sendable (Config) -> Void
  ) async throws {
    switch trigger {
    case .record: try await record(1...1, on: phone)
    case .resume:
      phone.platform.enterBackground()
      phone.platform.enterForeground()
    case .launch:
      phone.kill()
      try phone.launchReady(configure)
    case .reboot:
      phone.platform.reboot()
      try phone.launchReady(configure)
    case .connectivity:
      phone.platform.setConnectivity(hasConnection: false)
      phone.platform.setConnectivity(hasConnection: true)
    case .heartbeat: phone.pass(61)
    case .fetch: phone.platform.fetchInBackground()
    }
  }

  // HttpConfig 64: no trigger has a condition.
  @Test(arguments: Trigger.allCases, [0, 10])
  func `HttpConfig: what was refused is tried again by each of the triggers`(
    trigger: Trigger, threshold: Int
  ) async throws {
    let configure: @Sendable (Config) -> Void = { config in
      config.http.url = Server.url
      config.http.autoSyncThreshold = threshold
      config.app.heartbeatInterval = 60
      config.app.stopOnTerminate = false
      config.app.startOnBoot = true
    }
    let phone = try Phone()
    phone.server.answer(500)
    try await phone.start(configure)
    let refused = try #require(phone.server.uuids.first)
    phone.server.answer(200)
    phone.server.forget()
    try await pull(trigger, on: phone, configure)
    #expect(phone.server.uuids.contains(refused) && phone.app.store.count == 0)
  }

  // HttpConfig 64: the same when there is no answer at all.
  @Test(arguments: [Trigger.resume, .launch, .connectivity, .heartbeat, .fetch])
  func `HttpConfig: what got no answer is tried again by each of the triggers`(trigger: Trigger) async throws {
    let configure: @Sendable (Config) -> Void = { config in
      config.http.url = Server.url
      config.app.heartbeatInterval = 60
    }
    let phone = try Phone()
    phone.server.fallSilent()
    try await phone.start(configure)
    phone.server.answer(200)
    try await pull(trigger, on: phone, configure)
    #expect(phone.app.store.count == 0)
  }

  // HttpConfig 357
  @Test func `HttpConfig: a request that takes too long is a failed one and its record goes again`() async throws {
    let phone = try await uploadingPhone { $0.http.timeout = 3_000 }
    phone.server.hold()
    try await record(1...1, on: phone)
    #expect(phone.server.requests.last?.timeout == 3)
    phone.pass(3)
    phone.server.answerNext(.failed("timeout"))
    phone.callListeners()
    #expect(phone.heard.http.last?.isSuccess == false && phone.heard.http.last?.statusCode == 0)
    phone.server.answer(200)
    phone.platform.enterBackground()
    phone.platform.enterForeground()
    #expect(numbers(phone) == [1, 1] && phone.app.store.count == 0)
  }

  // HttpConfig 262, 357: the time limit is that of a request, not that of the queue.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], [3_000, 60_000])
  func `HttpConfig: a long queue is drained however long it takes and nothing goes twice`(
    profile: LinuxPlatform.Profile, timeout: Int
  ) async throws {
    let phone = try await uploadingPhone(profile) { $0.http.timeout = timeout }
    phone.server.answer(500)
    try await record(1...120, on: phone)
    phone.server.forget()
    phone.heard.forget()
    phone.server.hold()
    phone.platform.enterBackground()
    phone.platform.enterForeground()
    while phone.server.isAsked {
      phone.pass(1)
      phone.server.answerNext()
    }
    phone.callListeners()
    #expect(numbers(phone) == Array(1...120) && phone.app.store.count == 0)
    #expect(phone.heard.http.filter(\.isSuccess).count == 120)
  }

  // HttpConfig 50, BGGeo 122
  @Test func `HttpConfig: after 401 a form asks for a new token and the record goes again with it`() async throws {
    let phone = try await uploadingPhone { config in
      config.authorization.accessToken = "old"
      config.authorization.refreshToken = "again"
      config.authorization.refreshUrl = Server.refreshUrl
      config.authorization.refreshPayload = ["refresh_token": "{refreshToken}"]
    }
    phone.server.forget()
    phone.server.answer { request in
      if request.url == Server.refreshUrl {
        return .answered(status: 200, body: Array(#"{"access_token":"new","refresh_token":"next"}"#.utf8))
      }
      return .answered(status: request.headers["authorization"] == "Bearer new" ? 200 : 401, body: [])
    }
    try await record(1...1, on: phone)
    let urls = [Server.url, Server.refreshUrl, Server.url]
    #expect(phone.server.requests.map(\.url) == urls && numbers(phone) == [1, 1] && phone.app.store.count == 0)
    let refresh = phone.server.requests[1]
    #expect(refresh.headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
    #expect(refresh.text == "refresh_token=again")
    #expect(phone.server.requests[2].headers["authorization"] == "Bearer new")
    #expect(phone.heard.authorization.map(\.isSuccess) == [true])
    #expect(phone.heard.authorization.first?.response?["access_token"] as? String == "new")
  }

  // BGGeo 122
  @Test func `BGGeo: a refused refresh is told with its error`() async throws {
    let phone = try await uploadingPhone { config in
      config.authorization.accessToken = "old"
      config.authorization.refreshToken = "again"
      config.authorization.refreshUrl = Server.refreshUrl
      config.authorization.refreshPayload = ["refresh_token": "{refreshToken}"]
    }
    phone.server.answer(401)
    try await record(1...1, on: phone)
    let event = try #require(phone.heard.authorization.first)
    #expect(!event.isSuccess && event.error?.isEmpty == false && phone.app.store.count == 1)
  }
}
