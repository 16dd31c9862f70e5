import Base

/// The days of one device's owner, as functions of the seed: nothing is stored, and every leg can be asked for alone.
package struct DailyPlan: Sendable {
  package let seed: UInt64
  package let device: UInt64
  package let occupation: Occupation

  package init(seed: UInt64, device: UInt64, occupation: Occupation) {
    self.seed = seed
    self.device = device
    self.occupation = occupation
  }

  /// The leg so many after the first of a day; nil when nothing more is planned.
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

  /// Whether the device knows a wireless network there: at home, and where its owner works indoors.
  func hasWifi(at address: Address, in city: City) -> Bool {
    switch occupation {
    case .commuter, .cyclist, .nightShift:
      address == city.home(of: device, seed: seed) || address == city.work(of: device, seed: seed)
    case .courier, .walker, .parkedCar: address == city.home(of: device, seed: seed)
    }
  }

  /// The draws of one day, from a step that belongs to it.
  private func draws(day: Int, index: Int = 0) -> RandomStream {
    Concern.day.stream(seed: seed, device: device, n: UInt64(bitPattern: Int64(day)) << 16 &+ UInt64(index) << 5)
  }

  /// What is the same every day: how early somebody is, in standard deviations.
  private var habit: Double {
    var stream = Concern.errand.stream(seed: seed, device: device)
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
    var choice = Concern.work.stream(seed: seed, device: device)
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

  /// Out and back twice: after breakfast and in the evening.
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

  /// Home from the night before, then out again in the evening.
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
