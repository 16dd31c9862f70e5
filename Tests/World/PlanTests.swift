import Base
import Testing

@testable import World

struct PlanTests {
  private let city = Worlds.city()

  @Test(arguments: Occupation.allCases) func everyTripBeginsWhereTheBodyIs(occupation: Occupation) {
    for device in 0..<10 as Range<UInt64> {
      var body = Worlds.body(occupation, device: device, in: city)
      let end = Worlds.zero + .seconds(14 * 86_400)
      var place = body.position(at: Worlds.zero)
      var trips = 0
      while let next = body.episode.end, next < end {
        let before = body.position(at: next)
        body.advance(to: next)
        #expect(body.episode.start == next, "\(occupation), device \(device)")
        place = body.position(at: next)
        #expect(place.distanceMetres(to: before) < 0.001, "\(occupation), device \(device)")
        if case .trip = body.episode { trips += 1 }
      }
      #expect(trips > 0, "\(occupation), device \(device) goes out within a fortnight")
    }
  }

  @Test func commutersAreAtWorkAtNoonAndAtHomeAtNight() {
    for device in 0..<40 as Range<UInt64> {
      var body = Worlds.body(device: device, in: city)
      let home = city.coordinate(of: city.home(of: device, seed: 1))
      let work = city.coordinate(of: city.work(of: device, seed: 1))
      for day in 0..<5 {
        let night = Worlds.clock.instant(day: day, secondsAfterMidnight: 3 * 3_600)
        body.advance(to: night)
        #expect(body.position(at: night) == home, "device \(device), day \(day)")
        let noon = Worlds.clock.instant(day: day, secondsAfterMidnight: 13 * 3_600)
        body.advance(to: noon)
        #expect(body.position(at: noon) == work, "device \(device), day \(day)")
        #expect(body.hasWifi && body.activity(at: noon) == .still)
      }
    }
  }

  @Test func nightShiftsAreAtWorkAtNight() {
    for device in 0..<20 as Range<UInt64> {
      var body = Worlds.body(.nightShift, device: device, in: city)
      let night = Worlds.clock.instant(day: 2, secondsAfterMidnight: 3 * 3_600)
      body.advance(to: night)
      #expect(body.position(at: night) == city.coordinate(of: city.work(of: device, seed: 1)), "device \(device)")
    }
  }

  @Test func couriersMakeManyStopsAndParkedCarsFew() {
    let courier = Worlds.trips(of: Worlds.body(.courier, device: 1, in: city), days: 1)
    #expect((15...45).contains(courier.count))
    let trips = (0..<40 as Range<UInt64>).map {
      Worlds.trips(of: Worlds.body(.parkedCar, device: $0, in: city), days: 8).count
    }
    // Two days of eight, out and back.
    #expect((100...220).contains(trips.reduce(0, +)))
  }

  @Test func weekendsAreFree() {
    let saturday = DayClock(secondsAfterMidnight: 0, firstWeekday: 7)
    #expect(saturday.isWeekend(day: 0) && saturday.isWeekend(day: 1) && !saturday.isWeekend(day: 2))
    let plan = DailyPlan(seed: 1, device: 1, occupation: .cyclist)
    var body = Body(in: city, clock: saturday, plan: plan, start: Worlds.zero)
    body.advance(to: Worlds.zero + .seconds(2 * 86_400))
    #expect(body.episode.start == Worlds.zero)
  }

  @Test func advancingInOneStepOrManyIsTheSame() {
    for device in 0..<10 as Range<UInt64> {
      var (one, many) = (
        Worlds.body(.courier, device: device, in: city), Worlds.body(.courier, device: device, in: city)
      )
      let end = Worlds.zero + .seconds(3 * 86_400)
      var now = Worlds.zero
      while now < end {
        now = min(now + .seconds(977), end)
        many.advance(to: now)
      }
      one.advance(to: end)
      #expect(one.position(at: end) == many.position(at: end) && one.episode.start == many.episode.start)
    }
  }
}
