import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

@Suite struct OdometerTests {
  private static func rules(
    kalman: Bool = false, policy: FilterPolicy = .adjust, twice: Bool = false
  ) -> OdometerRules {
    var settings = Configuration(platform: .ios).geolocation.filter
    settings.odometerUseKalmanFilter = kalman
    settings.odometerPolicy = policy
    return OdometerRules(settings, isAsObserved: twice)
  }

  private static func advance(
    _ odometer: inout Odometer, _ metresEast: Double, accuracy: Double? = 5, from source: OdometerSource = .tracked,
    filter: Double = 50, rules: OdometerRules = rules(), isGeofenceMode: Bool = false, seconds: Double = 0
  ) -> OdometerStep {
    odometer.advance(
      to: TestFix.at(metresEast, seconds: seconds, accuracy: accuracy, speed: 0), from: source,
      isGeofenceMode: isGeofenceMode, distanceFilterMetres: filter, rules: rules)
  }

  @Test func theFirstFixOnlyBegins() {
    var odometer = Odometer(metres: 100, errorMetres: 3)
    #expect(Self.advance(&odometer, 0) == .began)
    #expect(odometer.metres == 100 && odometer.errorMetres == 3)
    _ = Self.advance(&odometer, 60)
    #expect(abs(odometer.metres - 160) < 0.001)
  }

  /// SDK §17, item 5: 0, 7.07, 10.00, 12.25 for fixes of 5 metres, 23.15 and 26.54 for fixes of 9.18 metres.
  @Test func theErrorGrowsAsInARealLog() {
    var odometer = Odometer()
    _ = Self.advance(&odometer, 0)
    for (index, error) in [7.07, 10.00, 12.25].enumerated() {
      _ = Self.advance(&odometer, Double(index + 1) * 60)
      #expect(abs(odometer.errorMetres - error) < 0.005)
    }
    var worse = Odometer(metres: 0, errorMetres: 23.15)
    _ = Self.advance(&worse, 0, accuracy: 9.18)
    _ = Self.advance(&worse, 60, accuracy: 9.18)
    #expect(abs(worse.errorMetres - 26.54) < 0.005)
  }

  @Test func unknownAndBadAccuracySkipsTheFixAndKeepsTheReference() {
    var odometer = Odometer()
    _ = Self.advance(&odometer, 0)
    for accuracy in [nil, -1, 20.01, .nan] {
      #expect(Self.advance(&odometer, 60, accuracy: accuracy) == .skipped)
    }
    _ = Self.advance(&odometer, 100)
    #expect(abs(odometer.metres - 100) < 0.001)
  }

  /// Also where the way does not: the next launch finds both.
  @Test func anErrorThatGrowsIsKept() {
    var rig = EngineRig.driving()
    let before = rig.engine.state
    rig.wait(5)
    rig.drive(north: 1, accuracy: 18)
    let isKept = rig.take().contains { if case .saveState = $0 { true } else { false } }
    let state = rig.engine.state
    #expect(isKept && state.odometerMetres == before.odometerMetres)
    #expect(state.odometerErrorMetres > before.odometerErrorMetres)
  }

  /// Full length up to 10 metres of accuracy, beyond that less the error of both fixes, but never backwards.
  @Test func badFixesCountLessTheirError() {
    for (accuracy, gone, counted) in [(10.0, 100.0, 100.0), (12, 100, 87), (12, 10, 0)] {
      var odometer = Odometer()
      _ = Self.advance(&odometer, 0, accuracy: 5)
      _ = Self.advance(&odometer, gone, accuracy: accuracy)
      #expect(abs(odometer.metres - counted) < 0.001)
    }
  }

