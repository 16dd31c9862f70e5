import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// Recorded routes and the phone that is driven along them.
@Suite struct RouteTests {
  @Test func aTrackInGPXHasItsPlacesAndTimes() throws {
    let route = try Route(
      gpx: """
        <?xml version="1.0"?><gpx version="1.1"><wpt lat="1" lon="1"/><trk><trkseg>
        <trkpt lat="45.5" lon="-73.6"><ele>40.5</ele><time>2026-07-28T18:34:23Z</time></trkpt>
        <trkpt lon='-73.61' lat='45.51'><time> 2026-07-28T18:34:33.500Z </time></trkpt>
        </trkseg></trk></gpx>
        """)
    #expect(route.locations.map(\.coordinate.latitude) == [45.5, 45.51])
    #expect(route.locations.map(\.coordinate.longitude) == [-73.6, -73.61])
    #expect(route.locations[0].altitude == 40.5 && route.locations[1].verticalAccuracy < 0)
    #expect(route.locations.map(\.timestamp) == [Bench.start, Bench.start.addingTimeInterval(10.5)])
  }

  @Test func aLineInGeoJSONHasTheTimesOfItsProperties() throws {
    let route = try Route(
      geoJSON: """
        {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"coordTimes":
        ["2026-07-28T18:34:23Z","2026-07-28T18:34:24Z"]},"geometry":{"type":"LineString",
        "coordinates":[[-73.6,45.5,40],[-73.61,45.51]]}}]}
        """)
    #expect(route.locations.map(\.coordinate.latitude) == [45.5, 45.51])
    #expect(route.locations.map(\.timestamp) == [Bench.start, Bench.start.addingTimeInterval(1)])
  }

  @Test func withoutTimesPositionsLieAnIntervalApart() throws {
    let route = try Route(
      geoJSON: #"{"type":"MultiPoint","coordinates":[[1,2],[3,4],[5,6]]}"#, start: Bench.start, interval: 5)
    #expect(route.locations.map { $0.timestamp.timeIntervalSince(Bench.start) } == [0, 5, 10])
  }

  @Test(arguments: ["", "{}", "[1]", #"{"type":"Point"}"#, #"{"type":"Point","coordinates":[1]}"#])
  func aDocumentWithoutPositionsIsRefused(text: String) {
    #expect(throws: BGGeoError.self) { try Route(geoJSON: text) }
    #expect(throws: BGGeoError.self) { try Route(gpx: text) }
    #expect(throws: BGGeoError.self) { try Route(log: text) }
  }

  @Test func aReplayIsADrive() async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    bench.bgGeo.changePace(true)
    let route = Route(
      (1...60).map { second in
        let fix = bench.fix(north: Double(second) * 10, speed: 10)
        return CLLocation(
          coordinate: fix.coordinate, altitude: 0, horizontalAccuracy: 5, verticalAccuracy: -1, speed: 10,
          timestamp: Date(timeIntervalSince1970: Double(second)))
      })
    await bench.platform.replay(route)
    #expect(bench.clock.now == Bench.start.addingTimeInterval(59))
    #expect(bench.bgGeo.odometer > 400 && bench.bgGeo.store.count > 10)
  }

  @Test func placesThatAreNoneAreLeftOut() throws {
    #expect(
      Route([CLLocation(latitude: 91, longitude: 0), CLLocation(latitude: 1, longitude: 2)]).locations.count == 1)
    let bench = try Bench()
    bench.platform.push(CLLocation(latitude: .nan, longitude: 0))
    #expect(CLLocation(latitude: .nan, longitude: 0).distance(from: CLLocation(latitude: 0, longitude: 0)).isNaN)
  }
}
