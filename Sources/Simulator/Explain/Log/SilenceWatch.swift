import Base
import Contract

/// A period of a log without any line.
struct Silence {
  /// The cause of the silence.
  enum Cause: Equatable {
    /// The system suspended the process.
    case suspended
    /// The process had ended; the next lines belong to a new one.
    case ended
    /// Nothing had to be logged: the stop timer ran, location updates were on, or the log is of Android, whose
    /// process is not suspended.
    case quiet
  }

  let milliseconds: Int64
  let end: WallInstant
  var cause: Cause
  /// Whether the stop timer ran during a quiet period.
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

/// Distinguishes a suspended process from one without anything to log.
struct SilenceWatch {
  private var last: WallInstant?
  private var latest: Silence?

  private static let shortest: Int64 = 60_000
  /// A heartbeat with a greater delay is missing.
  private static let heartbeatSlack: Int64 = 5_000
  /// A launch logs its first recognized line within this time after its first one.
  private static let launchWithin: Int64 = 10_000

  /// Returns the silence that ends with this line; the state is the one before it.
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

  /// Returns the silence before a new process, corrected.
  mutating func launch(at time: WallInstant) -> Silence? {
    guard var silence = latest, silence.cause != .ended,
      time.milliseconds(since: silence.end) <= SilenceWatch.launchWithin
    else { return nil }
    silence.cause = .ended
    latest = silence
    return silence
  }

  /// Returns the cause of a silence. iOS suspends the process only while location updates are off; a missing heartbeat shows it.
  private static func cause(of span: Int64, _ state: LoggedState) -> Silence.Cause {
    guard state.platform == .ios, state.mode == .atRest else { return .quiet }
    let heartbeat = Int64(min(state.heartbeatSeconds, 1e6) * 1_000)
    return span > heartbeat + heartbeatSlack ? .suspended : .quiet
  }
}
