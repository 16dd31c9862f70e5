import Contract
import Engine
import IngestServer
import JSON
import Queue
import Testing
import Upload
import Vocabulary

@testable import Host

/// From a fix to a row of our own server.
@Suite struct DeliveryTests {
  /// A device whose requests go to the server.
  private func pair(
    _ platform: DevicePlatform = .ios, _ configure: (inout ServerSetup) -> Void = { _ in }
  ) throws -> (TestHost, LocalServer) {
    var setup = ServerSetup()
    configure(&setup)
    let server = try LocalServer { $0.authentication = setup.needsToken ? .required : .off }
    let device = try TestHost(platform)
    device.server = { [unowned device] request in try server.answer(request, at: device.now) }
    return (device, server)
  }

  private struct ServerSetup {
    var needsToken = false
  }

  private static let configuration = """
    {"url":"http://server.example/locations","headers":{"X-Device-Id":"phone"},"distanceFilter":10}
    """

  @Test(arguments: DevicePlatform.allCases)
  func aDriveArrives(platform: DevicePlatform) throws {
    let (device, server) = try pair(platform)
    try device.ready(Self.configuration)
    try device.startMoving()
    try device.drive(30)
    let uploaded = device.sent.filter { $0.purpose == .records }.count
    #expect(uploaded >= 30)
    #expect(try server.count(of: "phone") == uploaded)
    #expect(device.host.queue.count == 0)
    #expect(device.httpStatuses == Array(repeating: 200, count: uploaded))
  }

