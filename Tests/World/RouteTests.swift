import Base
import Formats
import Testing

@testable import World

struct RouteTests {
  private func recorded(seconds: [Int64?]) -> RouteRecording? {
    let rows = seconds.enumerated().map { index, time in
      "48.1\(index),11.5,\(time.map { String(1_772_433_000 + $0) } ?? "")\n"
    }
    do {
      return try RouteRecording(csv: Array(("lat,lon,time\n" + rows.joined()).utf8))
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  @Test func aRecordedRouteIsTravelledInItsOwnTime() throws {
    let recording = try #require(recorded(seconds: [0, 10, 70, 70, 100]))
    let route = try TimedRoute(recorded: recording, transport: .car)
    var body = Worlds.body(along: route, .once)
    for (index, seconds) in [0, 10, 70, 70, 100].enumerated() where index != 2 {
      let now = Worlds.zero + .seconds(Int64(seconds))
      body.advance(to: now)
      #expect(body.position(at: now).distanceMetres(to: recording.points[index].place) < 0.01, "point \(index)")
    }
    #expect(body.episode.end == nil)
  }

  @Test func routesRunAgainOrBack() throws {
    let recording = try #require(recorded(seconds: [0, 10, 100]))
    let route = try TimedRoute(recorded: recording, transport: .car)
    // A ride of 100 seconds, a pause of 60.
    let again = Worlds.zero + .seconds(170)
    var loop = Worlds.body(along: route, .loop)
    loop.advance(to: again)
    #expect(loop.position(at: again).distanceMetres(to: recording.points[1].place) < 0.01)
    var back = Worlds.body(along: route, .pingPong)
    back.advance(to: again)
    let expected = route.trip(at: Worlds.zero, seed: 1, device: 1).place(at: Worlds.zero + .seconds(90))
    #expect(back.position(at: again).distanceMetres(to: expected) < 0.01)
  }

  @Test func timesMustBeThereAndMustNotStepBack() throws {
    let missing = try #require(recorded(seconds: [0, nil, 20]))
    let back = try #require(recorded(seconds: [0, 30, 20]))
    // A receiver without a date may begin with that of the year 1.
    let late = try #require(recorded(seconds: [0, 63_900_000_000]))
    for (recording, code, line) in [
      (missing, RouteError.Code.missingTime, 3), (back, .timeStepsBack, 4), (late, .badTime, 3),
    ] {
      do {
        _ = try TimedRoute(recorded: recording, transport: .car)
        Issue.record("\(code) was accepted")
      } catch {
        #expect(error.code == code && error.spot.line == line)
      }
    }
  }

  @Test func aModelledRouteStopsAsOftenAsItsRateSays() {
    let places = (0...200).map { Worlds.munich.destination(bearingDegrees: 80, distanceMetres: Double($0) * 100) }
    var halts = 0
    let stops = Transport.Stops(perKilometre: 1.2, duration: .exponential(mean: 22))
    let route = TimedRoute(
      modelled: RouteRecording(places: places),
      transport: Transport(mover: .car, stops: stops, activity: .inVehicle), speedLimit: 14)
    for device in 0..<20 as Range<UInt64> {
      let trip = route.trip(at: Worlds.zero, seed: 1, device: device)
      halts += trip.motion.pieces.filter(\.isHalt).count
      #expect((trip.motion.path.lengthMetres - 20_000).magnitude < 20)
    }
    // 20 rides of 20 kilometres: 480 ± 22.
    #expect((410...550).contains(halts))
  }

  @Test func routesLeadThroughTheZonesThatAreGivenForThem() throws {
    let recording = try #require(recorded(seconds: [0, 100]))
    // From 48.10 to 48.11 along a meridian; the zone begins half way and ends beyond.
    let corners = [(48.105, 11.4), (48.105, 11.6), (48.2, 11.6), (48.2, 11.4)]
    let area = try #require(Polygon(corners.map { Worlds.place($0.0, $0.1) }))
    let route = try TimedRoute(
      recorded: recording, transport: .car, zones: [Zone(kind: .tunnel, area: area)])
    let trip = route.trip(at: Worlds.zero, seed: 1, device: 1)
    #expect(trip.covers == [Cover(kind: .tunnel, start: Worlds.zero + .seconds(50), end: Worlds.zero + .seconds(100))])
    #expect(route.trip(at: Worlds.zero, isForward: false, seed: 1, device: 1).covers.map(\.start) == [Worlds.zero])
  }

  @Test func aRouteOfOnePlaceIsAPlace() {
    let route = TimedRoute(
      modelled: RouteRecording(places: [Worlds.munich]), transport: .foot, speedLimit: 1)
    let body = Worlds.body(along: route, .once)
    #expect(body.position(at: Worlds.zero) == Worlds.munich && body.nextChange(after: Worlds.zero) == nil)
  }

  @Test func routesCrossTheAntimeridian() throws {
    let path = Path([Worlds.place(10, 179.99), Worlds.place(10, -179.99)])
    #expect((path.lengthMetres - 2_193).magnitude < 2)
    #expect(path.place(atMetres: path.lengthMetres / 2).longitude.magnitude > 179.999_99)
    let circle = Circle(center: Worlds.place(10, 179.99), radiusMetres: 2_000)
    let crossing = try #require(path.crossing(of: circle, isInside: true, fromMetres: 0))
    #expect((crossing - 2_000).magnitude < 1)
  }
}
