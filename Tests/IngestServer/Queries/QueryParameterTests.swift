import JSON
import Support
import Testing

@testable import IngestServer

/// What is asked for in a way that means nothing is refused, by name.
@Suite struct QueryParameterTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let target: String
    let parameter: String
    let mention: String

    init(_ target: String, _ parameter: String, _ mention: String) {
      self.target = target
      self.parameter = parameter
      self.mention = mention
    }

    var testDescription: String { target }
  }

  @Test(arguments: [
    Case("devices?limit=0", "limit", "1 to 1000"),
    Case("devices?limit=1001", "limit", "1 to 1000"),
    Case("devices?limit=ten", "limit", "1 to 1000"),
    Case("devices?limit=", "limit", "1 to 1000"),
    Case("devices?limit=5&limit=6", "limit", "more than once"),
    Case("devices?cursor=x", "cursor", "next"),
    Case("devices?cursor=-1", "cursor", "next"),
    Case("devices?limits=5", "limits", "did you mean limit?"),
    Case("devices?format=json", "format", "run, limit, cursor"),
    Case("devices/car?limit=1", "limit", "this path takes run"),
    Case("devices/car/locations?from=yesterday", "from", "2026-07-28T18:34:22.563Z"),
    Case("devices/car/locations?to=2026-07-28", "to", "2026-07-28T18:34:22.563Z"),
    Case("devices/car/locations?from=2026-07-28T18:34:22+02:00", "from", "%2B"),
    Case("devices/car/locations?from=2000&to=1000", "from", "must not be after"),
    Case("devices/car/locations?format=kml", "format", "json, ndjson, geojson, gpx, csv"),
    Case("devices/car/locations?cursor=1.2", "cursor", "next"),
    Case("devices/car/locations?cursor=a.b.c", "cursor", "next"),
    Case("locations/latest?format=gpx", "format", "json, geojson"),
    Case("uuids?format=json", "format", "run, device, from, to, limit, cursor"),
    Case("uuids?cursor=x", "cursor", "next"),
    Case("uuids?from=2000&to=1000", "from", "must not be after"),
    Case("quarantine?cursor=abc", "cursor", "next"),
    Case("stats?device=car", "device", "this path takes run"),
    Case("faults?device=car", "device", "this path takes run"),
    Case("devices/car/logs?limit=1", "limit", "this path takes run"),
    Case("devices/car/commands?runs=a", "runs", "did you mean run?"),
    Case("events?devise=car", "devise", "did you mean device?"),
  ])
  func aBadParameterIsNamed(_ wrong: Case) throws {
    let answer = try SessionHarness().request("GET", "/admin/v1/\(wrong.target)")
    #expect(answer.status == 400)
    let error = try #require(try answer.json()["error"])
    #expect(error["detail"]?["parameter"] == .string(wrong.parameter))
    guard case .string(let message)? = error["message"] else {
      Issue.record("no message: \(answer.text)")
      return
    }
    #expect(message.contains(wrong.mention), "\(message)")
  }

  /// What is set by parameter is there by path, and not in ordinary traffic.
  @Test func theRunOfAnOrderMayStandInTheQuery() throws {
    let harness = try SessionHarness()
    let rule = #"{"faults":[{"id":"a","fault":{"kind":"drop"}}]}"#
    #expect(try harness.request("PUT", "/admin/v1/faults?run=job", body: rule).status == 200)
    #expect(try harness.request("GET", "/r/job/admin/v1/faults").text.contains(#""id":"a""#))
    #expect(try harness.request("GET", "/admin/v1/faults").text == #"{"faults":[]}"#)
    let order = try harness.request("POST", "/admin/v1/devices/car/commands?run=job", body: #"{"commands":["stop"]}"#)
    #expect(order.status == 200)
    #expect(try harness.request("GET", "/admin/v1/devices/car/commands?run=job").text.contains(#"["stop"]"#))
    #expect(try harness.request("GET", "/admin/v1/devices/car/commands").text == #"{"commands":[]}"#)
  }

  @Test func theFaultsOfAllRunsAreListedAndThoseOfOneAreSet() throws {
    let harness = try SessionHarness()
    let rule = #"{"faults":[{"id":"a","fault":{"kind":"drop"}}]}"#
    for run in ["", "x", "y"] { _ = try harness.request("PUT", "/admin/v1/faults?run=\(run)", body: rule) }
    let all = try harness.request("GET", "/admin/v1/faults?run=*").json()["faults"]
    #expect(all?.elements.map { $0["run"] } == [.string(""), .string("x"), .string("y")])
    let one = try harness.request("GET", "/admin/v1/faults?run=x").json()["faults"]
    #expect(one?.elements.map { $0["run"] } == [.string("x")])
    for (method, body) in [("PUT", rule), ("DELETE", "")] {
      let answer = try harness.request(method, "/admin/v1/faults?run=*", body: body)
      #expect(try answer.status == 400 && answer.errorCode == "bad_parameter" && answer.text.contains("in the match"))
    }
    #expect(try harness.request("GET", "/admin/v1/faults?run=*").json()["faults"] == all, "nothing was lost")
  }

  @Test func aTimeMayBeWrittenEitherWay() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<3, of: "car")
    for target in ["from=2026-07-28T00:01:00Z&to=2026-07-28T02:02:00%2B02:00", "from=1785196860000&to=1785196920000"] {
      let answer = try harness.request("GET", "/admin/v1/devices/car/locations?format=csv&\(target)")
      #expect(answer.text.split(separator: "\r\n").count == 2, "\(target)")
      #expect(answer.text.contains(SessionHarness.uuid(1)))
    }
  }

  /// Numbers with which the store would reckon beyond all numbers.
  @Test(arguments: ["1.9223372036854775807", "9223372036854775807.2147483647", "1.-9223372036854775808"])
  func aCursorThatNoPageGaveIsRefused(cursor: String) throws {
    let harness = try SessionHarness()
    try harness.upload(0..<2, of: "car")
    let answer = try harness.request("GET", "/admin/v1/uuids?limit=1&cursor=\(cursor)")
    #expect(try answer.status == 400 && answer.errorCode == "bad_parameter", "\(answer.text)")
  }
}
