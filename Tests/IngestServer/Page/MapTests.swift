import Testing

@testable import IngestServer

/// What the live page draws under the devices.
@Suite struct MapTests {
  static let empty = #"{"type":"FeatureCollection","features":[]}"#
  private static let path = "/admin/v1/map"

  private func map(_ geometry: String) -> String {
    #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":null,"geometry":\#(geometry)}]}"#
  }

  @Test func aStoredMapIsReturnedByteForByte() throws {
    let harness = try SessionHarness()
    let text = map(#"{"type":"LineString", "coordinates":[[11.5,48.1,520],[11.6,48]]}"#)
    let answer = try harness.request("PUT", Self.path, body: text)
    #expect(answer.status == 200 && answer.text == #"{"features":1}"#)
    let read = try harness.request("GET", Self.path)
    #expect(read.text == text && read.field("Content-Type") == "application/geo+json")
  }

  @Test func eachRunHasItsOwn() throws {
    let harness = try SessionHarness()
    let text = map(#"{"type":"Point","coordinates":[1,2]}"#)
    #expect(try harness.request("PUT", "/r/one\(Self.path)", body: text).status == 200)
    #expect(try harness.request("GET", Self.path).text == Self.empty)
    #expect(try harness.request("GET", "\(Self.path)?run=one").text == text)
    #expect(try harness.request("DELETE", Self.path).text == #"{"deleted":0}"#)
    #expect(try harness.request("DELETE", "/r/one\(Self.path)").text == #"{"deleted":1}"#)
    #expect(try harness.request("GET", "/r/one\(Self.path)").text == Self.empty)
  }

  /// Whoever looks on learns of each change, and of nothing else.
  @Test func theRevisionChangesWithTheMap() throws {
    let harness = try SessionHarness()
    func revision() -> Int { harness.context.live.figures().mapRevision }
    let first = revision()
    #expect(try harness.request("GET", Self.path).status == 200)
    #expect(try harness.request("DELETE", Self.path).status == 200)
    #expect(revision() == first)
    #expect(try harness.request("PUT", Self.path, body: Self.empty).status == 200)
    let second = revision()
    #expect(try harness.request("DELETE", Self.path).status == 200)
    #expect(second != first && revision() != second)
  }

  @Test(arguments: [
    ("17", "FeatureCollection"), ("{", "ends too early at byte 1"),
    (#"{"type":"FeatureCollection","features":[{"type":"Point"}]}"#, "features[0] must be a Feature"),
    (#"{"type":"FeatureCollection","features":[{"type":"Feature"}]}"#, "features[0].geometry is missing"),
  ])
  func noMapIsRefusedWithItsPlace(_ body: String, _ reason: String) throws {
    try expectRefusal(body, reason)
  }

  @Test(arguments: [
    (#"{"type":"GeometryCollection","geometries":[]}"#, "geometry.type must be one of Point"),
    (#"{"type":"Point","coordinates":[48.1,91]}"#, "geometry.coordinates must begin"),
    (#"{"type":"LineString","coordinates":[[1,2],[181,2]]}"#, "geometry.coordinates[1] must begin"),
    (#"{"type":"Polygon","coordinates":[[1,2]]}"#, "geometry.coordinates[0][0] must be a list"),
  ])
  func noGeometryIsRefusedWithItsPlace(_ geometry: String, _ reason: String) throws {
    try expectRefusal(map(geometry), reason)
  }

  @Test func aMapOfMoreThanAMebibyteIsRefused() throws {
    let room = String(repeating: " ", count: MapBoard.bytesMax - Self.empty.utf8.count)
    let harness = try SessionHarness()
    #expect(try harness.request("PUT", Self.path, body: Self.empty + room).status == 200)
    try expectRefusal(Self.empty + room + " ", "1048577 bytes")
  }

  private func expectRefusal(_ body: String, _ reason: String) throws {
    let harness = try SessionHarness()
    let answer = try harness.request("PUT", Self.path, body: body)
    #expect(answer.status == 400 && answer.text.contains("bad_map") && answer.text.contains(reason), "\(answer.text)")
    #expect(try harness.request("GET", Self.path).text == Self.empty)
  }

  @Test func theMapThatWasPutLongestAgoGivesWay() throws {
    let board = MapBoard()
    let map = try MapBoard.Map(geoJSON: Array(Self.empty.utf8))
    for run in 0...MapBoard.runsMax { board.put(map, of: "\(run)") }
    #expect(board.map(of: "0") == nil && board.map(of: "1") != nil)
    board.put(map, of: "1")
    board.put(map, of: "new")
    #expect(board.map(of: "1") != nil && board.map(of: "2") == nil)
  }
}
