import Base
import Testing

@testable import World

/// Bodies without a plan for the day.
@Suite struct MovementTests {
  private let hour = Worlds.zero + .seconds(3_600)

  @Test func somebodyWhoRoamsGoesFromPlaceToPlaceWithPauses() {
    let city = Worlds.city(blocks: 48)
    var stays: [Double] = []
    for device in 0..<10 as Range<UInt64> {
      var body = Body(
        roaming: city, .anywhere(dwell: .constant(120)), transport: .car, seed: 1, device: device, start: Worlds.zero)
      while let end = body.episode.end, end < hour {
        body.advance(to: end)
        if case .stay(let stay) = body.episode, let end = stay.end { stays.append((end - stay.start).seconds) }
      }
    }
    #expect(stays.count > 30 && stays.allSatisfy { ($0 - 120).magnitude < 0.01 })
  }

  @Test func aShuttleIsBetweenHomeAndWork() {
    let city = Worlds.city(blocks: 48)
    var body = Body(roaming: city, .shuttle, transport: .car, seed: 1, device: 4, start: Worlds.zero)
    #expect(body.speed(at: Worlds.zero + .seconds(20)) > 0)
    let ends = [city.home(of: 4, seed: 1), city.work(of: 4, seed: 1)].map { city.coordinate(of: $0) }
    while let end = body.episode.end, end < hour {
      body.advance(to: end)
      if case .stay(let stay) = body.episode { #expect(ends.contains(stay.place)) }
    }
  }

  /// The distance of a body is at least that between any two places where it was, also where it has moved to another path.
  @Test func theStraightWayToAnotherPathCounts() {
    let city = Worlds.city(blocks: 48)
    let there = Worlds.zero + .seconds(1_800)
    var body = Body(roaming: city, .shuttle, transport: .car, seed: 1, device: 4, start: Worlds.zero)
    body.park(at: there)
    let (place, metres) = (body.position(at: there), body.metres(at: there))
    var other = Body(roaming: city, .shuttle, transport: .car, seed: 1, device: 5, start: there)
    body.move(to: other, at: there)
    let way = place.distanceMetres(to: other.position(at: there))
    #expect(metres > 0 && way > 100)
    #expect((body.metres(at: there) - metres - way).magnitude < 1e-6)
    let later = there + .seconds(1_200)
    other.advance(to: later)
    body.advance(to: later)
    #expect(body.position(at: later) == other.position(at: later) && other.metres(at: later) > 0)
    #expect((body.metres(at: later) - metres - way - other.metres(at: later)).magnitude < 1e-6)
  }

  @Test func aWalkKeepsItsMeanSpeedAndItsPlace() {
    let rules = WalkRules(center: Worlds.munich, meanSpeed: 1.35, alpha: 0.85, stepSeconds: 1)
    var (metres, farthest) = (0.0, 0.0)
    for device in 0..<10 as Range<UInt64> {
      var body = Body(walking: rules, transport: .foot, seed: 1, device: device, start: Worlds.zero)
      while let end = body.episode.end, end < Worlds.zero + .seconds(36_000) {
        if case .trip(let trip) = body.episode { metres += trip.motion.path.lengthMetres }
        body.advance(to: end)
        farthest = max(farthest, body.position(at: end).distanceMetres(to: Worlds.munich))
      }
    }
    #expect((metres / 360_000 - 1.35).magnitude < 0.1)
    #expect(farthest > 300 && farthest < 3_000)
  }

  /// Who was far out comes back, crosses the middle and goes far out again: fences there are entered and left all day.
  @Test func aWalkCrossesItsMiddleAgainAndAgain() {
    let rules = WalkRules(center: Worlds.munich, meanSpeed: 1.35, alpha: 0.85, stepSeconds: 1)
    for device in 0..<10 as Range<UInt64> {
      var body = Body(walking: rules, transport: .foot, seed: 1, device: device, start: Worlds.zero)
      var (crossings, isNear) = (0, false)
      while let end = body.episode.end, end < Worlds.zero + .seconds(36_000) {
        body.advance(to: end)
        let metres = body.position(at: end).distanceMetres(to: Worlds.munich)
        if metres < 400, !isNear { (crossings, isNear) = (crossings + 1, true) }
        if metres > 800 { isNear = false }
      }
      #expect(crossings >= 4, "walker \(device)")
    }
  }

  @Test func peopleWhoSetOutTogetherWantTheirNextStepsOneByOne() {
    let rules = WalkRules(center: Worlds.munich, meanSpeed: 14, alpha: 0.85, stepSeconds: 1)
    let bodies = (0..<600 as Range<UInt64>).map { device in
      var body = Body(walking: rules, transport: .car, seed: 1, device: device, start: Worlds.zero)
      for _ in 0..<20 { if let end = body.episode.end { body.advance(to: end) } }
      return body
    }
    let seconds = bodies.compactMap(\.episode.end).map { $0.nanoseconds % 10_000_000_000 / 1_000_000_000 }
    let renewals = Dictionary(grouping: seconds) { $0 }
    // Sixty for each of the ten steps of a trip, on average.
    #expect(renewals.count >= 10 && renewals.values.allSatisfy { $0.count < 120 })
  }

  @Test func aParkedBodyStays() {
    var body = Body(roaming: Worlds.city(), .shuttle, transport: .car, seed: 1, device: 1, start: Worlds.zero)
    let instant = Worlds.zero + .seconds(60)
    body.advance(to: instant)
    let place = body.position(at: instant)
    body.park(at: instant)
    body.advance(to: hour)
    #expect(body.position(at: hour) == place && body.nextChange(after: instant) == nil)
  }

  @Test func theSensorReportsTheSharesThatAreDeclared() throws {
    let shares = try #require(ActivityShares([(.inVehicle, 0.7), (.unknown, 0.2), (.still, 0.1)]))
    var seconds: [MotionActivity: Double] = [:]
    for device in 0..<20 as Range<UInt64> {
      var sensor = ActivitySensor(truth: .inVehicle, at: Worlds.zero, shares: shares, seed: 1, device: device)
      var (reported, since) = (MotionActivity.inVehicle, Worlds.zero)
      while let next = sensor.nextInstant, next < Worlds.zero + .seconds(100_000), let report = sensor.takeReport() {
        seconds[reported, default: 0] += (next - since).seconds
        (reported, since) = (report.activity, next)
      }
    }
    let sum = seconds.values.reduce(0, +)
    for (activity, share) in [(MotionActivity.inVehicle, 0.7), (.unknown, 0.2), (.still, 0.1)] {
      #expect(((seconds[activity] ?? 0) / sum - share).magnitude < 0.02, "\(activity)")
    }
  }

  @Test func aBatteryIsASawBetweenLowAndFull() {
    let battery = PhoneBattery(start: 0.5...1, drainPerHour: 0.06)
    for device in 0..<20 as Range<UInt64> {
      let readings = (0..<400).map {
        battery.reading(at: Worlds.zero + .seconds(Int64($0) * 600), seed: 1, device: device)
      }
      #expect((50...100).contains(readings[0].percent) && !readings[0].isCharging)
      #expect(readings.allSatisfy { (15...100).contains($0.percent) })
      for (left, right) in zip(readings, readings.dropFirst()) where left.isCharging == right.isCharging {
        #expect(left.isCharging ? right.percent >= left.percent : right.percent <= left.percent)
      }
      #expect(readings.contains { $0.isCharging })
    }
    #expect(PhoneBattery(drainPerHour: 0).reading(at: hour, seed: 1, device: 1).percent >= 50)
  }

  @Test func blindnessInTunnelsIsUpToTheModel() {
    let city = Worlds.city()
    let seeing = GPSModel(isBlindInTunnels: false)
    var covered = 0
    for device in 0..<40 as Range<UInt64> {
      var body = Body(roaming: city, .shuttle, transport: .car, seed: 1, device: device, start: Worlds.zero)
      body.advance(to: Worlds.zero + .seconds(1))
      guard case .trip(let trip) = body.episode, let tunnel = trip.covers.first(where: { $0.kind == .tunnel }),
        tunnel.start > Worlds.zero + .seconds(200)
      else { continue }
      covered += 1
      for (model, sees) in [(GPSModel.inVehicle, false), (seeing, true)] {
        var receiver = Receiver(model: model, seed: 1, device: device)
        receiver.start(at: Worlds.zero + .seconds(1))
        #expect((receiver.fix(of: body, at: tunnel.start + .milliseconds(1)) != nil) == sees)
      }
    }
    #expect(covered > 0)
  }
}
