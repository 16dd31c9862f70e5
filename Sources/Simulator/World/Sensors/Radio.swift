package import Base

/// The network of one device over time: a Markov chain, overridden by the place.
package struct Radio: Sendable {
  private let model: RadioModel
  private var stream: RestingStream
  private var network: RadioNetwork
  /// The next change of the chain; nil when there is none in any run.
  package private(set) var nextChange: MonotonicInstant?

  package init(model: RadioModel, start: MonotonicInstant, seed: UInt64, device: UInt64) {
    self.model = model
    stream = RestingStream(.radio, seed: seed, device: device)
    network = model.start
    nextChange = draw(after: start)
  }

  /// Advances to an instant, which must not be before the last one.
  package mutating func advance(to instant: MonotonicInstant) {
    while let change = nextChange, change <= instant {
      network = next()
      nextChange = draw(after: change)
    }
  }

  /// Returns the current network: none under cover, a known wireless network, or else the state of the chain.
  package func network(under cover: Cover.Kind?, hasWifi: Bool) -> RadioNetwork {
    if hasWifi { return .wifi }
    return cover == nil ? network : .none
  }

  /// The sum of the rates of all transitions.
  private var rate: Double {
    model.transitions.reduce(0) { $1.from == network ? $0 + 1 / $1.meanSeconds : $0 }
  }

  private mutating func draw(after instant: MonotonicInstant) -> MonotonicInstant? {
    let rate = rate
    guard rate > 0 else { return nil }
    let seconds = instant.seconds + max(stream.draw { $0.exponential(mean: 1 / rate) }, 0.001)
    return seconds < MonotonicInstant.secondsMax ? MonotonicInstant(secondsRoundedUp: seconds) : nil
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

/// A kind of network connection and its properties.
package struct RadioLink: Equatable, Sendable {
  /// The type that the phone reports. With `none` every connection fails at once; with the others bytes may still get lost.
  package enum Kind: Equatable, Sendable {
    case wifi, cellular, none
  }

  package let name: String
  package let kind: Kind
  package let quality: LinkQuality

  package init(name: String, kind: Kind, quality: LinkQuality) {
    self.name = name
    self.kind = kind
    self.quality = quality
  }
}

/// A continuous-time Markov chain of networks.
package struct RadioModel: Equatable, Sendable {
  /// A transition between two networks, with its mean time in seconds in the absence of others.
  package struct Transition: Equatable, Sendable {
    package let from: RadioNetwork
    package let to: RadioNetwork
    package let meanSeconds: Double

    package init(from: RadioNetwork, to: RadioNetwork, meanSeconds: Double) {
      precondition(meanSeconds > 0, "a mean time is more than nothing")
      precondition(from != to, "a transition changes the network")
      self.from = from
      self.to = to
      self.meanSeconds = meanSeconds
    }
  }

  package let start: RadioNetwork
  package let transitions: [Transition]

  package init(start: RadioNetwork, transitions: [Transition] = []) {
    self.start = start
    self.transitions = transitions
  }

  /// Travel in a town.
  package static let urban = RadioModel(
    start: .lte,
    transitions: [
      Transition(from: .lte, to: .hsdpa, meanSeconds: 360), Transition(from: .lte, to: .none, meanSeconds: 2_700),
      Transition(from: .hsdpa, to: .lte, meanSeconds: 120), Transition(from: .hsdpa, to: .edge, meanSeconds: 1_200),
      Transition(from: .edge, to: .hsdpa, meanSeconds: 180), Transition(from: .none, to: .lte, meanSeconds: 90),
    ])

  /// One network, forever.
  package static func constant(_ network: RadioNetwork) -> RadioModel { RadioModel(start: network) }
}

/// A network of a device: an index in the run's table of links.
package struct RadioNetwork: Hashable, Sendable {
  package let number: UInt16

  init(number: Int) {
    precondition((0..<Int(UInt16.max)).contains(number), "a run has at most 65,535 networks")
    self.number = UInt16(number)
  }

  // Presets of every table.
  package static let wifi = RadioNetwork(number: 0)
  package static let lte = RadioNetwork(number: 1)
  package static let hsdpa = RadioNetwork(number: 2)
  package static let edge = RadioNetwork(number: 3)
  package static let none = RadioNetwork(number: 4)
  package static let gprs = RadioNetwork(number: 5)
}

/// The links of a run, by number: the presets, and the declared ones.
package struct RadioTable: Equatable, Sendable {
  package private(set) var links: [RadioLink]

  /// Based on the tables of comcast and of Apple's Network Link Conditioner; in the order of the numbers of `RadioNetwork`.
  package static let presets = RadioTable(links: [
    preset("wifi", .wifi, latency: 0.04, jitter: 0.01, down: 30e6, up: 10e6, loss: 0.002),
    preset("lte", .cellular, latency: 0.06, jitter: 0.025, down: 20e6, up: 8e6, loss: 0.005),
    preset("hsdpa", .cellular, latency: 0.25, jitter: 0.08, down: 750e3, up: 384e3, loss: 0.015),
    preset("edge", .cellular, latency: 0.3, jitter: 0.12, down: 250e3, up: 100e3, loss: 0.015),
    preset("none", .none, latency: 0, jitter: 0, down: 0, up: 0, loss: 0),
    preset("gprs", .cellular, latency: 0.5, jitter: 0.2, down: 50e3, up: 30e3, loss: 0.02),
  ])

  package subscript(network: RadioNetwork) -> RadioLink { links[Int(network.number)] }

  /// Called for every event, therefore without a copy.
  package func kind(of network: RadioNetwork) -> RadioLink.Kind { links[Int(network.number)].kind }

  package var names: [String] { links.map(\.name) }

  package func network(named name: String) -> RadioNetwork? {
    links.firstIndex { $0.name == name }.map { RadioNetwork(number: $0) }
  }

  /// Replaces a link of the same name, such as a preset.
  package mutating func declare(_ link: RadioLink) {
    if let known = network(named: link.name) { links[Int(known.number)] = link } else { links.append(link) }
  }

  private static func preset(
    _ name: String, _ kind: RadioLink.Kind, latency: Double, jitter: Double, down: Double, up: Double, loss: Double
  ) -> RadioLink {
    RadioLink(
      name: name, kind: kind,
      quality: LinkQuality(
        latency: latency, jitter: jitter, downBitsPerSecond: down, upBitsPerSecond: up, loss: loss))
  }
}

/// The times and rates of a link, in seconds and bits per second.
package struct LinkQuality: Equatable, Sendable {
  /// The round-trip time.
  package var latency: Double
  /// The standard deviation in one direction.
  package var jitter: Double
  package var downBitsPerSecond: Double
  package var upBitsPerSecond: Double
  /// The packet loss in one direction.
  package var loss: Double

  package init(latency: Double, jitter: Double, downBitsPerSecond: Double, upBitsPerSecond: Double, loss: Double) {
    precondition(latency >= 0 && jitter >= 0 && downBitsPerSecond >= 0 && upBitsPerSecond >= 0, "no link is faster")
    precondition(loss >= 0 && loss <= 1, "a share is 0 to 1")
    self.latency = latency
    self.jitter = jitter
    self.downBitsPerSecond = downBitsPerSecond
    self.upBitsPerSecond = upBitsPerSecond
    self.loss = loss
  }

  /// The initial retransmission timeout, doubled with every loss (RFC 6298 §2).
  private static let retransmissionSeconds = 1.0
  private static let retransmissions = 6

  /// Returns the transfer time of bytes in one direction over a reliable connection, with retransmissions. Nil when they do
  /// not arrive: without a network, when the last of several attempts was lost, or when it would take years.
  package func transfer(bytes: Int, isUpload: Bool, from stream: inout RandomStream) -> Nanoseconds? {
    let rate = isUpload ? upBitsPerSecond : downBitsPerSecond
    guard rate > 0 else { return nil }
    var seconds = 0.5 * latency + jitter * stream.normal().magnitude + Double(bytes) * 8 / rate
    var timeout = LinkQuality.retransmissionSeconds
    var attempts = 0
    while stream.chance(loss) {
      attempts += 1
      guard attempts <= LinkQuality.retransmissions else { return nil }
      seconds += timeout
      timeout *= 2
    }
    // No request waits for an answer as long.
    return seconds < Distribution.longestSeconds ? Nanoseconds(Int64(seconds * 1e9)) : nil
  }
}
