package import Base

/// The network between a device and the server.
package enum Network: Equatable, Sendable {
  case link(Link)
  case changing(ChangingNetwork)
}

extension ValueCodec where Value == Network {
  static var network: ValueCodec {
    let link = ValueCodec<Link>.section()
    let changing = ValueCodec<ChangingNetwork>.section()
    return either([link.schema, changing.schema]) { value in
      value["markov"] == nil
        ? link.map(words: "a link") { .link($0) } : changing.map(words: "a network") { .changing($0) }
    }
  }
}

extension Network {
  static let presetNames = presets.map(\.name)

  /// Networks that every scenario may use without declaring them, based on the tables of comcast and of Apple's
  /// Network Link Conditioner.
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

/// A constant link.
package struct Link: Equatable, Sendable {
  package var latency = Nanoseconds.milliseconds(50)
  package var jitter = Nanoseconds.zero
  /// 0: nothing comes through.
  package var downBitsPerSecond = 10e6
  package var upBitsPerSecond = 10e6
  package var loss = 0.0
  package var type = ConnectionType.cellular

  package init() {}
}

extension Link: ScenarioSection {
  static let table = Table<Link>(
    "link", "A network that does not change.",
    [
      .key("latency", \.latency, .duration, "From the device to the server and back."),
      .key("jitter", \.jitter, .duration, "How much the latency varies."),
      .key("down", \.downBitsPerSecond, .quantity(.rate), "From the server to the device; 0 blocks all bytes."),
      .key("up", \.upBitsPerSecond, .quantity(.rate), "From the device to the server; 0 blocks all bytes."),
      .key("loss", \.loss, .share, "The share of packets that have to be sent again."),
      .key("connectionType", \.type, .choice, "Network type that the phone reports."),
    ])
}

/// A network that switches randomly between links, independently for each device.
package struct ChangingNetwork: Equatable, Sendable {
  /// The possible changes, with their mean times.
  package typealias Changes = [Named<Nanoseconds>]

  package var changes: [Named<Changes>] = []
  package var start = ""

  package init() {}
}

extension ChangingNetwork: ScenarioSection {
  static let table = Table<ChangingNetwork>(
    "markov", "A network that changes between links at random, independently for each device.",
    [
      .required("markov", \.changes, .markov, "From each link, the mean time until a change to each other one."),
      .required("start", \.start, .name(in: .networks), "Initial link of every device."),
    ])
}

extension ValueCodec where Value == [Named<ChangingNetwork.Changes>] {
  static var markov: ValueCodec {
    let chain = map(of: ValueCodec<ChangingNetwork.Changes>.map(of: .duration))
    return ValueCodec(chain.schema) { value, context in
      let known = context.names.names(in: .networks)
      guard let states = chain.read(value, &context) else { return nil }
      for state in states {
        for name in [(state.name, state.position)] + state.value.map({ ($0.name, $0.position) })
        where !known.contains(name.0) {
          context.refuse(.undeclared, name.1, word: name.0, as: "network", known: known)
        }
        for change in state.value where change.value <= .zero {
          context.refuse(.outOfRange, change.position, "the time until the change is 0", remedy: "write a longer time")
        }
        for change in state.value where !states.contains(where: { $0.name == change.name }) {
          context.refuse(
            .contradiction, change.position, "'\(change.name)' has no change to another link",
            remedy: "add \(change.name.asPathStep) with its changes beside \(state.name.asPathStep)")
        }
      }
      return states
    }
  }
}

/// The connection type that the phone reports.
package enum ConnectionType: String, CaseIterable, Sendable {
  case wifi
  case cellular
  case none
}
