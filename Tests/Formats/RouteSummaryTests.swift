import Base
import Testing

@testable import Formats

@Suite struct RouteSummaryTests {
  /// A step of 0.001 degrees of latitude is some 111 metres.
  private func summary(_ rows: [(second: Int, latitude: Double)]) throws -> RouteSummary {
    let start = 1_772_433_000
    let lines = rows.map { "\($0.latitude),11.5,\(start + $0.second)\n" }
    return RouteSummary(try RouteRecording(csv: Array(("lat,lon,time\n" + lines.joined()).utf8)))
  }

  @Test func aDriveWithAGapAndAStop() throws {
    var rows: [(second: Int, latitude: Double)] = (0...60).map { ($0, 48 + Double($0) * 0.0001) }
    rows += (61...180).map { ($0, 48.006) }
    // Two minutes and a kilometre of which nothing is known.
    rows += (0...30).map { ($0 + 300, 48.015 + Double($0) * 0.0001) }
    let summary = try summary(rows)
    #expect(summary.pointCount == rows.count && summary.timedCount == rows.count && summary.stepBack == nil)
    #expect(summary.duration == .seconds(330) && summary.medianInterval == .seconds(1))
    #expect((1_995...2_010).contains(summary.distanceMetres))
    #expect(summary.gaps.map(\.duration) == [.seconds(120)] && summary.gaps[0].start.spot.line == 182)
    #expect((990...1_010).contains(summary.gaps[0].distanceMetres))
    // Who is within 25 metres of where he will stand has as good as stopped.
    #expect(summary.stops.count == 1 && (.seconds(120)...(.seconds(123))).contains(summary.stops[0].duration))
    #expect((58...62).contains(summary.stops[0].start.spot.line))
    let moving = try #require(summary.movingSpeed)
    #expect((9.5...9.8).contains(moving))
    let fastest = try #require(summary.fastest)
    #expect((11.1...11.2).contains(fastest.speed))
  }

  /// Neither the way within a stop nor a leap in no time makes a speed, as neither has a time that counts.
  @Test(arguments: [true, false]) func noAverageIsAboveTheFastest(walksAtAStop: Bool) throws {
    var rows: [(second: Int, latitude: Double)] = []
    for second in 0...30 {
      let north = 48 + Double(second) * (walksAtAStop ? 0.00009 : 0.001)
      rows.append((second, north))
      // A point of the same second, a hundred metres away.
      if !walksAtAStop { rows.append((second, north + 0.0009)) }
    }
    if walksAtAStop {
      for second in 31...150 { rows.append((second, 48.0027 + Double(second % 2) * 0.00009)) }
    }
    let summary = try summary(rows)
    let (moving, fastest) = (try #require(summary.movingSpeed), try #require(summary.fastest))
    #expect(moving > 5 && moving <= fastest.speed * 1.001)
  }

  /// A receiver that is asked seldom has no gaps; neither has one that says nothing at rest.
  @Test func aPointAMinuteHasNoGaps() throws {
    let rows = (0...20).map { (second: $0 * 60, latitude: 48 + Double($0) * 0.005) }
    #expect(try summary(rows).gaps.isEmpty)
    let still = try summary([(0, 48), (1, 48), (2, 48), (900, 48.0001), (901, 48.001)])
    #expect(still.gaps.isEmpty && still.stops.map(\.duration) == [.seconds(900)])
  }

  @Test func withoutTimesInOrderOnlyTheWayIsKnown() throws {
    let back = try summary([(0, 48), (10, 48.001), (5, 48.002)])
    #expect(back.duration == nil && back.stepBack?.spot.line == 4 && back.distanceMetres > 200)
    let none = RouteSummary(RouteRecording(places: [RouteFiles.place(1, 2), RouteFiles.place(1, 3)]))
    #expect(none.duration == nil && none.timedCount == 0 && none.stops.isEmpty && none.movingSpeed == nil)
  }

  @Test func aBoxMayCrossTheAntimeridian() {
    let fiji = RouteBounds([RouteFiles.place(-17, 179.5), RouteFiles.place(-16, -179.5)])
    #expect(fiji.west == 179.5 && fiji.east == -179.5 && fiji.south == -17 && fiji.north == -16)
    let munich = RouteBounds([RouteFiles.place(48, 11), RouteFiles.place(49, 12)])
    #expect(munich.west == 11 && munich.east == 12)
  }

  @Test func wrongYearsAndASinglePointAreNoTrouble() throws {
    let far = "lat,lon,time\n1,2,0001-01-01T00:00:00Z\n1,2,9999-01-01T00:00:00Z\n1,3,9999-01-01T00:00:00Z\n"
    #expect(try RouteSummary(RouteRecording(csv: Array(far.utf8))).duration != nil)
    #expect(try summary([(0, 48)]).duration == .zero)
    // Ten stops of forty years each.
    let moves = (0...10).map { number in
      let year = 1_000 + number * 40
      return "\(number),2,\(year)-01-01T00:00:00Z\n\(number + 1),2,\(year)-01-01T00:00:01Z\n"
    }
    let long = RouteSummary(try RouteRecording(csv: Array(("lat,lon,time\n" + moves.joined()).utf8)))
    #expect(long.stops.count == 10 && long.movingSpeed == nil)
  }
}
