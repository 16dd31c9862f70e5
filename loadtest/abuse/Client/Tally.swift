import Base
import Synchronization

/// What honest clients saw since the last look.
struct Tally {
  /// Microseconds from the moment when a request was due to the end of its answer.
  var latency = Histogram(highestTrackableValue: 120_000_000)
  var sent = 0
  var answered = 0
  /// Answers that are no 2xx.
  var refused = 0
  /// Connections that ended with an answer owed, or could not be made.
  var broken = 0

  func milliseconds(_ quantile: Double) -> Double {
    Double(latency.value(atQuantile: quantile) ?? 0) / 1_000
  }

  var longest: Double { Double(latency.maximum ?? 0) / 1_000 }
}

/// A tally that one thread of clients fills and the measurement takes.
final class TallyBox: Sendable {
  private let tally = Mutex(Tally())

  func note(_ change: (inout Tally) -> Void) { tally.withLock { change(&$0) } }

  func take() -> Tally {
    tally.withLock { tally in
      defer { tally = Tally() }
      return tally
    }
  }
}
