import Base
import Contract
import Engine
import Host
import Vocabulary

/// A device and its schedule: its task by its own local time, and the deadline for it.
struct Timetable {
  /// The settings on which a device's punctuality depends.
  struct Terms {
    let configuration: Configuration
    let lateness: Nanoseconds
    /// Whether something else may end what a window began.
    let endsByItself: Bool

    init(_ configuration: Configuration) {
      self.configuration = configuration
      lateness =
        configuration.platform != .android
        ? .seconds(900 + 120) : configuration.app.scheduleUseAlarmManager ? .seconds(60) : .seconds(600 + 60)
      endsByItself =
        configuration.geolocation.stopAfterElapsedMinutes > 0 || configuration.activity.stopOnStationary
    }

    /// Reports whether a device that is on since then may stop by itself: at rest, or when the time is over, which goes by its
    /// own clock where a process has ended meanwhile (SDK §12.6.5, §19.6).
    func mayEnd(onSince start: Moment?, at now: Moment) -> Bool {
      let minutes = configuration.geolocation.stopAfterElapsedMinutes
      guard minutes > 0, !configuration.activity.stopOnStationary, let start else { return endsByItself }
      let wall = Double(now.wall.milliseconds(since: start.wall)) / 1_000
      return max((now.monotonic - start.monotonic).seconds, wall) >= 60 * minutes * TrueWorld.clockShare
    }
  }

  /// A change that did not happen in time.
  struct Late {
    let due: MonotonicInstant
    let text: String
  }

  let schedule: ExpectedSchedule
  var terms: Terms
  /// Whether `startSchedule` was called.
  var follows = false {
    didSet { if !follows { due = nil } }
  }
  /// The time of `stopSchedule`, if nothing has started the schedule since.
  var stoppedAt: MonotonicInstant?
  /// Tracking was started or stopped by hand, or its state is unknown, until the next window begins or ends.
  var isOverruled = false {
    didSet { if isOverruled { due = nil } }
  }
  /// The state that the SDK reported last; nil: on, in an unknown mode.
  var actual: TrackingGoal? = .off
  /// The time at which it was turned on, or an earlier one; nil: not known.
  var onSince: Moment?
  /// After a boot, nothing may begin before the user opens the app (AppConfig 249).
  private(set) var waitsForUser = false
  /// Whether records outside the windows have been flagged.
  var isTold = false

  private let zone: ExpectedZone
  private var goal: TrackingGoal
  private var since: MonotonicInstant {
    didSet { firstRecord = nil }
  }
  /// On iOS, the time of the first record in a wrong state, with which the SDK evaluates the schedule (AppConfig 229).
  private var firstRecord: MonotonicInstant?
  /// The deadline for the task; nil: done, or not expected.
  private var due: MonotonicInstant?
  private var change: WallInstant?
  private var last: Moment
  private var turns = 0

  init(_ schedule: ExpectedSchedule, _ zone: ExpectedZone, _ terms: Terms, at now: Moment) {
    (self.schedule, self.zone, self.terms, last, since) = (schedule, zone, terms, now, now.monotonic)
    goal = schedule.goal(atMilliseconds: zone.local(now.wall))
    change = schedule.change(after: now.wall, in: zone)
  }

  /// Expects the task of the windows from now on. Near a change of the offset it is not known which of two equal times a
  /// window means (SDK §16.1.3).
  mutating func expect(since now: Moment) {
    if zone.isUnsure(now.wall) { isOverruled = true }
    since = now.monotonic
    due = follows && !isOverruled ? since + terms.lateness : nil
  }

  mutating func end(isStopped: Bool) {
    due = nil
    if isStopped { isOverruled = true }
  }

  /// Notes a stop inside a window that the configuration asks for. Like one by hand, it lasts until the next window begins
  /// or ends (SDK §16.3.5). Returns false for any other stop.
  mutating func endByItself(at now: Moment) -> Bool {
    guard follows, !isOverruled, goal != .off, terms.mayEnd(onSince: onSince, at: now) else { return false }
    isOverruled = true
    return true
  }

  mutating func begin(_ launch: Launch, at now: Moment) {
    // A rejected start is a stop.
    let isRefused = launch.isRefused(by: terms.configuration)
    if isRefused { isOverruled = true }
    waitsForUser = isRefused && launch.didReboot && terms.configuration.platform == .android
    expect(since: now)
  }

