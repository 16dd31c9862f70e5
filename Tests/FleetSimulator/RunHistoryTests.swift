import Base
import Scenario
import Testing

@testable import FleetSimulator

/// What a room remembers of a run beside its recording.
@Suite struct RunHistoryTests {
  private func view(errors: Int, at instant: Nanoseconds, isPaused: Bool = false, _ mode: ClockMode = .realtime)
    -> RunView
  {
    var progress = RunProgress(share: 0, devices: 1, uploadsPerSecond: 2, backlog: 3, errors: 0)
    progress.errors = errors
    return RunView(
      mode: mode, instant: instant, duration: .seconds(60), progress: progress, phase: .driving, isPaused: isPaused,
      recordsPerSecond: 4, p50Milliseconds: 5, p99Milliseconds: 6, errors: [], fleets: [], lagP50Milliseconds: nil,
      lagP99Milliseconds: nil, phones: [])
  }

  private func clock(_ milliseconds: Int64) -> (monotonic: MonotonicInstant, wall: WallInstant) {
    (
      MonotonicInstant(nanoseconds: milliseconds * 1_000_000),
      WallInstant(millisecondsSince1970: 1_000_000 + milliseconds)
    )
  }

  @Test func aSampleIsTakenEachSecondThatGoesOn() {
    var history = RunHistory()
    for step in 0..<9 {
      history.take(view(errors: step * 2, at: .milliseconds(Int64(step) * 250)), at: clock(1_000 + Int64(step) * 250))
    }
    #expect(history.samples.map(\.at.millisecondsSince1970) == [1_001_000, 1_002_000, 1_003_000])
    #expect(history.samples.map(\.errorsPerSecond) == [nil, 8, 8])
    history.take(view(errors: 20, at: .seconds(3), isPaused: true), at: clock(9_000))
    #expect(history.samples.count == 3)
    history.take(view(errors: 20, at: .seconds(3)), at: clock(20_000))
    #expect(history.samples.last?.errorsPerSecond == nil, "the pause is no second of the run")
  }

  @Test func errorsOfAModelledRunAreThoseOfItsOwnSeconds() {
    var history = RunHistory()
    history.take(view(errors: 0, at: .seconds(100), .virtual), at: clock(1_000))
    history.take(view(errors: 50, at: .seconds(200), .virtual), at: clock(2_000))
    #expect(history.samples.last?.errorsPerSecond == 0.5)
  }

  @Test func tenMinutesAreKept() {
    var history = RunHistory()
    for second in 0..<700 {
      history.take(view(errors: 0, at: .seconds(Int64(second))), at: clock(Int64(second) * 1_000))
    }
    #expect(history.samples.count == 600)
    #expect(history.samples.first?.instant == .seconds(100))
  }

  /// A machine that was slow for a moment is not slow for the rest of the run.
  @Test func theLagIsThatOfNow() throws {
    var lag = LagWindow()
    func p99(_ seconds: Int64) -> Double? {
      lag.milliseconds(atQuantile: 0.99, at: MonotonicInstant(nanoseconds: 0) + .seconds(seconds))
    }
    #expect(p99(100) == nil)
    for _ in 0..<1_000 { lag.record(.milliseconds(400)) }
    #expect(try abs(#require(p99(101)) - 400) < 1)
    _ = p99(106)
    for _ in 0..<1_000 { lag.record(.milliseconds(1)) }
    #expect(try #require(p99(110)) > 300, "the seconds before are part of it")
    _ = p99(111)
    #expect(try abs(#require(p99(112)) - 1) < 0.1)
    _ = p99(117)
    #expect(p99(122) == nil, "a run that does nothing is not late")
  }
}
