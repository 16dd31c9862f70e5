import Base

extension Nanoseconds {
  /// Configured spans are numbers without limits: a century is as good as for ever, and nothing is negative.
  init(seconds: Double) {
    let century = 3.2e9
    self.init(Int64((min(max(seconds, 0), century) * 1e9).rounded()))
  }
}
