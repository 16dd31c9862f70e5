import Base
import Vocabulary

/// The engine's timers as their deadlines, in place: thousands of engines hold thousands of these.
struct Timers: Sendable {
  /// In the order in which timers that are due at the same instant fire.
  enum Name: Int, CaseIterable, Sendable {
    case stopDetectionDelay, stopTimeout, stationaryCheck, motionTrigger, heartbeat, stopAfterElapsed, preventSuspend
    case schedule

    /// As the log calls it.
    var text: String {
      switch self {
      case .stopDetectionDelay: "stopDetectionDelay"
      case .stopTimeout: "stopTimeout"
      case .stationaryCheck: LogEntry.stationaryCheckName
      case .motionTrigger: "motionTriggerDelay"
      case .heartbeat: "heartbeat"
      case .stopAfterElapsed: "stopAfterElapsedMinutes"
      case .preventSuspend: "preventSuspend"
      case .schedule: "schedule"
      }
    }

    /// Whether a process that the system has suspended finds it due only when something else wakes it.
    var sleepsInBackground: Bool { self == .heartbeat || self == .stopAfterElapsed }
  }

  private static let off = Int64.max
  private var deadlines = InlineArray<8, Int64>(repeating: Timers.off)

  func isRunning(_ name: Name) -> Bool { deadlines[name.rawValue] != Timers.off }

  func deadline(of name: Name) -> MonotonicInstant? {
    isRunning(name) ? MonotonicInstant(nanoseconds: deadlines[name.rawValue]) : nil
  }

  mutating func start(_ name: Name, at deadline: MonotonicInstant) {
    deadlines[name.rawValue] = min(deadline.nanoseconds, Timers.off - 1)
  }

  /// Whether it was running.
  @discardableResult
  mutating func stop(_ name: Name) -> Bool {
    defer { deadlines[name.rawValue] = Timers.off }
    return isRunning(name)
  }

  mutating func stopAll() { deadlines = InlineArray(repeating: Timers.off) }

  /// The timer that fires first; nil when none runs. Those that sleep are passed over in a suspended process, and the
  /// heartbeat while it is held back.
  func earliest(isSuspended: Bool = false, holdsHeartbeat: Bool) -> (name: Name, deadline: MonotonicInstant)? {
    var found: Name?
    for name in Name.allCases where isRunning(name) && !(isSuspended && name.sleepsInBackground) {
      if holdsHeartbeat && name == .heartbeat { continue }
      if let best = found, deadlines[best.rawValue] <= deadlines[name.rawValue] { continue }
      found = name
    }
    return found.map { ($0, MonotonicInstant(nanoseconds: deadlines[$0.rawValue])) }
  }
}
