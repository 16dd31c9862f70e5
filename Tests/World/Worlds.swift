import Base
import Testing

@testable import World

/// What the tests of the world share.
enum Worlds {
  static let zero = MonotonicInstant(nanoseconds: 0)
  static let clock = DayClock(secondsAfterMidnight: 0, firstWeekday: 2)
  static let munich = place(48.137, 11.575)

  static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("the tests name places that exist")
    }
    return place
  }

  static func city(seed: UInt64 = 1, blocks: Int = 80) -> City {
    City(seed: seed, center: munich, columns: blocks, rows: blocks)
  }

  static func body(
    _ occupation: Occupation = .commuter, device: UInt64, seed: UInt64 = 1, in city: City
  ) -> Body {
    let plan = DailyPlan(seed: seed, device: device, occupation: occupation)
    return Body(in: city, clock: clock, plan: plan, start: zero)
  }

  static func body(along route: TimedRoute, _ repetition: RouteRepetition) -> Body {
    Body(along: RouteSet([route]), repetition: repetition, seed: 1, device: 1, index: 0, start: zero)
  }

  /// The trips of a body's first days.
  static func trips(of body: Body, days: Int) -> [Trip] {
    var body = body
    var trips: [Trip] = []
    let end = zero + .seconds(86_400) * Int64(days)
    while let next = body.episode.end, next < end {
      body.advance(to: next)
      if case .trip(let trip) = body.episode { trips.append(trip) }
    }
    return trips
  }

  /// Some trips of every kind, from several seeds.
  static func someTrips(devices: UInt64 = 6, days: Int = 2) -> [(name: String, trip: Trip)] {
    Occupation.allCases.flatMap { occupation in
      (1...2 as ClosedRange<UInt64>).flatMap { seed in
        let city = city(seed: seed)
        return (0..<devices).flatMap { device in
          trips(of: body(occupation, device: device, seed: seed, in: city), days: days).map {
            ("\(occupation), seed \(seed), device \(device)", $0)
          }
        }
      }
    }
  }
}
