import Base
import Contract
import Support
import Testing
import Vocabulary

@testable import Engine

@Suite struct ProximityTests {
  private static func evaluations(_ bench: inout FenceBench) -> Int {
    defer { bench.effects.removeAll() }
    return bench.effects.count { if case .evaluated = $0 { true } else { false } }
  }

  /// iOS looks at every fix at a new place, Android each minute (SDK §15.2).
  @Test func platformsDifferInHowOftenTheyLook() throws {
    for (platform, looks) in [(DevicePlatform.ios, 20), (.android, 3)] {
      var bench = FenceBench(platform)
      try bench.add(FenceBench.fence("a", metresEast: 90_000))
      bench.evaluate(.start, metresEast: -1)
      bench.effects = []
      for index in 0..<20 {
        bench.seconds += 10
        bench.evaluate(.fix, metresEast: Double(index) * 50)
        bench.evaluate(.fix, metresEast: Double(index) * 50)
      }
      #expect(Self.evaluations(&bench) == looks, "\(platform)")
      for (index, occasion) in ProximityOccasion.allCases.enumerated() where occasion != .fix {
        bench.evaluate(occasion, metresEast: 2_000 + Double(index))
        #expect(Self.evaluations(&bench) == 1, "\(occasion)")
      }
    }
  }

  /// 19 of 20 regions on iOS, 97 of 100 on Android, or fewer when configured.
  @Test(arguments: [
    (DevicePlatform.ios, -1, 18, 18), (.ios, -1, 19, 0), (.android, -1, 97, 97), (.android, -1, 98, 0),
    (.ios, 5, 5, 5), (.ios, 5, 6, 0), (.ios, 90, 18, 18), (.android, 90, 90, 90),
  ])
  func upToALimitAllFencesAreActiveWhereverTheyAre(platform: DevicePlatform, maximum: Int, count: Int, active: Int)
    throws
  {
    var bench = FenceBench(platform) { $0.maxMonitoredGeofences = maximum }
    for index in 0..<count { try bench.add(FenceBench.fence("\(index)", metresEast: 100_000)) }
    bench.evaluate(.start, metresEast: 0)
    #expect(bench.book.activeCount == active)
  }

  @Test func theLimitHoldsAmongFencesNearby() throws {
    for (platform, maximum, limit) in [(DevicePlatform.ios, -1, 19), (.android, 0, 97), (.android, 7, 7)] {
      var bench = FenceBench(platform) { $0.maxMonitoredGeofences = maximum }
      for index in 0..<150 { try bench.add(FenceBench.fence("\(index)", metresEast: Double(index) * 10 + 300)) }
      bench.evaluate(.start, metresEast: 0)
      #expect(bench.book.activeCount == limit)
      #expect((0..<limit).allSatisfy { bench.book.isActive("\($0)") }, "the nearest")
    }
  }

  /// The radius is 2,000 metres plus the accuracy, and never less than 1,000; from it on the edge of a fence is near.
  @Test func theReachIsTheProximityRadiusAndTheAccuracy() throws {
    for (configured, accuracy, metres, isActive) in [
      (2_000.0, 5.0, 2_004.0, true), (2_000, 5, 2_006, false), (2_000, 50, 2_049, true), (10, 5, 1_004, true),
      (10, 5, 1_006, false),
    ] {
      var bench = FenceBench { $0.geofenceProximityRadiusMetres = configured }
      for index in 0..<30 { try bench.add(FenceBench.fence("far \(index)", metresEast: 50_000)) }
      try bench.add(FenceBench.fence("a", metresEast: metres + 200, radius: 200))
      bench.evaluate(.start, metresEast: 0, accuracy: accuracy)
      #expect(bench.book.isActive("a") == isActive, "\(configured) \(accuracy) \(metres)")
    }
  }

