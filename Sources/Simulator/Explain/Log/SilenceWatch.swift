import Base
import Contract

/// A stretch of a log without any line.
struct Silence {
  /// Why there was none.
  enum Cause: Equatable {
    /// The system let the process sleep.
    case suspended
    /// The process had ended: the next lines are those of a new one.
    case ended
    /// Nothing was to be told: the stop timer ran, location was on, or the log is of Android, whose process lives on.
    case quiet
  }

  let milliseconds: Int64
  let end: WallInstant
  var cause: Cause
  /// Of a quiet one.
  let isTimerRunning: Bool

  var words: String {
    let span = StoryText.span(milliseconds: milliseconds)
    switch cause {
    case .suspended: return "suspended: no line for \(span)"
    case .ended: return "no line for \(span); then a new process: the old one was ended meanwhile"
    case .quiet: return "no line for \(span)" + (isTimerRunning ? ": the stop timer was running" : "")
    }
  }
}

/// Tells a process that sleeps from one that has nothing to say.
struct SilenceWatch {
  private var last: WallInstant?
  private var latest: Silence?

  private static let shortest: Int64 = 60_000
  /// A heartbeat that is later than that has not come.
  private static let heartbeatSlack: Int64 = 5_000
  /// A launch writes its first recognized line a moment after its first one.
  private static let launchWithin: Int64 = 10_000

  /// The silence that ends with this line. The state is that of before.
  mutating func take(_ time: WallInstant, _ state: LoggedState) -> Silence? {
    defer { last = time }
    guard let last else { return nil }
    let span = time.milliseconds(since: last)
    guard span >= SilenceWatch.shortest else { return nil }
    let silence = Silence(
      milliseconds: span, end: time, cause: SilenceWatch.cause(of: span, state),
      isTimerRunning: state.platform == .ios && state.isStopTimerRunning)
    latest = silence
    return silence
  }

  /// A new process begins: what the silence before it was, as it must be told now.
  mutating func launch(at time: WallInstant) -> Silence? {
    guard var silence = latest, silence.cause != .ended,
      time.milliseconds(since: silence.end) <= SilenceWatch.launchWithin
    else { return nil }
    silence.cause = .ended
    latest = silence
    return silence
  }

  /// Only where location is off does iOS let the process sleep; a heartbeat that is due and missing shows it.
  private static func cause(of span: Int64, _ state: LoggedState) -> Silence.Cause {
    guard state.platform == .ios, state.mode == .atRest else { return .quiet }
    let heartbeat = Int64(min(state.heartbeatSeconds, 1e6) * 1_000)
    return span > heartbeat + heartbeatSlack ? .suspended : .quiet
  }
}