  /// Steps and what the odometer made of them in a public device log: fixes of 5 metres, filters of 50 and 150 metres.
  @Test func smoothedIncrementsAreThoseOfARealDevice() {
    let rules = Self.rules(kalman: true)
    let steps: [(raw: Double, filter: Double, speed: Double, increment: Double)] = [
      (160.5, 150, 12.24, 148.81), (154.4, 150, 10.70, 154.07), (114.5, 50, 0, 116.69), (55.6, 50, 7.05, 61.17),
      (109.0, 100, 10.60, 104.58), (97.9, 50, 0, 98.29), (57.3, 50, 12.55, 61.09),
    ]
    var odometer = Odometer()
    var east = 0.0
    func advance(_ raw: Double, _ filter: Double, _ speed: Double) {
      east += raw
      _ = odometer.advance(
        to: TestFix.at(east, seconds: 0, speed: speed), from: .tracked, isGeofenceMode: false,
        distanceFilterMetres: filter, rules: rules)
    }
    // The steps before, as the log has them.
    for (raw, filter, speed) in [(0.0, 50.0, 0.0), (51.7, 50, 3.65), (20.8, 50, 0), (33.9, 50, 9.16)] {
      advance(raw, filter, speed)
    }
    for (index, step) in steps.enumerated() {
      let before = odometer.metres
      advance(step.raw, step.filter, step.speed)
      #expect(abs(odometer.metres - before - step.increment) < 0.6, "step \(index)")
    }
  }

  /// After steps of 100 metres, at most 60 m/s: observed, the smaller of three steps and three filters.
  @Test(arguments: [
    (50.0, 1.0, 300.0, 150.0), (500, 1, 400, 300), (50, 6, 360, 150), (50, 7, 400, 150), (50, -60, 300, 150),
  ])
  func aMotionChangeIsCappedAsObservedOrByTimeToo(
    filter: Double, seconds: Double, documented: Double, observed: Double
  ) {
    for isObserved in [false, true] {
      let limit = isObserved ? observed : documented
      for policy in FilterPolicy.allCases {
        let rules = Self.rules(policy: policy, twice: isObserved)
        var odometer = Odometer()
        for index in 0..<6 { _ = Self.advance(&odometer, Double(index) * 100, filter: filter, rules: rules) }
        let step = Self.advance(&odometer, 900, from: .motionChange, filter: filter, rules: rules, seconds: seconds)
        if policy == .conservative && limit < 400 {
          guard case .rejected(let metres) = step else {
            Issue.record("\(step)")
            continue
          }
          #expect(abs(metres - 400) < 0.01 && abs(odometer.metres - 500) < 0.01)
          // Counting goes on from where it was.
          _ = Self.advance(&odometer, 600, filter: filter, rules: rules)
          #expect(abs(odometer.metres - 600) < 0.01)
        } else {
          let counted = policy == .passThrough ? 400 : limit
          #expect(abs(odometer.metres - 500 - counted) < 0.01, "\(policy) \(isObserved)")
        }
      }
    }
  }

  @Test func trackedFixesHavePassedTheLocationFilterAndCountInFull() {
    var odometer = Odometer()
    for east in [0.0, 20, 40, 2_040] { _ = Self.advance(&odometer, east, filter: 10) }
    #expect(abs(odometer.metres - 2_040) < 0.01)
  }

  /// 200 metres make 400 in a real device, as 200.52 and 400.80 in its log (SDK §17).
  @Test func theDoubleCountOfARealDeviceIsAnOption() {
    for (twice, metres) in [(false, 200.0), (true, 400)] {
      let rules = Self.rules(twice: twice)
      var odometer = Odometer()
      _ = Self.advance(&odometer, 0, rules: rules)
      _ = Self.advance(&odometer, 200, from: .motionChange, filter: 100, rules: rules)
      _ = Self.advance(&odometer, 200, filter: 100, rules: rules)
      #expect(abs(odometer.metres - metres) < 0.01)
      _ = Self.advance(&odometer, 300, filter: 100, rules: rules)
      #expect(abs(odometer.metres - metres - 100) < 0.01)
      #expect(abs(odometer.errorMetres - 150.0.squareRoot()) < 0.001)
    }
  }

