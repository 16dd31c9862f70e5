import Base
import Contract
import World

/// What is true of one device, whatever its SDK makes of it: where its body is, whether its app runs, what its app asked for.
struct TrueLife {
  /// Nil until it is there.
  var episode: Episode?
  /// What it did before.
  private(set) var previous: Episode?
  var configuration: Configuration?
  /// A command has changed it.
  var isReconfigured = false
  /// What its app, or a command, asked for last; nil when what follows from it is unknown.
  var asked: Expectation? = Expectation(goal: .off, since: MonotonicInstant(nanoseconds: 0))
  /// The schedule says what is to be done, not `asked`.
  var isScheduled = false
  /// What the schedule asks for; kept by the rule of the schedule.
  var scheduled: Expectation?
  /// Nil while the app does not run.
  var runsSince: MonotonicInstant?
  /// Its user closed the app then, and has not been heard of since.
  var closedAt: MonotonicInstant?
  /// Faults by which the receiver sees nothing; since when it did so last, and until when.
  var blindings = 0
  var blindSince: MonotonicInstant?
  var blindUntil: MonotonicInstant?
  /// The fences that it knows, whether or not they are watched.
  var fences: [Geofence] = []
  /// When its queue could not write last.
  var disturbedAt: MonotonicInstant?
  var isHealed = false

  mutating func move(_ episode: Episode) {
    previous = self.episode
    self.episode = episode
  }

  /// Nil while it is nowhere.
  func place(at instant: MonotonicInstant) -> Coordinate? { episode?.place(at: instant) }

  /// Since when it rests; nil on its way.
  var restsSince: MonotonicInstant? {
    if case .stay(let stay)? = episode { stay.start } else { nil }
  }

  /// What the SDK is to do while its app runs; nil when unknown.
  var expectation: Expectation? {
    guard let runsSince, !isHealed, let wanted = isScheduled ? scheduled : asked else { return nil }
    return Expectation(goal: wanted.goal, since: max(wanted.since, runsSince))
  }

  /// Its queue has worked since a while before then: what cannot be written need not be told.
  func isSound(since instant: MonotonicInstant) -> Bool { disturbedAt.map { $0 + .seconds(600) < instant } ?? true }

  /// Nor was it in a tunnel.
  func seesSky(since instant: MonotonicInstant) -> Bool {
    guard sees(since: instant) else { return false }
    return [episode, previous].allSatisfy { episode in
      guard case .trip(let trip)? = episode else { return true }
      return trip.covers.allSatisfy { $0.kind != .tunnel || $0.end < instant }
    }
  }

  /// An app that has had no position since it began can make no record. Only Android hands one over with a crossing.
  func knowsNoPlace(at instant: MonotonicInstant) -> Bool {
    guard configuration?.platform == .ios, let runsSince, let blindSince, blindSince <= runsSince else { return false }
    return !sees(since: instant)
  }

  /// The receiver could give positions all the time since then.
  func sees(since instant: MonotonicInstant) -> Bool { blindings == 0 && blindUntil.map { $0 < instant } ?? true }
}

extension Episode {
  func place(at instant: MonotonicInstant) -> Coordinate {
    switch self {
    case .stay(let stay): stay.place
    case .trip(let trip): trip.place(at: instant)
    }
  }
}
