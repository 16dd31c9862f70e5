import Base
import Support
import Testing

@testable import World

struct CrossingTests {
  /// Every millisecond would take minutes; the reference steps by 50 and then looks at the milliseconds between.
  private func reference(_ trip: Trip, _ circle: Circle, after instant: MonotonicInstant) -> MonotonicInstant? {
    let scale = LocalScale(latitude: circle.center.latitude)
    func isInside(_ instant: MonotonicInstant) -> Bool {
      scale.offset(from: circle.center, to: trip.place(at: instant)).length < circle.radiusMetres
    }
    let side = isInside(instant)
    var now = instant
    while now < trip.end {
      let next = now + .milliseconds(50)
      if isInside(next) != side {
        while isInside(now) == side { now = now + .milliseconds(1) }
        return now
      }
      now = next
    }
    return nil
  }

  @Test func distanceFiltersAreCrossedWhenFineStepsCrossThem() {
    var generator = SeededGenerator(seed: 7)
    var crossed = 0
    for (name, trip) in Worlds.someTrips(devices: 2, days: 1) {
      for _ in 0..<4 {
        let start =
          trip.start + .milliseconds(Int64.random(in: 0...(trip.end - trip.start).wholeMilliseconds, using: &generator))
        let distance = Double.random(in: 1...400, using: &generator)
        let circle = Circle(center: trip.place(at: start), radiusMetres: distance)
        let found = trip.nextCrossing(of: circle, after: start)
        #expect(
          found == reference(trip, circle, after: start), "\(name), \(distance) metres after \(start.nanoseconds)")
        if found != nil { crossed += 1 }
      }
    }
    #expect(crossed > 40)
  }

  @Test func regionsAreEnteredAndLeftWhenFineStepsDoIt() {
    var generator = SeededGenerator(seed: 8)
    var passages = 0
    for (name, trip) in Worlds.someTrips(devices: 2, days: 1) {
      let middle = trip.place(at: trip.start + .milliseconds((trip.end - trip.start).wholeMilliseconds / 2))
      let center = middle.destination(
        bearingDegrees: Double.random(in: 0..<360, using: &generator),
        distanceMetres: Double.random(in: 0...150, using: &generator))
      let circle = Circle(center: center, radiusMetres: Double.random(in: 100...300, using: &generator))
      var now = trip.start
      while let found = trip.nextCrossing(of: circle, after: now) {
        #expect(found == reference(trip, circle, after: now), "\(name)")
        now = found
        passages += 1
      }
      #expect(reference(trip, circle, after: now) == nil, "\(name)")
    }
    #expect(passages > 40)
  }

  @Test func changesComeWhenFineStepsShowThem() {
    let city = Worlds.city()
    for occupation in Occupation.allCases {
      var body = Worlds.body(occupation, device: 3, in: city)
      var now = Worlds.zero
      var seen = (body.activity(at: now), body.cover(at: now))
      let end = Worlds.zero + .seconds(86_400)
      var missed: [MonotonicInstant] = []
      while now < end {
        let change = body.nextChange(after: now) ?? end
        // Until the change nothing changes.
        var probe = now + .milliseconds(1)
        while probe < change {
          if body.activity(at: probe) != seen.0 || body.cover(at: probe) != seen.1 { missed.append(probe) }
          probe = probe + .milliseconds(1_500)
        }
        #expect(change > now, "\(occupation)")
        now = change
        body.advance(to: now)
        seen = (body.activity(at: now), body.cover(at: now))
      }
      #expect(missed == [], "\(occupation)")
    }
  }

  @Test func coversAreWhereTheirPolygonsAre() {
    let city = Worlds.city(blocks: 160)
    var covered = 0
    for device in 0..<30 as Range<UInt64> {
      for trip in Worlds.trips(of: Worlds.body(device: device, in: city), days: 1) {
        var now = trip.start
        var wrong: [MonotonicInstant] = []
        while now < trip.end {
          let zone = city.zone(at: trip.place(at: now))?.kind
          // At an edge itself rounding decides.
          let isNearEdge = trip.covers.contains {
            (now - $0.start).seconds.magnitude < 0.01 || (now - $0.end).seconds.magnitude < 0.01
          }
          if !isNearEdge && trip.cover(at: now) != zone { wrong.append(now) }
          if zone != nil { covered += 1 }
          now = now + .milliseconds(1_700)
        }
        #expect(wrong == [], "device \(device)")
      }
    }
    #expect(covered > 50)
  }
}
