internal import Base

/// What lies between a device and the server.
package enum Network: Equatable, Sendable {
  case link(Link)
  case changing(ChangingNetwork)
}

extension Form where Value == Network {
  static var network: Form {
    let link = Form<Link>.section()
    let changing = Form<ChangingNetwork>.section()
    return either([link.shape, changing.shape]) { value in
      value["markov"] == nil
        ? link.map(words: "a link") { .link($0) } : changing.map(words: "a network") { .changing($0) }
    }
  }
}

extension Network {
  static let presetNames = presets.map(\.name)

  /// Networks that every scenario may use without declaring them: after the tables of comcast and of Apple's Network
  /// Link Conditioner.
  package static let presets: [Named<Network>] = [
    preset("wifi", latency: 40, jitter: 10, down: 30e6, up: 10e6, loss: 0.002, .wifi),
    preset("lte", latency: 60, jitter: 25, down: 20e6, up: 8e6, loss: 0.005, .cellular),
    preset("hsdpa", latency: 250, jitter: 80, down: 750e3, up: 384e3, loss: 0.015, .cellular),
    preset("edge", latency: 300, jitter: 120, down: 250e3, up: 100e3, loss: 0.015, .cellular),
    preset("gprs", latency: 500, jitter: 200, down: 50e3, up: 30e3, loss: 0.02, .cellular),
    preset("none", latency: 0, jitter: 0, down: 0, up: 0, loss: 0, .none),
  ]

  private static func preset(
    _ name: String, latency: Int64, jitter: Int64, down: Double, up: Double, loss: Double, _ type: ConnectionType
  ) -> Named<Network> {
    var link = Link()
    link.latency = .milliseconds(latency)
    link.jitter = .milliseconds(jitter)
    (link.downBitsPerSecond, link.upBitsPerSecond, link.loss, link.type) = (down, up, loss, type)
    return Named(name: name, position: SourcePosition(line: 1, column: 1), value: .link(link))
  }
}
