package import Base

/// A figure that a run must reach.
package struct Threshold: Equatable, Sendable {
  package var expression: ThresholdExpression
  package var abortOnFail = false
  /// How long after the beginning it is judged for the first time.
  package var delayAbortEval = Nanoseconds.zero
  package var onFail = ThresholdFailure.fail
}

/// `{ threshold, abortOnFail, delayAbortEval, onFail }`.
struct ThresholdSection: ScenarioSection {
  var text = ""
  var abortOnFail = false
  var delayAbortEval = Nanoseconds.zero
  var onFail = ThresholdFailure.fail

  static let words = "a threshold as in \"p(95)<800\""

  static let table = Table<ThresholdSection>(
    "threshold", "A figure that a run must reach, and what else it means; the figure may also stand alone.",
    [
      .required("threshold", \.text, .text(pattern: ThresholdExpression.pattern, words: words), "The figure."),
      .key("abortOnFail", \.abortOnFail, .boolean, "Ends the run when it is missed."),
      .key(
        "delayAbortEval", \.delayAbortEval, .duration, "How long after the beginning it is judged for the first time."),
      .key("onFail", \.onFail, .choice, "Whether missing it fails the run or makes it invalid."),
    ])
}
