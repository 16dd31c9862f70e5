import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

@Suite struct LocationFilterTests {
  private static func rules(
    _ policy: FilterPolicy, _ platform: DevicePlatform = .ios, change: (inout LocationFilterSettings) -> Void = { _ in }
  ) -> FilterRules {
    var configuration = Configuration(platform: platform)
    configuration.geolocation.filter.policy = policy
    change(&configuration.geolocation.filter)
    return FilterRules(configuration)
  }

  private static func judge(
    _ fix: Fix, _ filter: inout LocationFilter, _ rules: FilterRules, distanceFilter: Double = 10
  ) -> FilterVerdict {
    filter.judge(fix, at: fix.timestamp, distanceFilterMetres: distanceFilter, rules: rules)
  }

  private static func trace(_ verdict: FilterVerdict) -> FilterTrace? {
    switch verdict {
    case .delivered(let trace), .rejected(let trace, _): trace
    case .ignored: nil
    }
  }

  @Test func theErrorOfBothPositionsIsTakenOffTheStep() throws {
    var filter = LocationFilter()
    let rules = Self.rules(.conservative)
    _ = Self.judge(TestFix.at(0, seconds: 0), &filter, rules)
    let verdict = Self.judge(TestFix.at(104.9, seconds: 20), &filter, rules)
    let trace = try #require(Self.trace(verdict))
    #expect(abs(trace.raw - 104.9) < 0.01)
    #expect(abs(trace.effective - 97.83) < 0.01)
    #expect(trace.decision == .accepted && trace.reason == "OK")
    let near = try #require(Self.trace(Self.judge(TestFix.at(107, seconds: 30, accuracy: 50), &filter, rules)))
    #expect(near.effective == 0)
  }

  /// SDK §14.2; the sums are those of a public device log: 74.4 after 73.7 and a fix of 10.3 metres.
  @Test func sigmaSumsUpTheAccuraciesOfTheFixesBefore() throws {
    var filter = LocationFilter()
    let rules = Self.rules(.conservative)
    for (index, accuracy) in [10.3, 13.8, 48.7].enumerated() {
      _ = Self.judge(TestFix.at(Double(index), seconds: Double(index), accuracy: accuracy), &filter, rules)
    }
    let trace = try #require(Self.trace(Self.judge(TestFix.at(3, seconds: 3, accuracy: 9), &filter, rules)))
    #expect(abs(trace.sigma * trace.sigma - (10.3 * 10.3 + 13.8 * 13.8 + 48.7 * 48.7)) < 1e-6)
  }

  @Test func coordinatesAreNeverChangedAndAnAdjustedStepMovesTheAnchorInFull() throws {
    var filter = LocationFilter()
    let rules = Self.rules(.adjust)
    _ = Self.judge(TestFix.at(0, seconds: 0), &filter, rules)
    _ = Self.judge(TestFix.at(2_000, seconds: 5), &filter, rules)
    #expect(filter.lastPlace == TestFix.place(metresEast: 2_000))
  }

  @Test(arguments: FilterPolicy.allCases)
  func badAccuracyIsRejectedUnderEveryPolicy(policy: FilterPolicy) throws {
    var filter = LocationFilter()
    let rules = Self.rules(policy)
    let verdict = Self.judge(TestFix.at(0, seconds: 0, accuracy: 100.1), &filter, rules)
    guard case .rejected(let trace, .lowAccuracy) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(trace.decision == .rejected && trace.reason == "low-accuracy")
    guard case .delivered = Self.judge(TestFix.at(0, seconds: 1, accuracy: 100), &filter, rules) else {
      Issue.record("an accuracy at the threshold is good enough")
      return
    }
  }

  /// A step of 250 metres in three seconds: 83 metres per second.
  @Test func tooFastAStepIsRejectedCappedOrPassed() throws {
    let expected: [(FilterPolicy, FilterTrace.Decision, String)] = [
      (.passThrough, .accepted, "OK"), (.adjust, .adjusted, "implied-speed"),
      (.conservative, .rejected, "implied-speed"),
    ]
    for (policy, decision, reason) in expected {
      var filter = LocationFilter()
      let rules = Self.rules(policy) { $0.useKalman = false }
      _ = Self.judge(TestFix.at(0, seconds: 0), &filter, rules)
      let trace = try #require(Self.trace(Self.judge(TestFix.at(250, seconds: 3), &filter, rules)))
      #expect(trace.decision == decision && trace.reason == reason)
      let smoothed = policy == .adjust ? 180 : trace.effective
      #expect(abs(trace.smoothed - smoothed) < 1e-9, "capped to 3 seconds at 60 metres per second")
    }
  }

