import JSON
import Store
import Support
import Testing

@testable import IngestServer

/// Devices, identities, verification, quarantine, statistics, reset, and who may ask for them.
@Suite struct AdministrationTests {
  private func elements(_ value: JSONValue?) -> [JSONValue] {
    if case .array(let elements)? = value { elements } else { [] }
  }

  @Test func devicesAreListedByRunAndPage() throws {
    let harness = try SessionHarness()
    for name in ["a", "b", "c"] { try harness.upload(0..<2, of: name) }
    try harness.upload(0..<1, of: "a", run: "one")
    func names(_ query: String) throws -> [JSONValue?] {
      elements(try harness.request("GET", "/admin/v1/devices\(query)").json()["devices"]).map { $0["device"] }
    }
    #expect(try names("") == ["a", "b", "c", "a"])
    #expect(try names("?run=") == ["a", "b", "c"])
    #expect(try names("?run=one") == ["a"])
    let first = try harness.request("GET", "/admin/v1/devices?limit=2").json()
    #expect(elements(first["devices"]).count == 2)
    guard case .string(let cursor)? = first["next"] else { throw NoAnswer(request: "next") }
    #expect(try names("?limit=2&cursor=\(cursor)") == ["c", "a"])
  }

  @Test func aDeviceShowsItsCountsAndLatestPosition() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<5, of: "car")
    try harness.upload(3..<5, of: "car")
    _ = harness.store.apply([.setTags(DeviceIdentity(name: "car"), ["van", "blue"])], now: harness.now)
    let device = try harness.request("GET", "/admin/v1/devices/car").json()
    #expect(device["records"] == .integer(5))
    #expect(device["duplicates"] == .integer(2))
    #expect(device["tags"] == .array(["blue", "van"]))
    #expect(device["latest"]?["uuid"] == .string(SessionHarness.uuid(4)))
    #expect(device["latest"]?["latitude"] == .double(45.1004))
    #expect(device["lastSeen"] == .string("2026-07-28T18:34:23.000Z"))
    #expect(try harness.request("GET", "/admin/v1/devices/bus").status == 404)
  }

  @Test func latestPositionsOmitDevicesWithoutOne() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<5, of: "car")
    _ = harness.store.apply([.setTags(DeviceIdentity(name: "silent"), ["x"])], now: harness.now)
    let list = elements(try harness.request("GET", "/admin/v1/locations/latest").json()["locations"])
    #expect(list.map { $0["device"] } == ["car"])
    #expect(list.first?["uuid"] == .string(SessionHarness.uuid(4)))
    let features = elements(
      try harness.request("GET", "/admin/v1/locations/latest?format=geojson").json()["features"])
    #expect(features.first?["geometry"]?["coordinates"] == .array([.double(-122.5), .double(45.1004)]))
  }

  @Test func verifyFindsAllListedUuids() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<300, of: "car")
    try harness.upload(0..<10, of: "bus")
    try harness.upload(0..<10, of: "bus", run: "one")
    #expect(try harness.upload("[{\"lat\":1,\"lng\":2}]", [("X-Device-Id", "bus")]).status == 200)
    let lines = try harness.request("GET", "/admin/v1/uuids").text
    #expect(lines.split(separator: "\n").count == 311)
    let all = try harness.request("POST", "/admin/v1/verify", body: lines).json()
    #expect(all["asked"] == .integer(311))
    #expect(all["stored"] == .integer(311))
    #expect(all["missing"] == .integer(0))
    let other = try harness.request("POST", "/admin/v1/verify?run=one", body: lines).json()
    #expect(other["stored"] == .integer(10))
    let some = try harness.request(
      "GET", "/admin/v1/uuids?device=car&from=2026-07-28T00:10:00Z&to=2026-07-28T00:12:00Z")
    #expect(
      some.text == """
        {"device":"car","uuid":"\(SessionHarness.uuid(10))","timestamp":"2026-07-28T00:10:00.000Z"}
        {"device":"car","uuid":"\(SessionHarness.uuid(11))","timestamp":"2026-07-28T00:11:00.000Z"}

        """)
  }

  @Test func verifyNamesWhatIsMissing() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<2, of: "car")
    let body = """
      {"device":"car","records":[{"uuid":"\(SessionHarness.uuid(0))","timestamp":"2026-07-28T00:00:00Z"},
      {"uuid":"\(SessionHarness.uuid(1))","timestamp":1785196800000},
      {"uuid":"\(SessionHarness.uuid(1))","timestamp":"2026-07-28T00:01:00Z","device":"bus"}]}
      """
    let answer = try harness.request("POST", "/admin/v1/verify", body: body).json()
    #expect(answer["stored"] == .integer(1))
    #expect(answer["missing"] == .integer(2))
    let missing = elements(answer["missingRecords"])
    #expect(missing.map { $0["device"] } == ["car", "bus"])
    #expect(missing.first?["timestamp"] == .string("2026-07-28T00:00:00.000Z"))
  }

  @Test(arguments: [
    ("{", 400, "malformed_json"), ("[{}]", 400, "bad_record"),
    ("[{\"device\":\"a\",\"uuid\":\"x\"}]", 400, "bad_record"),
    ("[{\"uuid\":\"00000000-0000-4000-8000-000000000000\"}]", 400, "bad_record"),
    (
      "[{\"device\":\"a\",\"uuid\":\"00000000-0000-4000-8000-000000000000\",\"timestamp\":\"now\"}]", 400,
      "bad_record"
    ),
    (
      "{\"device\":\"a\",\"records\":["
        + Array(repeating: "{\"uuid\":\"00000000-0000-4000-8000-000000000000\"}", count: 10_001).joined(separator: ",")
        + "]}", 413, "too_many_records"
    ),
  ])
  func verifyRefusesWhatItCannotRead(body: String, status: Int, code: String) throws {
    let answer = try SessionHarness().request("POST", "/admin/v1/verify", body: body)
    #expect(answer.status == status)
    #expect(try answer.errorCode == code)
  }

  @Test func quarantineShowsWhatWasPutAside() throws {
    let harness = try SessionHarness()
    #expect(try harness.upload("[{\"lat\":100,\"lng\":2},{\"lng\":3}]", [("X-Device-Id", "car")]).status == 200)
    let page = try harness.request("GET", "/admin/v1/quarantine?limit=1").json()
    let record = try #require(elements(page["records"]).first)
    #expect(record["device"] == "car")
    #expect(record["record"] == "{\"lng\":3}")
    guard case .string(let cursor)? = page["next"] else { throw NoAnswer(request: "next") }
    let second = try harness.request("GET", "/admin/v1/quarantine?limit=1&cursor=\(cursor)").json()
    #expect(elements(second["records"]).first?["record"] == "{\"lat\":100,\"lng\":2}")
    #expect(elements(try harness.request("GET", "/r/one/admin/v1/quarantine").json()["records"]).isEmpty)
  }

  @Test func aResetForgetsARunOrEverything() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<2, of: "car")
    try harness.upload(0..<2, of: "car", run: "one")
    try harness.upload(0..<2, of: "bus", run: "two")
    func devices() throws -> JSONValue? { try harness.request("GET", "/admin/v1/stats").json()["devices"] }
    #expect(try harness.request("POST", "/r/one/admin/v1/reset", body: "").json()["devices"] == .integer(1))
    #expect(try devices() == .integer(2))
    #expect(try harness.request("POST", "/admin/v1/reset?run=two", body: "").json()["devices"] == .integer(1))
    #expect(try devices() == .integer(1))
    #expect(try harness.request("POST", "/admin/v1/reset", body: "").json()["devices"] == .integer(1))
    #expect(try devices() == .integer(0))
  }

  @Test func statisticsCountARunOrAll() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<5, of: "car")
    try harness.upload(0..<5, of: "car")
    try harness.upload(0..<2, of: "car", run: "one")
    let all = try harness.request("GET", "/admin/v1/stats").json()
    #expect(all["records"] == .integer(7))
    #expect(all["duplicates"] == .integer(5))
    #expect(all["outage"] == .null)
    #expect(try harness.request("GET", "/admin/v1/stats?run=one").json()["records"] == .integer(2))
  }

  @Test func fromElsewhereAdministrationIsClosedWithoutAToken() throws {
    let harness = try SessionHarness()
    harness.connect(isLocal: false)
    let answer = try harness.request("GET", "/admin/v1/stats")
    #expect(answer.status == 403)
    #expect(try answer.errorCode == "admin_is_local")
    #expect(try harness.request("GET", "/healthz").status == 200)
  }

  @Test(
    arguments: [
      ("evil.example", nil), ("127.0.0.1.evil.example", nil), ("127.0.0.256:8080", nil), ("[::2]:8080", nil),
      ("127.0.0.1:8080", "http://evil.example"), ("127.0.0.1:8080", "null"),
      ("127.0.0.1:8080", "http://127.0.0.1:9090"),
      ("localhost", "https://localhost"),
    ] as [(String, String?)])
  func aForeignSiteInALocalBrowserIsRefused(host: String, origin: String?) throws {
    let harness = try SessionHarness()
    let answer = try harness.request("POST", "/admin/v1/reset", origin.map { [("Origin", $0)] } ?? [], host: host)
    #expect(answer.status == 403)
    #expect(try answer.errorCode == "foreign_site")
  }

  @Test(
    arguments: [
      ("127.0.0.1:8080", nil), ("localhost:8080", "http://localhost:8080"), ("[::1]:8080", "http://[::1]:8080"),
      ("127.8.9.10", "http://127.8.9.10"), ("road.localhost", nil),
    ] as [(String, String?)])
  func itsOwnPageIsServed(host: String, origin: String?) throws {
    let harness = try SessionHarness()
    let answer = try harness.request("POST", "/admin/v1/reset", origin.map { [("Origin", $0)] } ?? [], host: host)
    #expect(answer.status == 200)
  }

  @Test(arguments: [true, false])
  func withATokenItIsAskedOfEveryone(isLocal: Bool) throws {
    let harness = try SessionHarness { $0.adminToken = "secret" }
    harness.connect(isLocal: isLocal)
    for (fields, status) in [
      ([], 401), ([("Authorization", "Bearer secre")], 401), ([("Authorization", "Bearer secret2")], 401),
      ([("Authorization", "Basic secret")], 401), ([("Authorization", "Bearer secret")], 200),
    ] as [([(String, String)], Int)] {
      let answer = try harness.request("GET", "/admin/v1/stats", fields)
      #expect(answer.status == status)
      if status == 401 { #expect(answer.field("WWW-Authenticate") != nil) }
    }
  }

  /// Stored as any other, and no word of where the device is now.
  @Test(arguments: ["2026-07-31T00:00:00.000Z", "1999-12-31T00:00:00.000Z"])
  func aRecordOfAnImpossibleTimeIsNotTheLatestAndThatIsSaid(time: String) throws {
    let harness = try SessionHarness()
    let record = { (number: Int, time: String) in
      Uploads.record(number).replacing("2026-07-28T18:00:00.000Z", with: time)
    }
    #expect(try harness.upload(record(1, time), to: "/locations/a").status == 200)
    let odd = try harness.request("GET", "/admin/v1/devices/a").json()
    #expect(odd["latest"] == .null && odd["records"] == .integer(1))
    guard case .string(let note)? = odd["note"] else { throw NoAnswer(request: "note") }
    #expect(note.contains("two days ahead"))
    #expect(try harness.upload(record(2, "2026-07-30T23:59:59.999Z"), to: "/locations/a").status == 200)
    let good = try harness.request("GET", "/admin/v1/devices/a").json()
    #expect(good["latest"]?["uuid"] == .string(Uploads.uuid(2)) && good["note"] == nil)
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
}
