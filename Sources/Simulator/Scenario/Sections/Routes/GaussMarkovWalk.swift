package import Base

/// A walk whose next step is much like the last.
package struct GaussMarkovWalk: Equatable, Sendable {
  package var center = GridCity().center
  package var meanSpeedMetresPerSecond = 1.35
  package var alpha = 0.85
  package var step = Nanoseconds.seconds(1)

  package init() {}
}

extension GaussMarkovWalk: ScenarioSection {
  static let table = Table<GaussMarkovWalk>(
    "route-gauss-markov",
    """
    A walk over open ground whose next step is much like the last. It begins within 300 m of the centre, never rests, and \
    turns back beyond 1 km.
    """,
    [
      .key("center", \.center, .place, "Where it begins."),
      .key(
        "meanSpeed", \.meanSpeedMetresPerSecond, .quantity(.speed),
        "The speed it comes back to, instead of that of the motion."),
      .key("alpha", \.alpha, .share, "How much of the last step is in the next."),
      .key("step", \.step, .duration, "How long a step takes."),
    ])
}
