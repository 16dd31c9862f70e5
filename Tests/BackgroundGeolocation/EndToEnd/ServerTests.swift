import Base
import FoundationEssentials
import IngestServer
import JSON
import Support
import Testing

@testable import BackgroundGeolocation

/// A device against our own server, over sockets. Its clock is that of the test; the network takes the time it takes.
@Suite struct ServerTests {
  @Test func aDeviceRegistersAndUploadsWithItsToken() async throws {
    let server = try LocalServer { $0.authentication = .required }
    let bench = try Bench(transport: .network())
    let token = try await bench.bgGeo.findOrCreateToken(org: "acme", username: "phone-1", url: server.url)
    #expect(token.apiUrl == server.url + "/api/locations" && !token.refreshToken.isEmpty)
    #expect(bench.bgGeo.hasToken(forHost: "127.0.0.1"))
    let again = try await bench.bgGeo.findOrCreateToken(org: "acme", username: "phone-1", url: server.url)
    #expect(again == token)
    bench.bgGeo.ready(transistorAuthorizationToken: token) { _ in }
    try await bench.bgGeo.start()
    bench.push()
    try server.await(count: 1)
    let records = try server.records(of: "phone-1")
    #expect(records.count == 1)
    bench.bgGeo.destroyToken(url: server.url)
    #expect(!bench.bgGeo.hasToken(forHost: "127.0.0.1"))
  }

  @Test func aWrongRegistrationSaysWhatTheServerSaid() async throws {
    let bench = try Bench(transport: HTTPTransport { _, end in end(.answered(status: 403, body: Array("no".utf8))) })
    do {
      _ = try await bench.bgGeo.findOrCreateToken(org: "acme", username: "phone", url: "http://server.example")
      Issue.record("the server had refused")
    } catch let error as BGGeoError {
      #expect(error.code == 403 && error.message == "no")
    }
  }

  @Test func aDriveIsStoredRecordByRecord() async throws {
    let server = try LocalServer()
    let bench = try Bench(transport: .network())
    let url = server.url
    try await bench.startAtRest { config in
      config.http.url = url + "/locations"
      config.http.headers = ["X-Device-Id": "car"]
      config.http.batchSync = true
    }
    bench.bgGeo.changePace(true)
    bench.drive(from: 5, to: 300, speed: 5)
    try await syncAll(bench.bgGeo)
    let uuids = try server.records(of: "car").compactMap { $0["uuid"] }
    #expect(bench.bgGeo.store.count == 0)
    #expect(uuids.count >= 10)
  }

  @Test func aCommandInAnAnswerChangesTheConfiguration() async throws {
    let server = try LocalServer()
    let bench = try Bench(transport: .network())
    try server.ask(
      "POST", "/admin/v1/devices/car/commands",
      #"{"commands":[["setConfig",{"geolocation":{"distanceFilter":77}}],["stop"]]}"#)
    let answered = Inbox<HttpEvent>()
    let subscription = bench.bgGeo.onHttp { answered.add($0) }
    let url = server.url
    try await bench.startAtRest { config in
      config.http.url = url + "/locations"
      config.http.headers = ["X-Device-Id": "car"]
    }
    try server.await(count: 1)
    try await waitUntil { !bench.bgGeo.enabled }
    #expect(bench.bgGeo.config.geolocation.distanceFilter == 77)
    await bench.bgGeo.callbackQueue.drained()
    #expect(answered.last?.isSuccess == true && answered.last?.statusCode == 200)
    subscription.remove()
  }

  @Test func theLogIsUploaded() async throws {
    let server = try LocalServer()
    let bench = try Bench(transport: .network())
    bench.bgGeo.ready { $0.logger.logLevel = .verbose }
    try await bench.bgGeo.logger.uploadLog(url: server.url + "/logs/car")
    await #expect(throws: (any Error).self) {
      try await bench.bgGeo.logger.uploadLog(url: server.url + "/nowhere")
    }
  }

  /// What is uploading by itself goes on, and `sync` then finds nothing left.
  private func syncAll(_ bgGeo: BGGeo) async throws {
    while true {
      do {
        _ = try await bgGeo.store.sync()
        return
      } catch HttpError.syncInProgress { await Task.yield() }
    }
  }
}

/// Polls what another thread will bring about; on a busy machine it may have to wait for its turn.
func waitUntil(_ condition: () -> Bool) async throws {
  let clock = ContinuousClock()
  let end = clock.now + .seconds(60)
  while !condition() {
    guard clock.now < end else { throw TooLate() }
    await Task.yield()
  }
}

struct TooLate: Error {}
