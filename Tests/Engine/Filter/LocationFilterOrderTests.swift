import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// The order of checks before the filter (SDK §14.2).
@Suite struct LocationFilterOrderTests {
  private struct Bench {
    var filter = LocationFilter()
    var rules: FilterRules

    init(_ platform: DevicePlatform, allowsIdentical: Bool = false, policy: FilterPolicy = .conservative) {
      var configuration = Configuration(platform: platform)
      configuration.geolocation.allowIdenticalLocations = allowsIdentical
      configuration.geolocation.filter.policy = policy
      rules = FilterRules(configuration)
    }

    /// Nil when the fix was delivered.
    mutating func ignorance(_ fix: Fix, nowSeconds: Double? = nil) -> FilterVerdict.IgnoreReason? {
      let now = nowSeconds.map { TestFix.at(0, seconds: $0).timestamp } ?? fix.timestamp
      switch filter.judge(fix, at: now, distanceFilterMetres: 10, rules: rules) {
      case .ignored(let reason, _): return reason
      case .delivered: return nil
      case .rejected(let trace, _):
        Issue.record("rejected: \(trace)")
        return nil
      }
    }
  }

  @Test(arguments: DevicePlatform.allCases) func noAccuracyNoFix(platform: DevicePlatform) {
    var bench = Bench(platform)
    #expect(bench.ignorance(TestFix.at(0, seconds: 0, accuracy: nil)) == .invalid)
    #expect(bench.ignorance(TestFix.at(0, seconds: 0, accuracy: -1)) == .invalid)
    #expect(bench.ignorance(TestFix.at(0, seconds: 0, accuracy: .nan)) == .invalid)
    var coords = Coordinates(latitude: 91, longitude: 0)
    coords.accuracy = 5
    #expect(bench.ignorance(Fix(coords: coords, timestamp: TestFix.start)) == .invalid)
    #expect(bench.ignorance(TestFix.at(0, seconds: 0, accuracy: 0)) == nil, "what was ignored left no trace")
  }

  @Test func theFutureIsIgnoredAndTheToleranceIsNot() {
    var bench = Bench(.ios)
    #expect(bench.ignorance(TestFix.at(0, seconds: 10.001), nowSeconds: 9) == .future)
    #expect(bench.ignorance(TestFix.at(0, seconds: 10), nowSeconds: 9) == nil)
  }

  @Test(arguments: [FilterPolicy.conservative, .adjust, .passThrough])
  func aClockThatIsSetBackDoesNotBlindTheFilter(policy: FilterPolicy) {
    var bench = Bench(.android, policy: policy)
    #expect(bench.ignorance(TestFix.at(0, seconds: 3_600)) == nil)
    #expect(bench.ignorance(TestFix.at(30, seconds: 3), nowSeconds: 3) == nil, "a step is judged without its time")
    #expect(bench.ignorance(TestFix.at(40, seconds: 3), nowSeconds: 4) == .notNewer, "the new time counts")
    #expect(bench.ignorance(TestFix.at(40, seconds: 4), nowSeconds: 4) == nil)
  }

  @Test func aFixThatIsNotNewerIsIgnoredWithItsAge() {
    var filter = LocationFilter()
    let rules = FilterRules(Configuration(platform: .ios))
    let now = TestFix.at(0, seconds: 60).timestamp
    _ = filter.judge(TestFix.at(0, seconds: 10), at: now, distanceFilterMetres: 10, rules: rules)
    let same = filter.judge(TestFix.at(20, seconds: 10), at: now, distanceFilterMetres: 10, rules: rules)
    #expect(same == .ignored(.notNewer, sinceLastMilliseconds: 0))
    let older = filter.judge(TestFix.at(20, seconds: 9.996), at: now, distanceFilterMetres: 10, rules: rules)
    #expect(older == .ignored(.notNewer, sinceLastMilliseconds: -4))
  }

  @Test func androidIgnoresTheSameFixUnlessAllowed() {
    let fix = TestFix.at(0, seconds: 0)
    for allows in [false, true] {
      var android = Bench(.android, allowsIdentical: allows)
      #expect(android.ignorance(fix) == nil)
      #expect(android.ignorance(fix) == (allows ? nil : .identical))
      #expect(android.ignorance(TestFix.at(1, seconds: 0)) == .notNewer, "the same time at another place")
      #expect(android.ignorance(TestFix.at(0, seconds: 1)) == nil, "the same place at another time")
      var ios = Bench(.ios, allowsIdentical: allows)
      #expect(ios.ignorance(fix) == nil)
      #expect(ios.ignorance(fix) == .notNewer)
    }
  }

  /// 300 metres per second, SDK §2.1.
  @Test func androidDropsTeleportsUnderEveryPolicy() {
    var android = Bench(.android, policy: .passThrough)
    #expect(android.ignorance(TestFix.at(0, seconds: 0)) == nil)
    #expect(android.ignorance(TestFix.at(3_010, seconds: 10)) == .speedJump)
    #expect(android.ignorance(TestFix.at(2_990, seconds: 10)) == nil)
    var ios = Bench(.ios, policy: .passThrough)
    #expect(ios.ignorance(TestFix.at(0, seconds: 0)) == nil)
    #expect(ios.ignorance(TestFix.at(3_010, seconds: 10)) == nil)
    android = Bench(.android, policy: .passThrough)
    android.rules.speedJumpFilter = 0
    #expect(android.ignorance(TestFix.at(0, seconds: 0)) == nil)
    #expect(android.ignorance(TestFix.at(9_000, seconds: 1)) == nil)
  }
}
