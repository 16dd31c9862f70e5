import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What `loadtest/kits/run` has Swift Testing do: KIT_TESTS tests at once, each in a run of its own.
@Suite(.rollingRoad) struct KitTests {
  static let numbers = 0..<(Int(ProcessInfo.processInfo.environment["KIT_TESTS"] ?? "") ?? 200)

  private func upload(_ number: Int, accuracy: Int = 5) async throws -> Int {
    try await myApp.upload(number, accuracy: accuracy, to: Road.current.url + "/locations")
  }

  @Test(arguments: KitTests.numbers) func aRunOfItsOwn(number: Int) async throws {
    let road = Road.current
    let own = number % 5 + 1
    for n in 0..<own { #expect(try await upload(n, accuracy: number) == 200) }
    let found = try await road.wait([
      "device": "phone-1", "where": [["path": "$.coords.accuracy", "equals": number]], "atLeast": own,
    ])
    #expect(found["found"] as? Int == own)
    try await road.never(["where": [["path": "$.coords.accuracy", "not": number]]], within: 100)
    #expect(try await road.records(of: "phone-1").split(separator: 0x0A).count == own)
    if number % 2 == 1 {
      try await road.faults(["fault": ["kind": "status", "status": 503], "match": ["count": 1]])
      #expect(try await upload(9) == 503)
      #expect(try await upload(9) == 200)
      try await road.inOrder(["of": "requests", "status": 503], ["of": "requests", "status": "2xx"])
    } else {
      #expect(try await upload(9) == 200)
      try await road.verify(["of": "requests", "status": 503, "exactly": 0])
    }
  }

  @Test func anErrorHasTheWordsOfTheServer() async throws {
    try await Road.current.faults(["id": "flaky", "fault": ["kind": "status", "status": 503]])
    #expect(try await upload(1) == 503)
    let error = await #expect(throws: RoadError.self) {
      try await Road.current.wait(["device": "phone-1", "timeout": "100ms", "grace": "0s"])
    }
    let message = try #require(error?.message)
    #expect(message.hasPrefix("0 records, expected at least 1, after ") && message.hasSuffix(" s"))
    #expect(error?.reasons.contains("1 upload of phone-1 matched the fault rule flaky (status) and got 503") == true)
    #expect(error?.status == 408)
    let missing = await #expect(throws: RoadError.self) {
      try await Road.current.verify(["device": "phone-1", "uuids": ["4a8a1d3e-0000-4000-8000-000000000000"]])
    }
    #expect(missing?.status == 409 && missing?.message == "1 of 1 records are missing")
  }

  @Test func commandsAndArchive() async throws {
    let road = Road.current
    try await road.command("phone-1", ["changePace", true])
    #expect(try await upload(1) == 200)
    try await road.wait(["of": "commands", "device": "phone-1", "state": "sent"])
    let archive = try JSONSerialization.jsonObject(with: await road.har()) as? [String: [String: Any]]
    #expect((archive?["log"]?["entries"] as? [[String: Any]])?.first?["_device"] as? String == "phone-1")
    #expect(try await road.requests("device=phone-1").split(separator: 0x0A).count == 1)
    try await road.expireTokens(of: "phone-1")
  }

  @Test func ofAnUnknownDeviceThereIsNothing() async throws {
    #expect(try await Road.current.records(of: "phone-1").isEmpty)
    #expect(try await Road.current.requests("device=phone-1").isEmpty)
    let elsewhere = Road(server: Road.current.url + "/elsewhere", token: nil)
    let error = await #expect(throws: RoadError.self) { try await elsewhere.records(of: "phone-1") }
    #expect(error?.status == 404)
  }
}

/// What the examples of docs/kits.md call, which `run` appends: it uploads until it gets 200.
struct MyApp {
  func upload(to url: String) async throws {
    for _ in 0..<3 where try await upload(1, accuracy: 5, to: url) == 200 { return }
    Issue.record("no 200")
  }

  func upload(_ number: Int, accuracy: Int, to url: String) async throws -> Int {
    let text = String(format: "%012d", number)
    let record: [String: Any] = [
      "uuid": "3f2504e0-4f89-41d3-9a0c-\(text)", "timestamp": "2026-07-28T18:34:22.\(text.suffix(3))Z",
      "coords": ["latitude": 48.1, "longitude": 11.5, "accuracy": accuracy],
    ]
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONSerialization.data(withJSONObject: ["location": record, "device_id": "phone-1"])
    let (_, answer) = try await URLSession.shared.data(for: request)
    return (answer as? HTTPURLResponse)?.statusCode ?? 0
  }
}

let myApp = MyApp()