  /// A random drive through thousands of fences, some added and removed on the way: after each look the active ones are
  /// the nearest, and the changes that were told add up to them.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func theActiveSetIsThatOfASearchThroughAll(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bench = FenceBench(seed % 2 == 0 ? .ios : .android)
    var fences: [String: (metres: Double, radius: Double)] = [:]
    func distance(_ fence: (metres: Double, radius: Double), from metres: Double) -> Double {
      max(0, abs(fence.metres - metres) - fence.radius)
    }
    var told: Set<String> = []
    func add(_ index: Int) throws {
      let metres = Double(generator.index(below: 60_000))
      let radius = [150.0, 200, 900, 2_500, 20_000][generator.index(below: 40) == 0 ? 4 : generator.index(below: 4)]
      fences["\(index)"] = (metres, radius)
      try bench.add(FenceBench.fence("\(index)", metresEast: metres, radius: radius))
    }
    for index in 0..<2_000 { try add(index) }
    bench.evaluate(.start, metresEast: 0)
    var metres = 0.0
    for step in 0..<200 {
      metres += Double(generator.index(below: 500))
      bench.seconds += 60
      for _ in 0..<generator.index(below: 4) { try add(generator.index(below: 2_100)) }
      for _ in 0..<generator.index(below: 4) {
        let name = "\(generator.index(below: 2_100))"
        #expect(bench.book.remove(name) == (fences.removeValue(forKey: name) != nil), "seed \(seed) step \(step)")
      }
      bench.evaluate(.fix, metresEast: metres)
      for case .activeSet(let on, let off) in bench.effects {
        told.subtract(off)
        told.formUnion(on.map(\.identifier))
      }
      bench.effects = []
      let near = fences.values.map { distance($0, from: metres) }.filter { $0 <= 2_005 }.sorted()
      let limit = bench.rules.limit
      #expect(bench.book.activeCount == min(near.count, limit), "seed \(seed) step \(step)")
      let reach = near.count > limit ? near[limit - 1] : 2_005
      for (name, fence) in fences where distance(fence, from: metres) < reach - 0.1 {
        #expect(bench.book.isActive(name), "seed \(seed) step \(step): \(name) is nearer than the last")
      }
      #expect(told.count == bench.book.activeCount && told.allSatisfy(bench.book.isActive), "seed \(seed) step \(step)")
    }
  }

  /// SDK §15.2: a fence that is not among the nearest any more was left.
  @Test func aFenceThatIsLeftBehindHasItsExit() throws {
    var bench = try FenceBench.amongDistantOnes(
      FenceBench.fence("a") {
        $0.notifyOnDwell = true; $0.loiteringDelayMilliseconds = 60_000
      })
    bench.evaluate(.start, metresEast: 0)
    #expect(bench.story() == ["on a off ", "ENTER a"])
    bench.evaluate(.fix, metresEast: 10_000)
    #expect(bench.story() == ["on  off a", "EXIT a"])
    #expect(bench.book.nextDeadline == nil)
    bench.evaluate(.fix, metresEast: 1_000)
    #expect(bench.story() == ["on a off "])
    bench.cross("a", isEnter: true, metresEast: 190)
    #expect(bench.story() == ["ENTER a"])
  }

  @Test func aFenceThatIsLeftBetweenTwoProcessesHasItsExitHoweverFarAwayItIs() throws {
    for isStopped in [false, true] {
      for (metresEast, story) in [(1_000.0, ["on a off ", "EXIT a"]), (10_000, ["EXIT a"]), (0, ["on a off "])] {
        var bench = try FenceBench.amongDistantOnes(FenceBench.fence("a"))
        bench.evaluate(.start, metresEast: 0)
        try bench.restart(isStopped: isStopped)
        bench.effects = []
        let occasion = isStopped ? ProximityOccasion.start : .relaunch
        bench.evaluate(occasion, metresEast: nil)
        #expect(bench.story() == [], "it is not known what is near")
        bench.evaluate(.motionChange, metresEast: metresEast)
        #expect(bench.story() == story, "\(metresEast)")
        bench.evaluate(.fix, metresEast: metresEast + 1)
        #expect(bench.story() == [], "once")
      }
    }
  }

  /// The system woke the app for a crossing, and where the device is the app does not know yet.
  @Test func aReportThatComesBeforeTheFirstPositionCounts() throws {
    var bench = try FenceBench.amongDistantOnes(FenceBench.fence("a"))
    bench.evaluate(.relaunch, metresEast: nil)
    bench.cross("a", isEnter: true, metresEast: 190)
    #expect(bench.story() == ["ENTER a"])
    bench.evaluate(.fix, metresEast: 100)
    #expect(bench.story() == ["on a off "])
    bench.evaluate(.fix, metresEast: 9_000)
    #expect(bench.story() == ["on  off a", "EXIT a"])
  }

  /// The distance of a fence is that of its edge: a large one is near long before its centre is, and while the device is
  /// inside nothing is nearer.
  @Test(arguments: [200.0, 3_000, 30_000])
  func aFenceIsActiveFromTheProximityRadiusAroundItsEdgeOn(radius: Double) throws {
    var bench = try FenceBench.amongDistantOnes(FenceBench.fence("a", radius: radius))
    for (metresEast, isActive) in [
      (radius + 2_100, false), (radius + 1_900, true), (radius / 2, true), (0, true), (-radius, true),
      (-radius - 1_900, true), (-radius - 2_100, false),
    ] {
      bench.evaluate(metresEast == radius + 2_100 ? .start : .fix, metresEast: metresEast, accuracy: 5)
      #expect(bench.book.isActive("a") == isActive, "\(metresEast)")
    }
  }

  @Test func theDeviceStaysInItsFencesHoweverManyAreNear() throws {
    var bench = FenceBench()
    try bench.add(FenceBench.fence("wide", metresEast: -4_000, radius: 5_000))
    for index in 0..<40 {
      try bench.add(FenceBench.fence("\(index)", metresEast: Double(index) * 30 + 300, radius: 100))
    }
    for metresEast in stride(from: -900.0, through: 900, by: 100) {
      bench.evaluate(metresEast == -900 ? .start : .fix, metresEast: metresEast)
      #expect(bench.book.isActive("wide") && bench.book.activeCount == 19, "\(metresEast)")
    }
  }

  /// Half the proximity radius, wherever the last look was (SDK §15.6).
  @Test func geofenceModeMovesARegionAlong() {
    var bench = FenceBench(isGeofenceMode: true) { $0.geofenceProximityRadiusMetres = 3_000 }
    bench.evaluate(.start, metresEast: 0)
    #expect(bench.story() == ["region 1500"])
    bench.evaluate(.regionExit, metresEast: 1_600)
    #expect(bench.story() == ["region 1500"])
    bench.evaluate(.regionExit, metresEast: 1_600)
    #expect(bench.story() == [], "already there")
  }
}
