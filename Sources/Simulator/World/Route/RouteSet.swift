import Base

/// Recorded routes of a fleet, and which of them a ride takes.
package final class RouteSet: Sendable {
  /// Which route a ride takes.
  package enum Pick: Sendable {
    /// All of them in an order of the device's own, then all again in another.
    case shuffle
    /// One after the other; each device begins one further on.
    case sequence
    case random
  }

  /// At least one.
  package let routes: [TimedRoute]
  private let pick: Pick

  package init(_ routes: [TimedRoute], pick: Pick = .sequence) {
    precondition(!routes.isEmpty, "a set has at least one route")
    self.routes = routes
    self.pick = pick
  }

  /// The route of the ride with this number, from 0. `index` is the device's place in its fleet.
  func route(ofRide number: UInt64, seed: UInt64, device: UInt64, index: Int) -> TimedRoute {
    let count = routes.count
    guard count > 1 else { return routes[0] }
    switch pick {
    case .sequence: return routes[Int((UInt64(index) + number) % UInt64(count))]
    case .random:
      var stream = Concern.riding.stream(seed: seed, device: device, n: number << 2)
      return routes[stream.index(below: count)]
    case .shuffle:
      // The same shuffle again for each ride of a round is cheaper than to keep one for each device.
      let round = number / UInt64(count)
      var stream = Concern.riding.stream(seed: seed, device: device, n: round << 24)
      var order = Array(0..<count)
      let place = Int(number % UInt64(count))
      for position in 0...place { order.swapAt(position, position + stream.index(below: count - position)) }
      return routes[order[place]]
    }
  }
}
