import Base

/// How fast somebody goes from edge to edge, as a share of what is possible: a first-order Gauss–Markov process, as for
/// pedestrians in T. Camp, J. Boleng, V. Davies, "A survey of mobility models for ad hoc network research", Wireless
/// Communications and Mobile Computing 2 (2002). Everybody has a pace of their own on each trip.
struct PaceStream {
  private var stream: RandomStream
  private let trip: UInt64

  private static let memory = 0.85

  init(seed: UInt64, device: UInt64, trip: UInt64) {
    stream = Concern.pace.stream(seed: seed, device: device, n: trip << 20)
    self.trip = trip
  }

  /// Whose pace it is.
  func mover(of transport: Transport) -> Mover { transport.mover(seed: stream.seed, device: stream.device) }

  /// Where they stop on this trip.
  var halts: RandomStream { Concern.halts.stream(seed: stream.seed, device: stream.device, n: trip << 20) }

  /// Factors of 1 − 2.5 · unsteadiness, at least a tenth, to 1.
  mutating func factors(count: Int, unsteadiness: Double) -> [Double] {
    guard unsteadiness > 0 else { return Array(repeating: 1, count: count) }
    let rest = (1 - PaceStream.memory * PaceStream.memory).squareRoot()
    var value = stream.normal()
    return (0..<count).map { _ in
      let factor = 1 - unsteadiness * (1 - 0.5 * min(max(value, -3), 2))
      value = PaceStream.memory * value + rest * stream.normal()
      return max(factor, 0.1)
    }
  }
}
