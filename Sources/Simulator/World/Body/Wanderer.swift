import Base

/// Turns the legs of a daily plan into episodes, one after the other. Between trips it is all that a body needs.
struct Wanderer: Sendable {
  private let city: City
  private let clock: DayClock
  private let plan: DailyPlan
  private let transport: Transport
  private var address: Address
  private var day: Int
  /// Of the leg that comes next.
  private var index = 0
  private var destination: Address?
  private var tripCount: UInt64 = 0

  /// So many days ahead a plan is looked through for the next leg; a plan without one has ended.
  private static let horizonDays = 400
  private static let shortestStay = Nanoseconds.seconds(30)

  init(city: City, clock: DayClock, plan: DailyPlan, transport: Transport, start: MonotonicInstant) {
    self.transport = transport
    self.city = city
    self.clock = clock
    self.plan = plan
    address = city.home(of: plan.device, seed: plan.seed)
    day = clock.day(at: start)
  }

  /// At home until the first leg that begins after `start`.
  mutating func first(at start: MonotonicInstant) -> Episode { stay(from: start, isFirst: true) }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    switch episode {
    case .trip: return stay(from: end, isFirst: false)
    case .stay:
      guard let destination else { return stay(from: end, isFirst: false) }
      let way = city.way(from: address, to: destination)
      tripCount += 1
      address = destination
      let paces = PaceStream(seed: plan.seed, device: plan.device, trip: tripCount)
      return .trip(city.trip(along: way, by: transport, at: end, paces: paces))
    }
  }

  private mutating func stay(from start: MonotonicInstant, isFirst: Bool) -> Episode {
    let place = city.coordinate(of: address)
    let cover = city.zone(at: place)?.kind
    let end = departure(after: start, isFirst: isFirst)
    let hasWifi = plan.hasWifi(at: address, in: city)
    return .stay(Stay(place: place, cover: cover, hasWifi: hasWifi, start: start, end: end))
  }

  /// Finds the next leg and when it begins. Who starts in the middle of a day has missed what came before; who is late
  /// leaves as soon as they can.
  private mutating func departure(after start: MonotonicInstant, isFirst: Bool) -> MonotonicInstant? {
    let lastDay = day + Wanderer.horizonDays
    while day <= lastDay {
      guard let leg = plan.leg(day: day, index: index, clock: clock, in: city) else {
        (day, index) = (day + 1, 0)
        continue
      }
      index += 1
      let departure =
        switch leg.departure {
        case .at(let seconds): clock.instant(day: day, secondsAfterMidnight: seconds)
        case .after(let seconds): MonotonicInstant(secondsRoundedUp: start.seconds + seconds)
        }
      if isFirst && (departure < start || leg.departure.isRelative) { continue }
      if leg.destination == address { continue }
      destination = leg.destination
      return max(departure, start + Wanderer.shortestStay)
    }
    destination = nil
    return nil
  }
}

extension Leg.Departure {
  /// Relative to something before it.
  var isRelative: Bool {
    switch self {
    case .after: true
    case .at: false
    }
  }
}
