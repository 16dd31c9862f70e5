/// A light with a fixed cycle: the first half belongs to the streets that run north and south, the second to the others.
package struct TrafficLight: Equatable, Sendable {
  package let cycleSeconds: Double
  /// When a cycle began.
  package let offsetSeconds: Double
  /// At the end of each half nobody has green.
  static let clearingSeconds = 4.0

  /// How long somebody who arrives must wait; 0 at green.
  package func wait(at seconds: Double, isNorthSouth: Bool) -> Double {
    let half = 0.5 * cycleSeconds
    let start = offsetSeconds + (isNorthSouth ? 0 : half)
    let cycles = ((seconds - start) / cycleSeconds).rounded(.down)
    let phase = seconds - start - cycles * cycleSeconds
    return phase < half - TrafficLight.clearingSeconds ? 0 : max(cycleSeconds - phase, 0)
  }
}