  /// Ends the wait for the user, who has opened the app.
  mutating func open(at now: Moment) {
    guard waitsForUser else { return }
    (waitsForUser, isOverruled) = (false, false)
    expect(since: now)
  }

  mutating func takeTurns() -> Int {
    defer { turns = 0 }
    return turns
  }

  mutating func advance(to now: Moment, isRunning: Bool) -> [Late] {
    defer { last = now }
    var late: [Late] = []
    let elapsed = (now.monotonic - last.monotonic).wholeMilliseconds
    let jump = now.wall.milliseconds(since: last.wall) - elapsed
    // Drift is slow; a larger jump means that the clock was set.
    let isSet = jump.magnitude > 1_000 + UInt64(elapsed) / 100
    let wall = isSet ? last.wall.advanced(byMilliseconds: elapsed) : now.wall
    while let next = change, next <= wall {
      let instant = now.monotonic - .milliseconds(wall.milliseconds(since: next))
      if let miss = miss(before: instant) { late.append(miss) }
      turn(to: next, at: instant, isRunning: isRunning)
    }
    if let miss = miss(before: now.monotonic) { late.append(miss) }
    if isSet { set(to: now, isAhead: jump > 0, isRunning: isRunning) }
    return late
  }

  private mutating func turn(to next: WallInstant, at instant: MonotonicInstant, isRunning: Bool) {
    goal = schedule.goal(atMilliseconds: zone.local(next))
    change = schedule.change(after: next, in: zone)
    isOverruled = waitsForUser || zone.isUnsure(next) || goal != .off && terms.endsByItself
    since = instant
    due = follows && !isOverruled && isRunning ? instant + terms.lateness : nil
    if due != nil { turns += 1 }
  }

  /// Handles a clock that was set. A clock that was set back does not undo what has happened.
  private mutating func set(to now: Moment, isAhead: Bool, isRunning: Bool) {
    let before = goal
    goal = schedule.goal(atMilliseconds: zone.local(now.wall))
    change = schedule.change(after: now.wall, in: zone)
    guard goal != before else {
      // Alarms are rescheduled by the new time.
      if due != nil { due = now.monotonic + terms.lateness }
      return
    }
    since = now.monotonic
    if !isAhead { isOverruled = true }
    due = follows && !isOverruled && isRunning ? since + terms.lateness : nil
  }

  private mutating func miss(before instant: MonotonicInstant) -> Late? {
    guard let due else { return nil }
    if actual == goal {
      self.due = nil
      return nil
    }
    guard due < instant else { return nil }
    self.due = nil
    // The device is on, in an unknown mode.
    if actual == nil && goal != .off { return nil }
    // Flagged once; from here on the state is unknown.
    isOverruled = true
    let text =
      switch goal {
      case .off: "still on after the end of a window of its schedule at \(since.clockText)"
      case .location: "not tracking in a window of its schedule that is open since \(since.clockText)"
      case .geofences: "not watching geofences in a window of its schedule that is open since \(since.clockText)"
      }
    return Late(due: due, text: text)
  }

  /// Reports whether the device may have this task: it is the current one, was until a moment ago, or will be within a second.
  func allows(_ goal: TrackingGoal, at now: Moment) -> Bool {
    self.goal == goal || now.monotonic - since <= terms.lateness || isNear(now)
  }

  func allowsRecords(at now: Moment) -> Bool { goal != .off || now.monotonic - since <= terms.lateness || isNear(now) }

  /// Notes a record. Returns true when an earlier one should have ended the wrong state (SDK §16.3.4).
  mutating func recordsAgain(at instant: MonotonicInstant) -> Bool {
    guard terms.configuration.platform == .ios, follows, !isOverruled, !isTold, actual != .off, actual != goal,
      // A device that is on in an unknown mode may be in the right one.
      actual != nil || goal == .off
    else { return false }
    guard let firstRecord else {
      self.firstRecord = instant
      return false
    }
    return firstRecord < instant
  }

  /// Reports whether a window begins or ends within a second.
  private func isNear(_ now: Moment) -> Bool { change.map { $0.milliseconds(since: now.wall) <= 1_000 } ?? false }

  /// The task, with the time from which it can be expected.
  var settled: Expectation? { Expectation(goal: goal, since: since + terms.lateness) }
}
