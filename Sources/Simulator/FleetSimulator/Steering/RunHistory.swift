package import Base
import Scenario

/// The state of a watched run, once per second of the machine's clock, except during pauses.
package struct RunSample: Equatable, Sendable {
  /// The wall-clock time of the machine.
  package let at: WallInstant
  /// The time since the start of the run.
  package let instant: Nanoseconds
  package let uploadsPerSecond: Double
  package let recordsPerSecond: Double
  /// Uploads without a 2xx, by the clock of `uploadsPerSecond`; nil without a preceding sample.
  package let errorsPerSecond: Double?
  package let p50Milliseconds: Double?
  package let p95Milliseconds: Double?
  package let p99Milliseconds: Double?
  /// The number of waiting records.
  package let queue: Int
  package let lagP99Milliseconds: Double?
}

/// The samples of the last ten minutes, for pages that are opened late or were hidden.
struct RunHistory {
  private(set) var samples: [RunSample] = []
  private var dueAt = MonotonicInstant(nanoseconds: 0)
  /// The errors at the last view outside a pause, and its instant by the clock of the rates.
  private var before: (errors: Int, instant: Nanoseconds)?

  static let interval = Nanoseconds.seconds(1)
  static let kept = 600

  mutating func take(_ view: RunView, at now: (monotonic: MonotonicInstant, wall: WallInstant)) {
    // A pause is not part of any second.
    guard !view.isPaused else { return before = nil }
    guard now.monotonic >= dueAt else { return }
    dueAt = now.monotonic + RunHistory.interval
    let isModelled = [.virtual, .lockstep].contains(view.mode)
    let instant = isModelled ? view.instant : now.monotonic - MonotonicInstant(nanoseconds: 0)
    if samples.count == RunHistory.kept { samples.removeFirst() }
    samples.append(
      RunSample(
        at: now.wall, instant: view.instant, uploadsPerSecond: view.progress.uploadsPerSecond,
        recordsPerSecond: view.recordsPerSecond, errorsPerSecond: errorRate(view.progress.errors, at: instant),
        p50Milliseconds: view.p50Milliseconds, p95Milliseconds: view.progress.p95Milliseconds,
        p99Milliseconds: view.p99Milliseconds, queue: view.progress.backlog,
        lagP99Milliseconds: view.lagP99Milliseconds))
    before = (view.progress.errors, instant)
  }

  private func errorRate(_ errors: Int, at instant: Nanoseconds) -> Double? {
    guard let before, instant > before.instant else { return nil }
    return Double(max(0, errors - before.errors)) / (instant - before.instant).seconds
  }
}
