import JSON
import Testing

@testable import IngestServer

/// The way of a device as one line.
@Suite struct TrackExportTests {
  private let path = "/admin/v1/devices/car/locations?format=geojson&shape=track"

  private func feature(_ harness: SessionHarness, _ query: String = "") throws -> JSONValue {
    let answer = try harness.request("GET", path + query)
    #expect(answer.status == 200 && answer.field("Content-Type") == "application/geo+json")
    let collection = try answer.json()
    guard collection["type"] == .string("FeatureCollection"), case .array(let features)? = collection["features"],
      features.count == 1
    else { throw NoAnswer(request: answer.text) }
    return features[0]
  }

  private func coordinates(_ feature: JSONValue) -> [JSONValue] {
    guard case .array(let positions)? = feature["geometry"]?["coordinates"] else { return [] }
    return positions
  }

  @Test func theLineGoesThroughThePointsInRecordedOrder() throws {
    let harness = try SessionHarness()
    for number in [3, 1, 2] { try harness.upload(number..<(number + 1), of: "car") }
    let feature = try feature(harness)
    #expect(feature["type"] == .string("Feature"))
    #expect(feature["geometry"]?["type"] == .string("LineString"))
    let positions: [JSONValue] = [(45.1001, 1.5), (45.1002, 2.5), (45.1003, 3.5)].map { latitude, altitude in
      .array([.double(-122.5), .double(latitude), .double(altitude)])
    }
    #expect(coordinates(feature) == positions)
    #expect(feature["properties"]?["device"] == .string("car"))
  }

  @Test func aLongLineIsWhole() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<1_440, of: "car")
    try harness.upload(1_440..<4_000, of: "car")
    #expect(coordinates(try feature(harness)).count == 4_000)
  }

  @Test func aWindowBoundsIt() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<30, of: "car")
    let query = "&from=2026-07-28T00:10:00Z&to=2026-07-28T00:13:00Z"
    #expect(coordinates(try feature(harness, query)).count == 3)
  }

  @Test(arguments: [0, 1])
  func lessThanTwoPointsMakeNoLine(count: Int) throws {
    let harness = try SessionHarness()
    try harness.upload(0..<30, of: "car")
    let query = "&from=2026-07-28T00:10:00Z&to=2026-07-28T00:1\(count):00Z"
    #expect(try feature(harness, query)["geometry"] == .null)
  }

  @Test(arguments: [
    "/admin/v1/devices/car/locations?shape=track", "/admin/v1/devices/car/locations?format=gpx&shape=track",
    "/admin/v1/devices/car/locations?format=geojson&shape=track&limit=3",
    "/admin/v1/devices/car/locations?format=geojson&shape=line",
  ])
  func invalidTrackParametersAreRefused(target: String) throws {
    let harness = try SessionHarness()
    try harness.upload(0..<3, of: "car")
    #expect(try harness.request("GET", target).status == 400)
  }

  @Test func anUnknownDeviceGets404() throws {
    #expect(try SessionHarness().request("GET", path).status == 404)
  }
}
