import BackgroundGeolocation
import FoundationEssentials
import JSON
import Testing

/// The document of HttpConfig: what is sent, how, and what an answer does. Comments name the lines of the document.
@Suite struct HttpConfigDocumentTests {
  static func upload(_ config: Config) { config.http.url = Server.url }

  /// On, at rest, with the record of the rest uploaded, then this.
  func uploadingPhone(_ profile: LinuxPlatform.Profile = .iOS, _ configure: @escaping (Config) -> Void = { _ in })
    async throws -> Phone
  {
    let phone = try Phone(profile)
    try await phone.start { config in
      config.http.url = Server.url
      configure(config)
    }
    return phone
  }

  /// So many records of the app's own, each with its number among the extras.
  func record(_ numbers: ClosedRange<Int>, on phone: Phone) async throws {
    for number in numbers {
      _ = try await phone.app.store.insert([
        "coords": ["latitude": 45.5, "longitude": -73.6], "extras": ["number": number],
      ])
    }
    phone.callListeners()
  }

  func numbers(_ phone: Phone) -> [Int] {
    phone.server.records.compactMap { $0["extras"]?["number"]?.number.map { Int($0) } }
  }

  // HttpConfig 18, 170, 186, 202, 214, 260, 272, 320, 357
  @Test func `HttpConfig: the defaults`() throws {
    let http = try Phone().app.config.http
    #expect(http.method == .post && http.rootProperty == "location" && http.timeout == 60_000)
    #expect(http.autoSync && http.autoSyncThreshold == 0 && !http.disableAutoSyncOnCellular)
    #expect(!http.batchSync && http.maxBatchSize == -1 && http.headers.isEmpty && http.params.isEmpty)
  }

  // MARK: The request

  // HttpConfig 18, 50, 228
  @Test func `HttpConfig: an upload is a POST of JSON to the url`() async throws {
    let phone = try await uploadingPhone()
    let request = try #require(phone.server.requests.first)
    #expect(request.method == "POST" && request.url == Server.url && request.body["location"] != nil)
    #expect(request.headers["content-type"]?.hasPrefix("application/json") == true)
  }

  // HttpConfig 272
  @Test(arguments: HttpMethod.allCases)
  func `HttpConfig: the method is the configured one`(method: HttpMethod) async throws {
    let phone = try await uploadingPhone { $0.http.method = method }
    #expect(phone.server.requests.map(\.method) == [method.rawValue])
  }

  // HttpConfig 226 to 250
  @Test func `HttpConfig: configured headers are merged with those of the SDK in every upload`() async throws {
    let phone = try await uploadingPhone { config in
      config.http.headers = ["Authorization": "Bearer <a secret key>", "X-FOO": "BAR"]
    }
    phone.drive(from: 0, to: 200)
    #expect(phone.server.uploads.count > 5)
    for upload in phone.server.uploads {
      #expect(upload.headers["authorization"] == "Bearer <a secret key>" && upload.headers["x-foo"] == "BAR")
      #expect(upload.headers["content-type"]?.hasPrefix("application/json") == true)
    }
  }

  // HttpConfig 47, 228
  @Test func `HttpConfig: a configured token is an Authorization header`() async throws {
    let phone = try await uploadingPhone { config in
      config.authorization.strategy = .jwt
      config.authorization.accessToken = "abc"
    }
    #expect(phone.server.requests.first?.headers["authorization"] == "Bearer abc")
  }

  // HttpConfig 48, 287, 299 to 310
  @Test func `HttpConfig: params stand beside the record`() async throws {
    let phone = try await uploadingPhone { $0.http.params = ["user_id": 1_234, "device_id": "abc123"] }
    let body = try #require(phone.server.requests.first?.body)
    #expect(body.keys == ["location", "user_id", "device_id"])
    #expect(body["user_id"]?.number == 1_234 && body["device_id"]?.text == "abc123")
  }

  // HttpConfig 329 to 338
  @Test func `HttpConfig: the root property names the record`() async throws {
    let phone = try await uploadingPhone { $0.http.rootProperty = "myData" }
    let body = try #require(phone.server.requests.first?.body)
    #expect(body.keys == ["myData"] && body["myData"]?["coords"]?["latitude"]?.number == 45.5)
  }

  // HttpConfig 340 to 347
  @Test func `HttpConfig: a dot puts the record at the root`() async throws {
    let phone = try await uploadingPhone { $0.http.rootProperty = "." }
    #expect(phone.server.requests.first?.body["coords"]?["latitude"]?.number == 45.5)
  }

  // HttpConfig 46, 57, 202
  @Test func `HttpConfig: a batch is one request with an array of all that waits`() async throws {
    let phone = try await uploadingPhone { config in
      config.http.batchSync = true
      config.http.autoSyncThreshold = 10
      config.http.rootProperty = "locations"
      config.http.params = ["user_id": 1]
    }
    phone.server.forget()
    try await record(1...10, on: phone)
    #expect(phone.server.requests.count == 1)
    let body = try #require(phone.server.requests.first?.body)
    #expect(body["locations"]?.elements.map { $0["extras"]?["number"]?.number } == (1...10).map { Double($0) })
    #expect(body["user_id"]?.number == 1)
  }