  @Test(arguments: DevicePlatform.allCases)
  func aTunnelIsMadeUpForInBatches(platform: DevicePlatform) throws {
    let (device, server) = try pair(platform)
    try device.ready(Self.configuration)
    try device.configure(#"{"batchSync":true,"maxBatchSize":7}"#)
    try device.startMoving()
    try device.give(.connectivity(.none))
    let before = try server.count(of: "phone")
    try device.drive(20)
    let waiting = device.host.queue.count
    #expect(waiting >= 20)
    try device.give(.connectivity(.cellular))
    #expect(device.host.queue.count == 0)
    #expect(try server.count(of: "phone") == before + waiting)
  }

  @Test func rowsOnTheirWayWhenTheProcessDiesAreSentAgainAndStoredOnce() throws {
    let (device, server) = try pair()
    try device.ready(Self.configuration)
    // The server commits, and the answer never comes.
    device.server = { [unowned device] request in
      _ = try server.answer(request, at: device.now)
      return nil
    }
    try device.startMoving()
    #expect(device.host.queue.count == 2)
    #expect(try server.count(of: "phone") == 1)
    let first = try #require(device.sent.first)
    try device.relaunch()
    device.server = { [unowned device] request in try server.answer(request, at: device.now) }
    try device.ready(Self.configuration)
    #expect(device.sent.first?.body == first.body)
    #expect(device.host.queue.count == 0)
    #expect(try server.count(of: "phone") == device.sent.count)
  }

  @Test func requestsOfTheNextProcessAreNumberedOn() throws {
    let device = try TestHost()
    device.server = { _ in nil }
    try device.ready(Self.configuration)
    try device.call(.start)
    let request = try #require(device.sent.first)
    try device.relaunch()
    #expect(device.host.uploader.nextRequestID == request.id + 1)
  }

  @Test func devicesOfOneDatabaseKeepToThemselves() throws {
    let server = try LocalServer()
    let first = try TestHost(.ios, number: 0)
    let second = try TestHost(.android, database: first.database, number: 1)
    for (device, name) in [(first, "first"), (second, "second")] {
      device.server = { [unowned device] request in try server.answer(request, at: device.now) }
      try device.ready(
        "{\"url\":\"http://server.example/locations\",\"headers\":{\"X-Device-Id\":\"\(name)\"},\"autoSync\":false}")
      try device.startMoving()
    }
    for _ in 0..<5 {
      try first.drive(1)
      try second.drive(2)
    }
    let counts = [first.host.queue.count, second.host.queue.count]
    try second.sync(1)
    #expect(first.host.queue.count == counts[0])
    try first.sync(1)
    #expect(try [server.count(of: "first"), server.count(of: "second")] == counts)
    #expect(counts == [7, 12])
  }

  // Tokens.

  private func registered() throws -> (TestHost, LocalServer) {
    let (device, server) = try pair { $0.needsToken = true }
    let tokens = try server.ask(
      "POST", "/api/register", #"{"org":"acme","uuid":"phone","model":"m","manufacturer":"f","version":"15"}"#)
    guard case .string(let access)? = tokens["accessToken"], case .string(let refresh)? = tokens["refreshToken"] else {
      throw LocalServer.NoWholeAnswer(text: "no tokens")
    }
    try device.ready(
      """
      {"url":"http://server.example/locations","authorization":{"accessToken":"\(access)","refreshToken":"\(refresh)",\
      "refreshUrl":"http://server.example/api/refresh_token","refreshPayload":{"refresh_token":"{refreshToken}"}}}
      """)
    return (device, server)
  }

  @Test func anExpiredTokenIsRefreshedAndTheNewOneKept() throws {
    let (device, server) = try registered()
    try device.call(.start)
    #expect(device.httpStatuses == [200])
    let old = device.host.configuration.authorization
    // Tokens of one second are one token.
    try device.wait(seconds: 2)
    _ = try server.ask("POST", "/admin/v1/tokens/expire", #"{"device":"phone"}"#)
    try device.call(.changePace(isMoving: true))
    #expect(device.httpStatuses == [200, 401, 200])
    #expect(device.sent.map(\.purpose) == [.records, .records, .refresh, .records])
    #expect(device.host.queue.count == 0)
    let new = device.host.configuration.authorization
    #expect(new.accessToken != old.accessToken && new.refreshToken != old.refreshToken)
    #expect(device.host.engine.configuration.authorization == new)
    #expect(device.host.uploader.configuration.authorization == new)
    let setAt = device.host.uploader.tokenSetAt
    try device.wait(seconds: 100)
    try device.relaunch()
    #expect(device.host.configuration.authorization == new)
    #expect(device.host.uploader.tokenSetAt == setAt)
  }

  /// SDK §11.5. The app names its token at each start, and the first `ready` comes in the millisecond of the launch.
  @Test(arguments: [0.0, 1]) func aTokenIsAsOldAsItsFirstLaunch(delay: Double) throws {
    let device = try TestHost()
    device.server = { request in
      let tokens = #"{"accessToken":"new","expires":600}"#
      return .answered(
        status: 200, reason: "OK", body: request.purpose == .refresh ? Array(tokens.utf8) : [])
    }
    let document = """
      {"url":"http://server.example/","stopOnTerminate":false,"authorization":{"accessToken":"old","expires":600,\
      "refreshToken":"r","refreshUrl":"http://server.example/refresh"}}
      """
    try device.wait(seconds: delay)
    for _ in 0..<2 {
      try device.ready(document)
      try device.startMoving()
      try device.drive(1)
      try device.wait(seconds: 298)
      #expect(!device.sent.contains { $0.purpose == .refresh })
      try device.relaunch()
    }
    device.pass(seconds: 2)
    try device.ready(document)
    try device.startMoving()
    #expect(device.sent.map(\.purpose).prefix(2) == [.refresh, .records])
  }

  @Test func aDeadRefreshTokenKeepsTheRecords() throws {
    let (device, server) = try registered()
    _ = try server.ask("POST", "/admin/v1/tokens/revoke", #"{"device":"phone"}"#)
    try device.startMoving()
    try device.drive(3)
    #expect(device.httpStatuses.allSatisfy { $0 == 401 })
    #expect(try server.count(of: "phone") == 0)
    #expect(device.host.queue.count >= 4)
  }

  // Logs.

  @Test func theServerGetsTheLogItAskedFor() throws {
    let (device, server) = try pair()
    try device.ready(Self.configuration)
    _ = try server.ask(
      "POST", "/admin/v1/devices/phone/commands",
      #"{"commands":[["uploadLog","http://server.example/logs/phone"],["destroyLog"]]}"#)
    try device.call(.start)
    guard case .array(let logs)? = try server.ask("GET", "/admin/v1/devices/phone/logs")["logs"] else {
      Issue.record("no list of logs")
      return
    }
    #expect(logs.map { $0["fileName"] } == [.string("background-geolocation.log.gz")])
    #expect(logs.map { $0["bytes"] } == [.integer(4)])
    #expect(device.phone.logWasDestroyed)
    // The app has not asked.
    #expect(!device.phone.events.contains { if case .logUploaded = $0 { true } else { false } })
  }

  @Test func theAppLearnsHowItsLogFared() throws {
    let (device, _) = try pair()
    try device.ready(Self.configuration)
    try device.modify { host, now in
      host.uploadLog(to: "http://server.example/logs/phone", gzip: [0x1F, 0x8B, 8, 0], completion: 3, at: now)
      host.uploadLog(to: "http://server.example/nowhere", gzip: [1], completion: 4, at: now)
    }
    #expect(device.phone.events.contains(.logUploaded(completion: 3, isSuccess: true, status: 200)))
    #expect(device.phone.events.contains(.logUploaded(completion: 4, isSuccess: false, status: 404)))
  }
}
