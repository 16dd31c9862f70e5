import Base

/// A random stream between draws that are far apart: only where it goes on, half the memory of one that is ready.
struct RestingStream: Sendable {
  private let seed: UInt64
  private let device: UInt64
  private let concern: Concern
  private var n: UInt64 = 0

  init(_ concern: Concern, seed: UInt64, device: UInt64) {
    self.concern = concern
    self.seed = seed
    self.device = device
  }

  mutating func draw<Result>(_ body: (inout RandomStream) -> Result) -> Result {
    var stream = concern.stream(seed: seed, device: device, n: n)
    defer { n = stream.n }
    return body(&stream)
  }
}
