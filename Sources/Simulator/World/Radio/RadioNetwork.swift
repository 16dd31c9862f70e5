/// A kind of network connection.
package enum RadioNetwork: Int, Equatable, Sendable, CaseIterable {
  case wifi, lte, hsdpa, edge, none

  package var isCellular: Bool {
    switch self {
    case .lte, .hsdpa, .edge: true
    case .wifi, .none: false
    }
  }

  /// How a link over this network behaves.
  package var link: LinkQuality {
    switch self {
    case .wifi: LinkQuality(latency: 0.04, jitter: 0.01, downBitsPerSecond: 30e6, upBitsPerSecond: 10e6, loss: 0.002)
    case .lte: LinkQuality(latency: 0.06, jitter: 0.025, downBitsPerSecond: 20e6, upBitsPerSecond: 8e6, loss: 0.005)
    case .hsdpa:
      LinkQuality(latency: 0.25, jitter: 0.08, downBitsPerSecond: 750e3, upBitsPerSecond: 384e3, loss: 0.015)
    case .edge:
      LinkQuality(latency: 0.3, jitter: 0.12, downBitsPerSecond: 250e3, upBitsPerSecond: 100e3, loss: 0.015)
    case .none: LinkQuality(latency: 0, jitter: 0, downBitsPerSecond: 0, upBitsPerSecond: 0, loss: 1)
    }
  }
}
