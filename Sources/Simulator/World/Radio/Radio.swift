package import Base

/// The network of one device over time. The chain goes on by itself; what the place does to it comes on top.
package struct Radio: Sendable {
  private let model: RadioModel
  private var stream: RestingStream
  private var network: RadioNetwork
  /// When the chain next changes; nil when it stays for good.
  package private(set) var nextChange: MonotonicInstant?

  package init(model: RadioModel, start: MonotonicInstant, seed: UInt64, device: UInt64) {
    self.model = model
    stream = RestingStream(.radio, seed: seed, device: device)
    network = model.start
    nextChange = draw(after: start)
  }

  /// Goes on to an instant, which must not lie before the last one.
  package mutating func advance(to instant: MonotonicInstant) {
    while let change = nextChange, change <= instant {
      network = next()
      nextChange = draw(after: change)
    }
  }

  /// What the device has: no network under cover, the known wireless network where there is one, else what the chain says.
  package func network(under cover: Cover.Kind?, hasWifi: Bool) -> RadioNetwork {
    if hasWifi { return .wifi }
    return cover == nil ? network : .none
  }

  /// The ways out compete: their rates add up.
  private var rate: Double {
    model.transitions.reduce(0) { $1.from == network ? $0 + 1 / $1.meanSeconds : $0 }
  }

  private mutating func draw(after instant: MonotonicInstant) -> MonotonicInstant? {
    let rate = rate
    guard rate > 0 else { return nil }
    return MonotonicInstant(
      secondsRoundedUp: instant.seconds + max(stream.draw { $0.exponential(mean: 1 / rate) }, 0.001))
  }

  private mutating func next() -> RadioNetwork {
    var left = stream.draw { $0.uniform() } * rate
    var chosen = network
    for transition in model.transitions where transition.from == network {
      chosen = transition.to
      left -= 1 / transition.meanSeconds
      if left < 0 { break }
    }
    return chosen
  }
}
