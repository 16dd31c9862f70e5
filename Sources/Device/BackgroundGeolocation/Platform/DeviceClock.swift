import Base
public import FoundationEssentials
import Synchronization
import Vocabulary

/// The clock of a device: the system clock, or one that the program advances, with which a day passes at once and
/// always in the same way.
public final class DeviceClock: Sendable {
  private enum Source: Sendable {
    case machine(SystemClock)
    case program
  }

  /// A callback at an instant.
  struct Alarm {
    let instant: MonotonicInstant
    let ring: @Sendable () -> Void
  }

  private struct State {
    /// The time of a program's clock.
    var moment = Moment(
      monotonic: MonotonicInstant(nanoseconds: 0), wall: WallInstant(millisecondsSince1970: 0))
    /// The alarms by number: one for each device and each replay.
    var alarms: [Int: Alarm] = [:]
    var waits: [Int: Task<Void, Never>] = [:]
    var nextNumber = 0
  }

  private let source: Source
  private let state = Mutex(State())

  private init(_ source: Source) { self.source = source }

  /// The system clock.
  public static let system = DeviceClock(.machine(SystemClock()))

  /// Creates a clock that stands still until the program calls `advance`.
  public convenience init(startingAt date: Date) {
    self.init(.program)
    state.withLock { state in
      state.moment = Moment(monotonic: MonotonicInstant(nanoseconds: 0), wall: date.wallInstant)
    }
  }

  var isOfMachine: Bool { if case .machine = source { true } else { false } }

  /// The time that the device's clock shows.
  public var now: Date { Date(moment.wall) }

  /// Advances a program's clock. Everything that falls due happens in order before this returns, except for answers from the
  /// network; a century at most. Has no effect on the system clock, or when `seconds` is not positive. Must not be called from two
  /// threads at once.
  public func advance(by seconds: TimeInterval) {
    guard case .program = source, seconds > 0 else { return }
    let end = moment.advanced(by: DeviceClock.span(of: seconds, rounding: .toNearestOrAwayFromZero))
    while let alarm = nextAlarm(until: end) { alarm.ring() }
    state.withLock { $0.moment = end }
  }

  var moment: Moment {
    switch source {
    case .machine(let clock): Moment(monotonic: clock.monotonicNow, wall: clock.wallNow)
    case .program: state.withLock { $0.moment }
    }
  }

  /// Waits until that date, or until the task is cancelled. A program's clock is advanced.
  func wait(until date: Date) async {
    let seconds = date.timeIntervalSince(now)
    guard seconds > 0 else { return }
    switch source {
    case .program: advance(by: seconds)
    case .machine(let clock):
      let span = DeviceClock.span(of: seconds, rounding: .up)
      let task = SystemWait.task(until: clock.monotonicNow + span, by: clock) {}
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  /// At most a century, however far apart two dates of a route are.
  private static func span(of seconds: TimeInterval, rounding: FloatingPointRoundingRule) -> Nanoseconds {
    .milliseconds(Int64((min(seconds, Nanoseconds.centurySeconds) * 1_000).rounded(rounding)))
  }

  func makeAlarmNumber() -> Int {
    state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
  }

  /// Replaces the alarm of that number; nil removes it. It fires once, never inside this call.
  func setAlarm(_ number: Int, _ alarm: Alarm?) {
    switch source {
    case .program: state.withLock { $0.alarms[number] = alarm }
    case .machine(let clock):
      let old = state.withLock { state -> Task<Void, Never>? in
        guard state.alarms[number]?.instant != alarm?.instant else { return nil }
        state.alarms[number] = alarm
        let old = state.waits[number]
        state.waits[number] = alarm.map { alarm in
          SystemWait.task(until: alarm.instant, by: clock) { [weak self] in self?.ring(number, alarm) }
        }
        return old
      }
      old?.cancel()
    }
  }

  /// Fires the alarm unless it was replaced meanwhile.
  private func ring(_ number: Int, _ alarm: Alarm) {
    let isWanted = state.withLock { state in
      guard state.alarms[number]?.instant == alarm.instant else { return false }
      state.alarms[number] = nil
      return true
    }
    if isWanted { alarm.ring() }
  }

  /// Removes the earliest alarm, the lower number first, and advances to its instant.
  private func nextAlarm(until end: Moment) -> Alarm? {
    state.withLock { state in
      let due = state.alarms.filter { $0.value.instant <= end.monotonic }
      guard let next = due.min(by: { ($0.value.instant, $0.key) < ($1.value.instant, $1.key) }) else { return nil }
      state.alarms[next.key] = nil
      let span = next.value.instant - state.moment.monotonic
      if span > .zero { state.moment = state.moment.advanced(by: span) }
      return next.value
    }
  }
}

/// A timer on the system clock.
enum SystemWait {
  /// Once cancelled, the task does nothing.
  static func task(
    until instant: MonotonicInstant, by clock: SystemClock, then work: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task.detached {
      do {
        // Runtime timers may fire a little early.
        while clock.monotonicNow < instant {
          try await Task.sleep(for: .nanoseconds(max(1, (instant - clock.monotonicNow).count)))
        }
        try Task.checkCancellation()
      } catch { return }
      work()
    }
  }
}
