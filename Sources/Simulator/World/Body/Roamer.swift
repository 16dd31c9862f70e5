package import Base

/// Somebody in a city who goes from place to place for ever, without a plan for the day.
struct Roamer: Sendable {
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

  /// Between home and work one is on the way from the first second on; else one is found somewhere in a pause.
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
      case .shuttle: return stay(from: end, seconds: Roamer.turnSeconds)
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
    let end = MonotonicInstant(secondsRoundedUp: start.seconds + min(max(seconds, 0), Roamer.longestSeconds))
    return .stay(Stay(place: place, cover: city.zone(at: place)?.kind, start: start, end: end))
  }

  /// Of the trip that has come or comes next.
  private var draws: RandomStream { Concern.roaming.stream(seed: seed, device: device, n: tripCount << 6) }

  /// At both ends of the way to work.
  private static let turnSeconds = 60.0
  /// A heavy tail may ask for ages.
  private static let longestSeconds = 3e7
}

/// Where somebody without a plan goes next.
package enum RoamingAim: Equatable, Sendable {
  /// To work and home again.
  case shuttle
  /// To any place of the city, after so many seconds at the last.
  case anywhere(dwell: Distribution)
}