  /// A step of 400 metres in ten seconds: slow enough, but farther than a burst may be.
  @Test func aBurstIsAnOutlierInsideItsWindowOnly() throws {
    let expected: [(FilterPolicy, Double, FilterTrace.Decision, String)] = [
      (.passThrough, 10, .accepted, "OK"), (.adjust, 10, .adjusted, "outlier-capped"),
      (.conservative, 10, .rejected, "outlier-capped"), (.conservative, 10.001, .accepted, "OK"),
    ]
    for (policy, seconds, decision, reason) in expected {
      var filter = LocationFilter()
      let rules = Self.rules(policy) { $0.useKalman = false }
      _ = Self.judge(TestFix.at(0, seconds: 0), &filter, rules)
      let trace = try #require(Self.trace(Self.judge(TestFix.at(400, seconds: seconds), &filter, rules)))
      #expect(trace.decision == decision && trace.reason == reason, "\(policy) \(seconds) s")
      if policy == .adjust { #expect(trace.smoothed == 300) }
    }
  }

  @Test func aRejectedFixLeavesTheAnchorWhereItWas() throws {
    var filter = LocationFilter()
    let rules = Self.rules(.conservative)
    _ = Self.judge(TestFix.at(0, seconds: 0), &filter, rules)
    _ = Self.judge(TestFix.at(5_000, seconds: 5), &filter, rules)
    #expect(filter.lastPlace == TestFix.place(metresEast: 0))
    let trace = try #require(Self.trace(Self.judge(TestFix.at(50, seconds: 10), &filter, rules)))
    #expect(trace.decision == .accepted && abs(trace.raw - 50) < 0.01)
  }

  /// cap = max(3 × mean of the last `rollingWindow` steps, 3 × df, maxImpliedSpeed × Δt), SDK §14.2.
  @Test func theAdaptiveCapFollowsStepsFilterAndTime() throws {
    var filter = LocationFilter()
    let rules = Self.rules(.passThrough) { settings in
      settings.rollingWindow = 3
      settings.maxImpliedSpeedMetresPerSecond = 1
    }
    var east = 0.0
    var caps: [Double] = []
    for (index, step) in [0.0, 900, 40, 50, 60, 70].enumerated() {
      east += step
      let fix = TestFix.at(east, seconds: Double(index))
      caps.append(try #require(Self.trace(Self.judge(fix, &filter, rules))).cap)
    }
    let means = [30.0, 30, 2_700, 1_410, 990, 150]
    for (cap, mean) in zip(caps, means) { #expect(abs(cap - mean) < 0.1) }
    let late = try #require(Self.trace(Self.judge(TestFix.at(east, seconds: 505), &filter, rules)))
    #expect(late.cap == 500)
    let wide = TestFix.at(east, seconds: 506)
    #expect(try #require(Self.trace(Self.judge(wide, &filter, rules, distanceFilter: 400))).cap == 1_200)
  }

  /// Effective steps, filters, speeds and smoothed steps as a public device log shows them, all with 5 metre fixes.
  @Test func smoothedStepsAreThoseOfARealDevice() {
    let steps: [(effective: Double, filter: Double, speed: Double, smoothed: Double)] = [
      (189.6, 100, 4.78, 189.6), (94.0, 100, 1.85, 141.8), (47.3, 50, 6.89, 52.7), (97.8, 100, 7.05, 93.7),
      (43.9, 50, 7.61, 46.7), (111.4, 50, 0, 105.5), (15.7, 50, 6.84, 23.9), (25.5, 100, 8.95, 25.3),
    ]
    var kalman = StepKalman()
    for step in steps {
      let smoothed = kalman.smooth(
        StepKalman.Measurement(
          lengthMetres: step.effective, accuracyMetres: 5, speed: step.speed, distanceFilterMetres: step.filter))
      #expect(abs(smoothed - step.smoothed) < 0.15)
    }
  }

  @Test func theProfilesDifferInHowFastTheyFollow() {
    var lengths: [KalmanProfile: Double] = [:]
    for profile in KalmanProfile.allCases {
      var kalman = StepKalman()
      var length = 0.0
      for index in 0..<8 {
        let step = StepKalman.Measurement(
          lengthMetres: index < 7 ? 20 : 100, accuracyMetres: 10, speed: 1, distanceFilterMetres: 10)
        length = kalman.smooth(step, profile: profile)
      }
      lengths[profile] = length
    }
    let (smooth, balanced, quick) = (lengths[.smooth] ?? 0, lengths[.balanced] ?? 0, lengths[.quick] ?? 0)
    #expect(20 < smooth && smooth < balanced && balanced < quick && quick < 100)
  }

  @Test func restForgetsThePaceButNotThePlace() throws {
    var filter = LocationFilter()
    let rules = Self.rules(.conservative)
    for index in 0..<5 { _ = Self.judge(TestFix.at(Double(index) * 200, seconds: Double(index) * 10), &filter, rules) }
    filter.forgetPace()
    let trace = try #require(Self.trace(Self.judge(TestFix.at(850, seconds: 41), &filter, rules)))
    #expect(abs(trace.raw - 50) < 0.01)
    #expect(trace.smoothed == trace.effective)
    #expect(trace.cap == 60)
  }
}
