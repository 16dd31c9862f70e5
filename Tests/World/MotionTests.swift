import Base
import Support
import Testing

@testable import World

struct MotionTests {
  private static let trips = Worlds.someTrips(devices: 3)

  @Test func theBodyIsWhereItWasAMomentAgo() {
    for (name, trip) in MotionTests.trips {
      var seconds = 0.0
      var previous = trip.motion.metres(at: 0)
      var leaps: [Double] = []
      while seconds < trip.motion.durationSeconds + 1 {
        seconds += 0.5
        let metres = trip.motion.metres(at: seconds)
        if metres < previous || metres - previous > 55 * 0.5 { leaps.append(seconds) }
        previous = metres
      }
      #expect(leaps == [], "\(name)")
      #expect(previous == trip.motion.path.lengthMetres, "\(name)")
    }
  }

  /// Pieces that do not go on where and as fast as the one before ended.
  private func gaps(in motion: Motion) -> [MotionPiece] {
    zip(motion.pieces, motion.pieces.dropFirst()).compactMap { piece, next in
      let meets =
        next.startSeconds > piece.startSeconds
        && (piece.metres(at: next.startSeconds) - next.startMetres).magnitude < 1e-6
        && (piece.speed(at: next.startSeconds) - next.speed).magnitude < 1e-6
      return meets ? nil : piece
    }
  }

  @Test func piecesMeetInPlaceTimeAndSpeed() {
    for (name, trip) in MotionTests.trips {
      #expect(gaps(in: trip.motion) == [], "\(name)")
      #expect(trip.motion.pieces[0].speed == 0, "\(name) begins at rest")
      #expect(trip.motion.speed(at: trip.motion.durationSeconds - 1e-6) < 1e-3, "\(name) ends at rest")
    }
  }

  @Test func whereEdgesAreTooShortToBrakeSeveralAreUsed() {
    var generator = SeededGenerator(seed: 12)
    for round in 0..<50 {
      var places = [Worlds.munich]
      var bearing = 0.0
      for _ in 0..<80 {
        bearing += Double.random(in: -25...25, using: &generator)
        places.append(
          places[places.count - 1].destination(
            bearingDegrees: bearing, distanceMetres: Double.random(in: 2...30, using: &generator)))
      }
      let limits = (0..<80).map { _ in Double.random(in: 5...30, using: &generator) }
      let light = TrafficLight(cycleSeconds: 60, offsetSeconds: Double(round))
      let stops: [(vertex: Int, stop: Course.Stop)] = [
        (20, .halt(seconds: 5)), (40, .light(light, isNorthSouth: true)), (60, .light(light, isNorthSouth: false)),
      ]
      let course = Course(path: Path(places), limits: limits, stops: stops)
      let motion = SpeedPlan.motion(of: course, by: .car, startSeconds: 0, paces: limits.map { _ in 1 })
      #expect(gaps(in: motion) == [], "round \(round)")
      let end = motion.pieces[motion.pieces.count - 1]
      #expect((end.metres(at: motion.durationSeconds) - course.path.lengthMetres).magnitude < 1e-6, "round \(round)")
      #expect(end.speed(at: motion.durationSeconds) < 1e-6, "round \(round)")
    }
  }

  @Test func accelerationAndBrakingStayWithinTheirLimits() {
    for (name, trip) in MotionTests.trips {
      let mover = trip.transport.mover
      let tooHard = trip.motion.pieces.filter {
        $0.acceleration > mover.acceleration || $0.acceleration < -mover.braking
      }
      #expect(tooHard == [], "\(name)")
    }
  }

  @Test func speedStaysWithinTheLimitOfTheStreet() {
    let city = Worlds.city()
    var checked = 0
    for device in 0..<20 as Range<UInt64> {
      let (start, end) = (city.home(of: device, seed: 1), city.work(of: device, seed: 1))
      let course = city.course(along: city.way(from: start, to: end))
      let paces = PaceStream(seed: 1, device: device, trip: 1)
      let trip = Trip.driving(course, by: .car, at: Worlds.zero, paces: paces) { _, _ in [] }
      var tooFast: [Double] = []
      for second in stride(from: 0, to: trip.motion.durationSeconds, by: 0.5) {
        let edge = course.path.edge(atMetres: trip.motion.metres(at: second))
        // On the vertex itself the slower of both edges counts; rounding may put it on either.
        if trip.motion.speed(at: second) > course.limits[edge] + 1e-9 { tooFast.append(second) }
        checked += 1
      }
      #expect(tooFast == [], "device \(device)")
    }
    #expect(checked > 10_000)
  }

  @Test func cornersAreTakenAtTheSpeedOfTheirArc() throws {
    let corner = Path([
      Worlds.munich, Worlds.place(48.137, 11.585), Worlds.place(48.147, 11.585),
    ])
    let course = Course(path: corner, limits: [30, 30])
    let motion = SpeedPlan.motion(of: course, by: .car, startSeconds: 0, paces: [1, 1])
    let atCorner = try #require(motion.seconds(atMetres: corner.metres[1]))
    // A right angle with tangents of 12 metres has a radius of 12 metres.
    let expected = (Mover.car.lateralAcceleration * 12).squareRoot()
    #expect((motion.speed(at: atCorner) - expected).magnitude < 0.01)
    let fastest = stride(from: 0, to: motion.durationSeconds, by: 0.5).map { motion.speed(at: $0) }.reduce(0, max)
    #expect(fastest > 25)
  }

  @Test func aWayIsDrivenInTheLeastTimeThatItsRulesAllow() {
    // 1,000 metres from rest to rest: accelerate to 20, drive, brake.
    let end = Worlds.munich.destination(bearingDegrees: 0, distanceMetres: 1_000)
    let path = Path([Worlds.munich, end])
    let motion = SpeedPlan.motion(of: Course(path: path, limits: [20]), by: .car, startSeconds: 0, paces: [1])
    let (faster, slower) = (20 / 1.4, 20 / 2.0)
    let steady = (path.lengthMetres - 10 * faster - 10 * slower) / 20
    #expect((motion.durationSeconds - (faster + steady + slower)).magnitude < 1e-9)
  }

  @Test func redLightsAreWaitedForAndGreenOnesAreNot() throws {
    let middle = Worlds.munich.destination(bearingDegrees: 90, distanceMetres: 600)
    let end = Worlds.munich.destination(bearingDegrees: 90, distanceMetres: 1_200)
    let path = Path([Worlds.munich, middle, end])
    var halted = 0
    for offset in 0..<60 {
      let light = TrafficLight(cycleSeconds: 60, offsetSeconds: Double(offset))
      let course = Course(path: path, limits: [14, 14], stops: [(1, .light(light, isNorthSouth: false))])
      let motion = SpeedPlan.motion(of: course, by: .car, startSeconds: 0, paces: [1, 1])
      let reached = try #require(motion.seconds(atMetres: path.metres[1]))
      let left = try #require(motion.secondsLeaving(metres: path.metres[1]))
      #expect(light.wait(at: left + 1e-6, isNorthSouth: false) == 0, "offset \(offset): no start at red")
      #expect(left - reached <= 60, "offset \(offset)")
      if motion.isHalted(at: reached + 1e-6) { halted += 1 }
    }
    // Red, with the clearing time, is 34 of 60 seconds.
    #expect((30...38).contains(halted))
  }
}