  /// At rest a record 60 m further is minor motion; one within what both may be wrong is none, nor is a poor one.
  @Test(arguments: [(60.0, 5.0, 60.0), (14.1, 5, 0), (14.2, 5, 14.2), (60, 21, 0), (60, -1, 0)])
  func atRestARecordCountsThatShowsMotion(metres: Double, accuracy: Double, counted: Double) throws {
    for persist in [true, false] {
      var rig = EngineRig.resting { $0.geolocation.filter.odometerUseKalmanFilter = false }
      rig.wait(10)
      var request = PositionRequest(id: 7)
      request.persist = persist
      rig.send(.call(.currentPosition(request)))
      for _ in 0..<3 { rig.sample(north: metres, accuracy: accuracy) }
      let odometer = rig.engine.state.odometerMetres
      #expect(abs(odometer - (persist ? counted : 0)) < 0.05)
      let records = rig.take().persisted.map(\.record)
      #expect(records.allSatisfy { $0.odometer == odometer })
      #expect(!rig.engine.state.isMoving)
    }
  }

  /// Whoever asks again and again in one place goes nowhere.
  @Test func atRestNoiseDoesNotAddUp() {
    var rig = EngineRig.resting()
    for index in 0..<100 {
      rig.wait(60)
      rig.send(.call(.currentPosition(PositionRequest(id: index))))
      for _ in 0..<3 { rig.sample(north: index % 2 == 0 ? 6 : -6) }
    }
    #expect(rig.take().kinds.count { $0 == .current } == 100)
    #expect(rig.engine.state.odometerMetres == 0)
  }

  /// What was counted at rest does not count again when the device sets off.
  @Test func theWayAtRestCountsOnce() {
    var rig = EngineRig.resting { $0.geolocation.filter.odometerUseKalmanFilter = false }
    rig.wait(10)
    rig.send(.call(.currentPosition(PositionRequest(id: 7))))
    for _ in 0..<3 { rig.sample(north: 60) }
    rig.wait(10)
    rig.send(.call(.changePace(isMoving: true)))
    for _ in 0..<3 { rig.sample(north: 80) }
    #expect(abs(rig.engine.state.odometerMetres - 80) < 0.1)
  }

  @Test func transitionsCountInGeofenceModeAndNothingElseDoes() {
    for isGeofenceMode in [false, true] {
      for source in OdometerSource.allCases {
        var odometer = Odometer()
        let begins = Self.advance(&odometer, 0, from: source, isGeofenceMode: isGeofenceMode)
        #expect((begins == .began) == ((source == .transition) == isGeofenceMode), "\(source)")
      }
    }
    for twice in [false, true] {
      let rules = Self.rules(kalman: true, twice: twice)
      var odometer = Odometer()
      for east in [0.0, 5_000, 5_100] {
        _ = Self.advance(&odometer, east, from: .transition, rules: rules, isGeofenceMode: true)
      }
      #expect(abs(odometer.metres - 5_100) < 0.01, "from fence to fence any length is plausible")
    }
  }

  @Test func settingClearsErrorAndReferenceAndStoppingOnlyTheReference() {
    var odometer = Odometer()
    for east in [0.0, 100] { _ = Self.advance(&odometer, east) }
    let error = odometer.errorMetres
    odometer.clearReference()
    #expect(Self.advance(&odometer, 10_000) == .began)
    #expect(abs(odometer.metres - 100) < 0.01 && odometer.errorMetres == error && error > 0)
    odometer.set(metres: 7)
    #expect(odometer.metres == 7 && odometer.errorMetres == 0)
    #expect(Self.advance(&odometer, 0) == .began)
    #expect(odometer.metres == 7)
  }

  /// The way before `setOdometer` is none of the new value's, whatever the habits (SDK §17.7).
  @Test(arguments: [false, true]) func afterSettingTheWayBeforeItDoesNotCount(isAsObserved: Bool) {
    let rules = Self.rules(twice: isAsObserved)
    var odometer = Odometer()
    for east in [0.0, 100] { _ = Self.advance(&odometer, east, rules: rules) }
    odometer.set(metres: 5_000)
    odometer.begin(at: TestFix.at(130, seconds: 0, accuracy: 5, speed: 0))
    _ = Self.advance(&odometer, 150, rules: rules)
    #expect(abs(odometer.metres - 5_020) < 0.01, "\(odometer.metres)")
  }
}
