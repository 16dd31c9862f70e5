/// The links of a run, by number: the presets, and what else was declared.
package struct RadioTable: Equatable, Sendable {
  package private(set) var links: [RadioLink]

  /// After the tables of comcast and of Apple's Network Link Conditioner; in the order of the numbers of `RadioNetwork`.
  package static let presets = RadioTable(links: [
    preset("wifi", .wifi, latency: 0.04, jitter: 0.01, down: 30e6, up: 10e6, loss: 0.002),
    preset("lte", .cellular, latency: 0.06, jitter: 0.025, down: 20e6, up: 8e6, loss: 0.005),
    preset("hsdpa", .cellular, latency: 0.25, jitter: 0.08, down: 750e3, up: 384e3, loss: 0.015),
    preset("edge", .cellular, latency: 0.3, jitter: 0.12, down: 250e3, up: 100e3, loss: 0.015),
    preset("none", .none, latency: 0, jitter: 0, down: 0, up: 0, loss: 0),
    preset("gprs", .cellular, latency: 0.5, jitter: 0.2, down: 50e3, up: 30e3, loss: 0.02),
  ])

  package subscript(network: RadioNetwork) -> RadioLink { links[Int(network.number)] }

  /// Asked with everything that happens: nothing is copied for it.
  package func kind(of network: RadioNetwork) -> RadioLink.Kind { links[Int(network.number)].kind }

  package func network(named name: String) -> RadioNetwork? {
    links.firstIndex { $0.name == name }.map { RadioNetwork(number: $0) }
  }

  /// A link of a name that is there already, a preset for example, takes its place.
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
