package import Base

/// The days of a device's owner, as functions of the seed: nothing is stored, and every leg can be computed separately.
package struct DailyPlan: Sendable {
  package let seed: UInt64
  package let device: UInt64
  package let occupation: Occupation

  package init(seed: UInt64, device: UInt64, occupation: Occupation) {
    self.seed = seed
    self.device = device
    self.occupation = occupation
  }

  /// Returns a leg of a day by its index; nil when nothing more is planned.
  func leg(day: Int, index: Int, clock: DayClock, in city: City) -> Leg? {
    let isWeekend = clock.isWeekend(day: day)
    switch occupation {
    case .commuter: return isWeekend ? errand(day: day, index: index, share: 0.5, in: city) : commute(day, index, city)
    case .cyclist: return isWeekend ? nil : commute(day, index, city)
    case .courier: return isWeekend ? nil : delivery(day: day, index: index, in: city)
    case .walker: return walk(day: day, index: index, in: city)
    case .nightShift: return shift(day: day, index: index, startsTonight: !isWeekend, in: city)
    case .parkedCar: return errand(day: day, index: index, share: 0.25, in: city)
    }
  }

  /// Reports whether the device knows a wireless network there: at home, and at indoor workplaces.
  func hasWifi(at address: Address, in city: City) -> Bool {
    switch occupation {
    case .commuter, .cyclist, .nightShift:
      address == city.home(of: device, seed: seed) || address == city.work(of: device, seed: seed)
    case .courier, .walker, .parkedCar: address == city.home(of: device, seed: seed)
    }
  }

  /// Returns the random stream of one day and leg.
  private func draws(day: Int, index: Int = 0) -> RandomStream {
    RandomStreamID.day.stream(seed: seed, device: device, n: UInt64(bitPattern: Int64(day)) << 16 &+ UInt64(index) << 5)
  }

  /// How late a person is every day, in standard deviations; negative is early.
  private var habit: Double {
    var stream = RandomStreamID.errand.stream(seed: seed, device: device)
    return min(max(stream.normal(), -2.5), 2.5)
  }

  private func commute(_ day: Int, _ index: Int, _ city: City) -> Leg? {
    var stream = draws(day: day)
    let (morning, evening) = (stream.normal(standardDeviation: 420), stream.normal(standardDeviation: 900))
    let shops = occupation == .commuter && stream.chance(0.3)
    let home = city.home(of: device, seed: seed)
    let work = city.work(of: device, seed: seed)
    switch index {
    case 0: return Leg(departure: .at(secondsAfterMidnight: 27_900 + 2_400 * habit + morning), destination: work)
    case 1:
      let departure = Leg.Departure.at(secondsAfterMidnight: 61_200 + 2_400 * habit + evening)
      guard shops else { return Leg(departure: departure, destination: home) }
      return Leg(departure: departure, destination: city.address(near: home, withinBlocks: 6, from: &stream))
    case 2 where shops: return Leg(departure: .after(seconds: 600 + 1_200 * stream.uniform()), destination: home)
    default: return nil
    }
  }

  private func errand(day: Int, index: Int, share: Double, in city: City) -> Leg? {
    var stream = draws(day: day)
    guard stream.chance(share) else { return nil }
    let home = city.home(of: device, seed: seed)
    let departure = 39_600 + stream.normal(standardDeviation: 4_000)
    let stay = 1_200 + stream.exponential(mean: 1_800)
    switch index {
    case 0:
      let shop = city.address(near: home, withinBlocks: 12, from: &stream)
      return Leg(departure: .at(secondsAfterMidnight: departure), destination: shop)
    case 1: return Leg(departure: .after(seconds: stay), destination: home)
    default: return nil
    }
  }

  private func delivery(day: Int, index: Int, in city: City) -> Leg? {
    var dayStream = draws(day: day)
    let deliveries = 20 + dayStream.index(below: 21)
    let early = dayStream.normal(standardDeviation: 600)
    var choice = RandomStreamID.work.stream(seed: seed, device: device)
    let depot = city.depot(choice.index(below: city.depotCount))
    if index == 0 {
      return Leg(departure: .at(secondsAfterMidnight: 25_200 + 1_200 * habit + early), destination: depot)
    }
    if index == deliveries + 1 { return Leg(departure: .after(seconds: 300), destination: depot) }
    if index == deliveries + 2 {
      return Leg(departure: .after(seconds: 900), destination: city.home(of: device, seed: seed))
    }
    guard index <= deliveries else { return nil }
    var stream = draws(day: day, index: index)
    let stay = index == 1 ? 1_800 : min(stream.logNormal(median: 240, sigma: 1.1), 5_400)
    let address = city.address(near: depot, withinBlocks: 24, from: &stream)
    return Leg(departure: .after(seconds: stay), destination: address)
  }

  /// Returns a leg of two round trips: after breakfast and in the evening.
  private func walk(day: Int, index: Int, in city: City) -> Leg? {
    guard index < 4 else { return nil }
    var stream = draws(day: day, index: index / 2)
    let late = stream.normal(standardDeviation: 900)
    let home = city.home(of: device, seed: seed)
    let turning = city.address(near: home, withinBlocks: 5, from: &stream)
    if index % 2 == 1 { return Leg(departure: .after(seconds: 120 + 600 * stream.uniform()), destination: home) }
    let time = index == 0 ? 30_600.0 : 66_600
    return Leg(departure: .at(secondsAfterMidnight: time + 1_800 * habit + late), destination: turning)
  }

  /// Returns a leg: home from the previous night, or to work in the evening.
  private func shift(day: Int, index: Int, startsTonight: Bool, in city: City) -> Leg? {
    var stream = draws(day: day)
    let (morning, evening) = (stream.normal(standardDeviation: 420), stream.normal(standardDeviation: 420))
    switch index {
    case 0:
      return Leg(departure: .at(secondsAfterMidnight: 22_200 + morning), destination: city.home(of: device, seed: seed))
    case 1 where startsTonight:
      let departure = Leg.Departure.at(secondsAfterMidnight: 77_400 + 900 * habit + evening)
      return Leg(departure: departure, destination: city.work(of: device, seed: seed))
    default: return nil
    }
  }
}