  // HttpConfig 262
  @Test func `HttpConfig: more than the largest batch are several requests`() async throws {
    let phone = try await uploadingPhone { config in
      config.http.batchSync = true
      config.http.maxBatchSize = 25
      config.http.autoSync = false
    }
    try await phone.app.store.destroyAll()
    try await record(1...60, on: phone)
    _ = try await phone.app.store.sync()
    #expect(phone.server.requests.map { $0.body["location"]?.elements.count } == [25, 25, 10])
    #expect(numbers(phone) == Array(1...60))
  }

  // HttpConfig 57, 202
  @Test func `HttpConfig: without batches each record is a request`() async throws {
    let phone = try await uploadingPhone { $0.http.autoSync = false }
    try await record(1...5, on: phone)
    _ = try await phone.app.store.sync()
    #expect(phone.server.requests.count == 6 && numbers(phone) == Array(1...5))
  }

  // MARK: When

  // HttpConfig 55, 168
  @Test func `HttpConfig: each record is uploaded as soon as it is stored`() async throws {
    let phone = try await uploadingPhone()
    phone.app.changePace(true)
    for step in 1...10 {
      phone.pass(3)
      phone.push(Double(step) * 40, speed: 12)
      #expect(phone.server.uuids == phone.heard.locations.compactMap(\.uuid) && phone.app.store.count == 0)
    }
    #expect(phone.server.records.count > 8)
  }

  // HttpConfig 56, 188
  @Test func `HttpConfig: below the threshold nothing is sent and at it everything`() async throws {
    let phone = try await uploadingPhone { $0.http.autoSyncThreshold = 5 }
    phone.server.forget()
    try await record(1...4, on: phone)
    #expect(phone.server.requests.isEmpty && phone.app.store.count == 4)
    try await record(5...5, on: phone)
    #expect(numbers(phone) == Array(1...5) && phone.app.store.count == 0)
  }

  // HttpConfig 192, BGGeo 295
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `HttpConfig: a change of motion sends all whatever the threshold`(profile: LinuxPlatform.Profile) async throws {
    let phone = try await uploadingPhone(profile) { $0.http.autoSyncThreshold = 1_000 }
    #expect(phone.app.store.count == 0)
    try await record(1...3, on: phone)
    phone.app.changePace(true)
    phone.push()
    phone.pass(2)
    phone.push()
    #expect(phone.app.store.count == 0 && numbers(phone) == [1, 2, 3])
    phone.move(from: 0, to: 500)
    #expect(phone.app.store.count > 5)
    phone.rest(at: 500)
    #expect(phone.app.store.count == 0)
  }

  // HttpConfig 172, 176
  @Test func `HttpConfig: without autoSync records wait for sync`() async throws {
    let phone = try await uploadingPhone { $0.http.autoSync = false }
    phone.drive(from: 0, to: 500)
    let count = phone.app.store.count
    #expect(phone.server.requests.isEmpty && count > 10)
    let sent = try await phone.app.store.sync()
    #expect(sent.count == count && phone.server.records.count == count && phone.app.store.count == 0)
  }

  // HttpConfig 214
  @Test func `HttpConfig: on cellular records wait for wireless when so configured`() async throws {
    let phone = try await uploadingPhone { $0.http.disableAutoSyncOnCellular = true }
    phone.platform.setConnectivity(hasConnection: true, isCellular: true)
    phone.server.forget()
    phone.drive(from: 0, to: 500)
    let count = phone.app.store.count
    #expect(phone.server.requests.isEmpty && count > 10)
    phone.platform.setConnectivity(hasConnection: true)
    #expect(phone.app.store.count == 0 && phone.server.records.count == count)
  }

  // HttpConfig 214
  @Test func `HttpConfig: on cellular records go at once unless configured`() async throws {
    let phone = try await uploadingPhone()
    phone.platform.setConnectivity(hasConnection: true, isCellular: true)
    phone.drive(from: 0, to: 500)
    #expect(phone.app.store.count == 0)
  }

  // HttpConfig 218
  @Test func `HttpConfig: sync does not ask for wireless`() async throws {
    let phone = try await uploadingPhone { $0.http.disableAutoSyncOnCellular = true }
    phone.platform.setConnectivity(hasConnection: true, isCellular: true)
    try await record(1...5, on: phone)
    let sent = try await phone.app.store.sync()
    #expect(sent.count == 5 && numbers(phone) == Array(1...5))
  }

  // HttpConfig 217, 188
  @Test func `HttpConfig: sync does not wait for the threshold`() async throws {
    let phone = try await uploadingPhone { $0.http.autoSyncThreshold = 50 }
    try await record(1...5, on: phone)
    #expect(try await phone.app.store.sync().count == 5)
  }
}
