import Base

/// An Ornstein–Uhlenbeck process of variance 1, sampled at any instants: x' = ρ x + √(1 − ρ²) ξ with ρ = e^(−Δt/τ) is
/// exact and not an approximation for small steps (D. T. Gillespie, Physical Review E 54, 1996).
struct CorrelatedNoise: Sendable {
  private(set) var value: Double

  init(from stream: inout RandomStream) { value = stream.normal() }

  mutating func step(correlation rho: Double, rest: Double, from stream: inout RandomStream) {
    value = rho * value + rest * stream.normal()
  }
}
