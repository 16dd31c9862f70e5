import JSON
import Network
import Support
import Testing

@testable import IngestServer

/// Runs, errors by name, and devices that fail, as the server remembers them.
@Suite struct TrafficTests {
  private let rule =
    #"{"faults":[{"id":"f","fault":{"kind":"status","status":503},"match":{"device":"b","count":2}}]}"#

  private func list(_ harness: SessionHarness, _ path: String, _ key: String) throws -> [JSONValue] {
    let answer = try harness.request("GET", "/admin/v1" + path)
    guard case .array(let list)? = try answer.json()[key] else { throw NoAnswer(request: answer.text) }
    return list
  }

  private func upload(_ harness: SessionHarness, _ number: Int, of device: String, run: String = "") throws -> Int {
    let prefix = run.isEmpty ? "" : "/r/\(run)"
    return try harness.upload(Uploads.record(number), to: "\(prefix)/locations", [("X-Device-Id", device)]).status
  }

  /// A client that has left, or whose connection a fault has ended, got none of the answers that others get.
  @Test func requestsWithoutAnAnswerHaveStatusesOfTheirOwn() throws {
    let harness = try SessionHarness()
    let bytes = SessionHarness.bytes("POST", "/locations/a", body: Uploads.record(1))
    harness.send(bytes, commits: false)
    harness.close(.reset)
    harness.commit()
    for kind in ["reset", "drop"] {
      let rule = #"{"faults":[{"id":"f","fault":{"kind":"\#(kind)"},"match":{"count":1}}]}"#
      #expect(try harness.request("PUT", "/admin/v1/faults", body: rule).status == 200)
      #expect(throws: NoAnswer.self) { try harness.upload(Uploads.record(2), to: "/locations/a") }
      harness.connect()
    }
    let errors = try list(harness, "/errors", "errors")
    for (status, fault) in [(499, nil), (444, "reset"), (444, "drop")] as [(Int64, String?)] {
      let name = fault.map(JSONValue.string) ?? .null
      let named = errors.filter { $0["status"] == .integer(status) && $0["fault"] == name }
      #expect(named.count == 1, "\(status) \(errors)")
    }
    #expect(
      try harness.request("GET", "/metrics").text.contains(
        #"rollingroad_requests_total{operation="uploadLocations",status="4xx"} 3"#))
  }

  @Test func whatNoPathServesIsNoPage() throws {
    let harness = try SessionHarness()
    for path in ["/nowhere", "/admin/v1/nowhere"] { #expect(try harness.request("GET", path).status == 404) }
    let metrics = try harness.request("GET", "/metrics").text
    #expect(metrics.contains(#"rollingroad_requests_total{operation="none",status="4xx"} 2"#))
    #expect(metrics.contains(#"rollingroad_requests_total{operation="getPage",status="4xx"} 0"#))
  }

  @Test func errorsAreCountedByTheirNames() throws {
    let harness = try SessionHarness()
    #expect(try harness.request("PUT", "/admin/v1/faults", body: rule).status == 200)
    #expect(try upload(harness, 1, of: "b") == 503)
    harness.advance(seconds: 5)
    #expect(try upload(harness, 1, of: "b") == 503)
    #expect(try harness.upload("{", to: "/r/x/locations", [("X-Device-Id", "c")]).status == 400)
    #expect(try harness.upload("{}", to: "/nowhere").status == 404)
    #expect(try upload(harness, 1, of: "b") == 200)
    let errors = try list(harness, "/errors", "errors")
    #expect(errors.map { $0["status"] } == [.integer(503), .integer(404), .integer(400)])
    let first = errors[0]
    #expect(first["count"] == .integer(2) && first["fault"] == .string("status") && first["code"] == .string("fault"))
    #expect(first["message"] == .string("injected fault; nothing was stored") && first["device"] == .string("b"))
    #expect(first["firstAt"] == .string("2026-07-28T18:34:23.000Z"))
    #expect(first["lastAt"] == .string("2026-07-28T18:34:28.000Z"))
    #expect(try list(harness, "/errors?run=x", "errors").map { $0["status"] } == [.integer(400)])
    #expect(try harness.request("POST", "/admin/v1/reset?run=x").status == 200)
    #expect(try list(harness, "/errors", "errors").count == 2)
  }

  @Test func moreNamesThanAreKeptPushOutTheOldest() throws {
    let harness = try SessionHarness()
    for number in 0...TrafficBoard.errorsMax {
      #expect(try harness.upload("{", to: "/r/run-\(number)/locations").status == 400)
      harness.advance(seconds: 1)
    }
    let errors = try list(harness, "/errors", "errors")
    #expect(errors.count == TrafficBoard.errorsMax / 2 + 1)
    #expect(errors.contains { $0["run"] == .string("run-\(TrafficBoard.errorsMax)") })
    #expect(!errors.contains { $0["run"] == .string("run-0") })
  }

  @Test func aDeviceFailsUntilItsNextGoodRequest() throws {
    let harness = try SessionHarness()
    #expect(try upload(harness, 1, of: "a") == 200)
    #expect(try harness.request("PUT", "/admin/v1/faults", body: rule).status == 200)
    #expect(try upload(harness, 1, of: "b") == 503)
    harness.advance(seconds: 5)
    #expect(try upload(harness, 1, of: "b") == 503)
    let expected = JSONValue.object([
      "device": .string("b"), "run": .string(""), "status": .integer(503), "fault": .string("status"),
      "since": .string("2026-07-28T18:34:23.000Z"), "at": .string("2026-07-28T18:34:28.000Z"), "count": .integer(2),
    ])
    #expect(try list(harness, "/failures", "failures") == [expected], "nothing of it is stored, and it is there")
    #expect(try list(harness, "/failures?run=x", "failures") == [])
    #expect(try upload(harness, 1, of: "b") == 200)
    #expect(try list(harness, "/failures", "failures") == [])
  }

  /// In an outage of a large fleet the devices that failed last are listed.
  @Test func moreDevicesThanAreKeptPushOutThoseOfTheEarliestFailures() throws {
    let harness = try SessionHarness()
    for number in 0...TrafficBoard.failingMax {
      harness.connect()
      #expect(try harness.upload("{", [("X-Device-Id", "d\(number)")]).status == 400)
      harness.advance(seconds: 1)
    }
    let names = try list(harness, "/failures", "failures").map { $0["device"]?.string }
    #expect(names.count == TrafficBoard.failingMax / 2 + 1)
    #expect(names.contains("d\(TrafficBoard.failingMax)") && !names.contains("d0"))
  }

  /// A letter with a thousand marks is one character.
  @Test func aLongNameIsKeptShort() throws {
    let harness = try SessionHarness()
    let name = "z" + String(repeating: "%CC%81", count: 1_000)
    #expect(try harness.upload("{", to: "/r/\(name)/locations").status == 400)
    let errors = try list(harness, "/errors", "errors")
    #expect(errors.map { $0["run"]?.string?.utf8.count ?? 0 } == [255], "\(errors)")
  }

  @Test func aDeviceSaysItsFailureAndItsTags() throws {
    let harness = try SessionHarness()
    #expect(try upload(harness, 1, of: "b") == 200)
    #expect(try harness.request("PUT", "/admin/v1/devices/b/tags", body: #"{"tags":["vans"]}"#).status == 200)
    #expect(try harness.request("PUT", "/admin/v1/faults", body: rule).status == 200)
    #expect(try upload(harness, 2, of: "b") == 503)
    for device in try list(harness, "/devices", "devices") + [harness.request("GET", "/admin/v1/devices/b").json()] {
      #expect(device["tags"] == .array([.string("vans")]))
      #expect(device["failure"]?["status"] == .integer(503))
    }
    #expect(try harness.request("DELETE", "/admin/v1/devices/b").status == 200)
    #expect(try list(harness, "/failures", "failures") == [])
  }

  @Test func aRunHasItsCounts() throws {
    let harness = try SessionHarness()
    #expect(try upload(harness, 1, of: "a") == 200)
    harness.advance(seconds: 5)
    #expect(try upload(harness, 1, of: "a", run: "x") == 200)
    #expect(try upload(harness, 1, of: "a", run: "x") == 200)
    #expect(try upload(harness, 1, of: "b", run: "x") == 200)
    #expect(try harness.upload("{", to: "/r/x/locations").status == 400)
    #expect(try harness.request("PUT", "/admin/v1/faults?run=y", body: rule).status == 200)
    let runs = try list(harness, "/runs", "runs")
    #expect(runs.map { $0["run"] } == [.string("x"), .string(""), .string("y")])
    #expect(runs[1]["requests"] == .integer(1) && runs[1]["devices"] == .integer(1))
    #expect(runs[2]["rules"] == .integer(1) && runs[2]["lastSeen"] == .null)
    let counts: [(String, Int64)] = [
      ("devices", 2), ("records", 2), ("duplicates", 1), ("requests", 4), ("failed", 1), ("faulted", 0), ("rules", 0),
    ]
    for (name, count) in counts { #expect(runs[0][name] == .integer(count), "\(name)") }
    #expect(try list(harness, "/runs?run=x", "runs").count == 1)
    #expect(try harness.request("POST", "/admin/v1/reset?run=x").status == 200)
    #expect(try list(harness, "/runs", "runs").map { $0["run"] } == [.string(""), .string("y")])
    #expect(try harness.request("POST", "/admin/v1/reset").status == 200)
    #expect(try list(harness, "/runs", "runs") == [])
  }
}
