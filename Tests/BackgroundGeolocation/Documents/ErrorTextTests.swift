import Contract
import FoundationEssentials
import JSON
import Support
import Testing

@testable import BackgroundGeolocation

/// What is thrown says what is wrong, and with which of the things that were given.
@Suite struct ErrorTextTests {
  private func text(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return ""
    } catch { return "\(error)" }
  }

  @Test func aFolderThatIsOpenIsNamed() async throws {
    let folder = try TemporaryFolder()
    let first = try Bench(folder: folder.path)
    let second = await text { _ = try Bench(folder: folder.path) }
    #expect(second == "\(folder.path)/queue.db: another BGGeo, in this process or in another one, has it open")
    first.bgGeo.close()
  }

  @Test(arguments: ["queue.db", "log.db"])
  func aFileThatIsDamagedIsNamed(file: String) async throws {
    let folder = try TemporaryFolder()
    try Bench(folder: folder.path).bgGeo.close()
    let path = "\(folder.path)/\(file)"
    try Data(String(repeating: "no database ", count: 1_000).utf8).write(to: URL(filePath: path))
    let damaged = await text { _ = try Bench(folder: folder.path) }
    #expect(damaged.hasPrefix("\(path): it is damaged, or not a file of this SDK ("))
    #expect(damaged.hasSuffix("a new one is made"))
  }

  /// What is nested deeper could not be read back from the folder.
  @Test func valuesMayBeNestedTwentyLevelsDeepAndNotTwoHundred() async throws {
    func nested(_ levels: Int) -> [String: Any] { (1..<levels).reduce(["a": 1]) { inner, _ in ["a": inner] } }
    let folder = try TemporaryFolder()
    do {
      let bench = try Bench(folder: folder.path)
      bench.bgGeo.ready { $0.persistence.extras = nested(20) }
      let error = await text { _ = try await bench.bgGeo.store.insert(nested(200)) }
      #expect(error.hasPrefix("a.a.a") && error.hasSuffix(" must be a value of JSON"))
    }
    let extras = try Bench(folder: folder.path).bgGeo.config.persistence.extras
    #expect(JSONValue(any: extras) == JSONValue(any: nested(20)))
  }

  @Test(arguments: [
    (Double.nan, 60.0, 1.0, "400: the interval must be a number of at least 0"),
    (-1, 60, 1, "400: the interval must be a number of at least 0"),
    (1_000, 0, 1, "400: the timeout must be a number of more than 0"),
    (1_000, .infinity, 1, "400: the timeout must be a number of more than 0"),
    (1_000, 60, .nan, "400: extras.trip.stops[1] must be a value of JSON"),
  ])
  func aWatchSaysWhatMakesNoSense(interval: Double, timeout: Double, stop: Double, error: String) async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    let errors = Inbox<String>()
    let extras: [String: Any] = ["a": 1, "trip": ["stops": [1.0, stop]]]
    let id = bench.bgGeo.watchPosition(
      interval: interval, timeout: timeout, extras: extras, success: { _ in }, failure: { errors.add("\($0)") })
    await bench.bgGeo.callbackQueue.drained()
    #expect(id == 0 && errors.all == [error])
    if stop.isNaN {
      let single = await text { _ = try await bench.bgGeo.getCurrentPosition(extras: extras) }
      #expect(single == error)
      let insert = await text { _ = try await bench.bgGeo.store.insert(extras) }
      #expect(insert == "trip.stops[1] must be a value of JSON")
    }
  }

  @Test(arguments: [
    ("home", -1.0, 1.0, "geofence home: radius must be more than 0"),
    ("", 200, 1, "geofence number 2 of 3: identifier"),
    ("home", 200, .nan, "geofence home: extras.k must be a value of JSON"),
  ])
  func theFenceOfManyIsNamed(identifier: String, radius: Double, extra: Double, error: String) async throws {
    let bench = try Bench()
    func fence(_ identifier: String, _ radius: Double, _ extra: Double) -> BackgroundGeolocation.Geofence {
      Geofence(identifier: identifier, radius: radius, latitude: 45, longitude: 9, extras: ["k": extra])
    }
    let said = await text {
      try await bench.bgGeo.geofences.addAll([fence("a", 200, 1), fence(identifier, radius, extra), fence("b", 200, 1)])
    }
    #expect(said.hasPrefix(error))
    #expect(bench.bgGeo.geofences.getAll().isEmpty)
  }

  @Test(arguments: ["xx", "ftp://server.example/log", "http://server.example/my log", ""])
  func aLogGoesToAURL(url: String) async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    let said = await text { try await bench.bgGeo.logger.uploadLog(url: url) }
    #expect(said == "the log cannot be sent to '\(url)': no http or https url with a host")
  }

  @Test func aLogThatIsNotTakenNamesTheURL() async throws {
    let url = "http://server.example/logs"
    for (outcome, reason) in [
      (HTTPTransport.Outcome.failed("no route"), "no answer"), (.answered(status: 413, body: []), "status 413"),
    ] {
      let bench = try Bench(transport: HTTPTransport { _, completion in completion(outcome) })
      bench.bgGeo.ready { _ in }
      let said = await text { try await bench.bgGeo.logger.uploadLog(url: url) }
      #expect(said == "\(url): the log was not taken: \(reason)")
    }
  }

  @Test func aURLWithASpaceIsNone() async throws {
    let bench = try Bench(transport: HTTPTransport { _, completion in completion(.failed("no request is made")) })
    bench.bgGeo.ready { config in
      config.http.url = "http://server.example/my records"
      config.http.autoSync = false
    }
    _ = try await bench.bgGeo.store.insert(["coords": ["latitude": 1.0, "longitude": 2.0]])
    await #expect(throws: HttpError.invalidUrl) { try await bench.bgGeo.store.sync() }
    #expect(bench.bgGeo.store.count == 1)
  }

  @Test func aConfigurationNamesTheKey() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { $0.logger.logLevel = .warning }
    bench.bgGeo.config.persistence.extras = ["good": 1, "trip": ["at": Double.infinity]]
    let log = try await bench.bgGeo.logger.getLog()
    #expect(log.contains("persistence.extras.trip.at must be a value of JSON, not what JSON cannot represent"))
  }

  @Test func aCommandOfAWrongKindIsExplainedOnce() async throws {
    let answer = #"{"background_geolocation":["changePace","yes"]}"#
    let bench = try Bench(
      transport: HTTPTransport { _, completion in completion(.answered(status: 200, body: Array(answer.utf8))) })
    bench.bgGeo.ready { config in
      config.http.url = "http://server.example/"
      config.logger.logLevel = .error
    }
    _ = try await bench.bgGeo.store.insert(["coords": ["latitude": 1.0, "longitude": 2.0]])
    let log = try await bench.bgGeo.logger.getLog()
    #expect(log.contains("RPC Error: changePace: expected argument of type boolean but received a string"))
    #expect(log.split(separator: "expected argument").count == 2)
  }
}
