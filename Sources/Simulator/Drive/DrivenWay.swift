import Base
import World

/// Where somebody goes who only says how: along streets that begin at the door and turn at random, block by block.
enum DrivenWay {
  private static let blocks = 400
  private static let concern: UInt64 = 1 << 40

  /// `number` counts the ways of a device.
  static func body(
    by transport: Transport, from place: Coordinate, seed: UInt64, number: UInt64, at instant: MonotonicInstant
  ) -> Body {
    var stream = RandomStream(seed: seed, device: 0, concern: concern, n: number << 16)
    var bearing = Double(stream.index(below: 4)) * 90 + 10
    var places = [place]
    for _ in 0..<blocks {
      places.append(
        places[places.count - 1].destination(bearingDegrees: bearing, distanceMetres: 80 + 160 * stream.uniform()))
      // Never straight back.
      if stream.chance(0.4) { bearing += stream.chance(0.5) ? 90 : 270 }
      bearing = bearing.truncatingRemainder(dividingBy: 360)
    }
    let route = TimedRoute(modelled: RouteRecording(places: places), transport: transport, speedLimit: townLimit)
    return body(along: route, .pingPong, seed: seed, number: number, at: instant)
  }

  /// Stays there.
  static func body(restingAt place: Coordinate, at instant: MonotonicInstant) -> Body {
    let route = TimedRoute(modelled: RouteRecording(places: [place]), transport: .foot)
    return body(along: route, .once, seed: 0, number: 0, at: instant)
  }

  private static func body(
    along route: TimedRoute, _ repetition: RouteRepetition, seed: UInt64, number: UInt64, at instant: MonotonicInstant
  ) -> Body {
    Body(
      along: RouteSet([route], pick: .sequence), repetition: repetition, seed: seed, device: number, index: 0,
      start: instant)
  }

  /// 50 km/h.
  private static let townLimit = 13.9
  /// Red lights, and who is in the way.
  static let car = Transport(
    mover: .car, stops: Transport.Stops(perKilometre: 1, duration: .exponential(mean: 12)), activity: .inVehicle)
}
