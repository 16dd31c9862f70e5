package import Base

/// A Gauss–Markov walk on open ground: each step's speed and direction are correlated with those of the last (T. Camp, J.
/// Boleng, V. Davies, "A survey of mobility models for ad hoc network research", 2002). As in the survey, far from the centre
/// the mean direction turns back to it, and remains so until the body is far out on another side.
struct Walker: Sendable {
  private let rules: WalkRules
  private let transport: Transport
  private var stream: RestingStream
  private(set) var place: Coordinate
  private var speed: Double
  private var directionDegrees: Double
  private var meanDirectionDegrees: Double
  /// Drawn for the first trip, so that people who start together do not need their next trip at the same instant.
  private let firstStepsMax: Int

  /// A trip is drawn whole at its start, and kept: 60 steps were a quarter of the memory of a phone.
  private static let stepsPerTrip = 10
  /// Standard deviations; that of the speed is a share of its mean.
  private static let speedDeviation = 0.3
  private static let directionDeviationDegrees = 60.0
  private static let rangeMetres = 1_000.0
  private static let startMetres = 300.0

  init(rules: WalkRules, transport: Transport, seed: UInt64, device: UInt64) {
    self.rules = rules
    self.transport = transport
    stream = RestingStream(.walk, seed: seed, device: device)
    let draws = stream.draw { (Walker.startMetres * $0.uniform().squareRoot(), 360 * $0.uniform(), 360 * $0.uniform()) }
    place = rules.center.destination(bearingDegrees: draws.1, distanceMetres: draws.0)
    speed = rules.meanSpeed
    meanDirectionDegrees = draws.2
    directionDegrees = draws.2
    firstStepsMax = stream.draw { 1 + Int(Double(Walker.stepsPerTrip) * $0.uniform()) }
  }

  func first(at start: MonotonicInstant) -> Episode { .stay(Stay(place: place, start: start, end: start)) }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    if case .stay = episode { return .trip(trip(at: end, metresMax: .infinity, stepsMax: firstStepsMax)) }
    return .trip(trip(at: end, metresMax: .infinity))
  }

  /// Returns the next steps, up to a number of steps or a distance.
  mutating func trip(at start: MonotonicInstant, metresMax: Double, stepsMax: Int = stepsPerTrip) -> Trip {
    var (places, seconds, metres) = ([place], [0.0], 0.0)
    while places.count <= stepsMax, metres < metresMax {
      let length = step(metresMax: metresMax - metres)
      metres += length
      places.append(place)
      seconds.append(seconds[seconds.count - 1] + length / speed)
    }
    return Trip(start: start, motion: Motion(places: places, seconds: seconds), transport: transport)
  }

  private mutating func step(metresMax: Double) -> Double {
    let (memory, rest) = (rules.alpha, (1 - rules.alpha * rules.alpha).squareRoot())
    let noise = stream.draw { ($0.normal(), $0.normal()) }
    let wanted = memory * speed + (1 - memory) * rules.meanSpeed
    speed = max(wanted + rest * Walker.speedDeviation * rules.meanSpeed * noise.0, 0.1 * rules.meanSpeed)
    if rules.center.distanceMetres(to: place) > Walker.rangeMetres {
      meanDirectionDegrees = place.initialBearingDegrees(to: rules.center)
    }
    let turn = (meanDirectionDegrees - directionDegrees).remainder(dividingBy: 360)
    directionDegrees += (1 - memory) * turn + rest * Walker.directionDeviationDegrees * noise.1
    let length = min(speed * rules.stepSeconds, max(metresMax, 0.1))
    place = place.destination(bearingDegrees: directionDegrees, distanceMetres: length)
    return length
  }
}

/// The parameters of a walk on open ground.
package struct WalkRules: Equatable, Sendable {
  package let center: Coordinate
  /// Metres per second.
  package let meanSpeed: Double
  /// The correlation with the last step, 0 to 1.
  package let alpha: Double
  package let stepSeconds: Double

  package init(center: Coordinate, meanSpeed: Double, alpha: Double, stepSeconds: Double) {
    precondition(meanSpeed > 0 && alpha >= 0 && alpha <= 1 && stepSeconds >= 0.1, "a walk goes on")
    (self.center, self.meanSpeed, self.alpha, self.stepSeconds) = (center, meanSpeed, alpha, stepSeconds)
  }
}

/// A person in a city who moves from place to place, without a daily schedule.
struct RandomItinerary: Sendable {
  private let city: City
  private let transport: Transport
  private let aim: RoamingAim
  private let seed: UInt64
  private let device: UInt64
  private var address: Address
  private var tripCount: UInt64 = 0

  init(city: City, transport: Transport, aim: RoamingAim, seed: UInt64, device: UInt64) {
    (self.city, self.transport, self.aim) = (city, transport, aim)
    (self.seed, self.device) = (seed, device)
    address = city.home(of: device, seed: seed)
  }

  /// Commuters are on the way from the first second on; others start during a pause.
  mutating func first(at start: MonotonicInstant) -> Episode {
    var stream = draws
    switch aim {
    case .shuttle: return stay(from: start, seconds: 0)
    case .anywhere(let dwell): return stay(from: start, seconds: dwell.draw(from: &stream) * stream.uniform())
    }
  }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    var stream = draws
    switch episode {
    case .trip:
      switch aim {
      case .shuttle: return stay(from: end, seconds: RandomItinerary.turnSeconds)
      case .anywhere(let dwell): return stay(from: end, seconds: dwell.draw(from: &stream))
      }
    case .stay:
      tripCount += 1
      stream = draws
      let destination = destination(from: &stream)
      let way = city.way(from: address, to: destination)
      address = destination
      let paces = PaceStream(seed: seed, device: device, trip: tripCount)
      return .trip(city.trip(along: way, by: transport, at: end, paces: paces))
    }
  }

  private func destination(from stream: inout RandomStream) -> Address {
    switch aim {
    case .shuttle:
      tripCount % 2 == 1 ? city.work(of: device, seed: seed) : city.home(of: device, seed: seed)
    case .anywhere:
      city.somewhere(from: &stream)
    }
  }

  private func stay(from start: MonotonicInstant, seconds: Double) -> Episode {
    let place = city.coordinate(of: address)
    let end = MonotonicInstant(secondsRoundedUp: start.seconds + min(max(seconds, 0), RandomItinerary.longestSeconds))
    return .stay(Stay(place: place, cover: city.zone(at: place)?.kind, start: start, end: end))
  }

  /// The draws of the current or the next trip.
  private var draws: RandomStream { RandomStreamID.roaming.stream(seed: seed, device: device, n: tripCount << 6) }

  /// The pause at both ends of the commute.
  private static let turnSeconds = 60.0
  /// Limits draws from a heavy tail.
  private static let longestSeconds = 3e7
}

/// The next destination of a person without a schedule.
package enum RoamingAim: Equatable, Sendable {
  /// To work and home again.
  case shuttle
  /// Any place of the city, after `dwell` seconds at the last.
  case anywhere(dwell: Distribution)
}