/// Converts instants of the run to days and times of day.
package struct DayClock: Equatable, Sendable {
  /// At the zero of the run, 0 ..< 86,400.
  package let secondsAfterMidnight: Double
  /// The weekday of the run's first day, 1 (Sunday) to 7.
  package let firstWeekday: Int

  static let secondsPerDay = 86_400.0

  package init(secondsAfterMidnight: Double, firstWeekday: Int) {
    precondition(secondsAfterMidnight >= 0 && secondsAfterMidnight < DayClock.secondsPerDay, "a day has 86,400 seconds")
    precondition((1...7).contains(firstWeekday), "a week has seven days")
    self.secondsAfterMidnight = secondsAfterMidnight
    self.firstWeekday = firstWeekday
  }

  /// Returns the day; 0 is the day in which the run begins.
  package func day(at instant: MonotonicInstant) -> Int {
    Int(((instant.seconds + secondsAfterMidnight) / DayClock.secondsPerDay).rounded(.down))
  }

  package func instant(day: Int, secondsAfterMidnight seconds: Double) -> MonotonicInstant {
    MonotonicInstant(secondsRoundedUp: Double(day) * DayClock.secondsPerDay + seconds - secondsAfterMidnight)
  }

  /// Returns the seconds after the last midnight.
  package func timeOfDay(at instant: MonotonicInstant) -> Double {
    instant.seconds + secondsAfterMidnight - Double(day(at: instant)) * DayClock.secondsPerDay
  }

  package func isWeekend(day: Int) -> Bool {
    let weekday = ((firstWeekday - 1 + day) % 7 + 7) % 7
    return weekday == 0 || weekday == 6
  }
}

/// The next planned movement of a person: to a place, at a time of day or some time after arrival.
struct Leg: Equatable, Sendable {
  enum Departure: Equatable, Sendable {
    case at(secondsAfterMidnight: Double)
    case after(seconds: Double)
  }

  let departure: Departure
  let destination: Address
}

/// A person's daily schedule.
package enum Occupation: Equatable, Sendable, CaseIterable {
  /// To work and back by car, sometimes with a stop at a shop; on some weekend days to a shop.
  case commuter
  /// From a depot from door to door, every weekday.
  case courier
  /// Two walks around the home each day.
  case walker
  /// To work and back by bicycle.
  case cyclist
  /// To work in the evening and home in the morning, by car.
  case nightShift
  /// A car that is used about every fourth day.
  case parkedCar

  /// The suitable transport.
  package var transport: Transport {
    switch self {
    case .commuter, .courier, .nightShift, .parkedCar: .car
    case .cyclist: .bicycle
    case .walker: .foot
    }
  }
}
