import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

@Suite struct GeofenceCrossingTests {
  enum Input: CaseIterable {
    /// The second leaves the circle untouched on the way, the third leads through it.
    case enter, exit, exitAfterTransit, wait10Seconds
  }

  /// What a fence does, worked out from the wording of SDK §15.1 and §15.3. Only what is told counts as a hit.
  private struct Model {
    var fence: Geofence
    var platform: DevicePlatform
    var isInside = false
    var secondsInside: Double?
    var hits = 0

    mutating func told(_ action: String, _ wants: Bool) -> String {
      if wants { hits += 1 }
      return (wants ? "" : "silent ") + action + " a"
    }

    mutating func receive(_ input: Input) -> [String] {
      switch input {
      case .enter:
        if isInside { return ["geofence-duplicate-enter a"] }
        isInside = true
        var story = [told("ENTER", fence.notifyOnEntry)]
        if fence.notifyOnDwell {
          if fence.loiteringDelayMilliseconds == 0 {
            story.append(told("DWELL", true))
          } else {
            secondsInside = 0
          }
        }
        return story
      case .exit, .exitAfterTransit:
        secondsInside = nil
        if isInside {
          isInside = false
          return [told("EXIT", fence.notifyOnExit)]
        }
        guard platform == .android && input == .exitAfterTransit else { return ["geofence-spurious-exit a"] }
        if fence.notifyOnEntry { hits += 1 }
        return [(fence.notifyOnEntry ? "" : "silent ") + "synthesised ENTER a", told("EXIT", fence.notifyOnExit)]
      case .wait10Seconds:
        guard let before = secondsInside else { return [] }
        secondsInside = before + 10
        guard before + 10 >= fence.loiteringDelayMilliseconds / 1_000 else { return [] }
        secondsInside = nil
        return [told("DWELL", true)]
      }
    }
  }

  /// Every sequence of six inputs, for every fence and platform.
  @Test(arguments: DevicePlatform.allCases, [0.0, 20_000])
  func everySequenceOfCrossingsAgreesWithTheModel(platform: DevicePlatform, loitering: Double) throws {
    for flags in 0..<8 {
      let fence = FenceBench.fence("a") { fence in
        fence.notifyOnEntry = flags & 1 != 0
        fence.notifyOnExit = flags & 2 != 0
        fence.notifyOnDwell = flags & 4 != 0
        fence.loiteringDelayMilliseconds = loitering
      }
      var bench = FenceBench(platform)
      try bench.add(fence)
      bench.evaluate(.start, metresEast: -500)
      #expect(bench.story() == ["on a off "])
      try explore(bench, Model(fence: fence, platform: platform), depth: 6, way: [])
    }
  }

  private func explore(_ bench: FenceBench, _ model: Model, depth: Int, way: [Input]) throws {
    guard depth > 0 else { return }
    for input in Input.allCases {
      var (bench, model) = (bench, model)
      switch input {
      case .enter: bench.cross("a", isEnter: true, metresEast: -190)
      case .exit: bench.cross("a", isEnter: false, metresEast: -210)
      case .exitAfterTransit: bench.cross("a", isEnter: false, metresEast: 210)
      case .wait10Seconds: bench.wait(10)
      }
      let expected = model.receive(input)
      let story = bench.story()
      let status = bench.book.geofence("a")?.status
      guard story == expected, status?.isInside == model.isInside, status?.hits == model.hits else {
        Issue.record("after \(way): \(input) gives \(story), not \(expected); \(String(describing: status))")
        continue
      }
      try explore(bench, model, depth: depth - 1, way: way + [input])
    }
  }

  /// The `geofence` of `locationfilter` (SDK §6).
  @Test func suppressedCrossingsTellHowFarOutsideTheyWere() throws {
    var bench = FenceBench()
    try bench.add(FenceBench.fence("a", radius: 150))
    bench.evaluate(.start, metresEast: 900)
    bench.effects = []
    bench.cross("a", isEnter: false, metresEast: 230)
    guard case .suppressed(let suppression)? = bench.effects.first else {
      Issue.record("\(bench.effects)")
      return
    }
    #expect(suppression.action == .exit && suppression.reason == .spuriousExit && suppression.radiusMetres == 150)
    #expect(abs(suppression.distanceMetres - 230) < 0.01 && abs(suppression.outsideByMetres - 80) < 0.01)
  }

  @Test func crossingsOfUnmonitoredFencesAreIgnored() throws {
    var bench = FenceBench()
    try bench.add(FenceBench.fence("a"))
    bench.cross("a", isEnter: true, metresEast: 0)
    bench.cross("b", isEnter: true, metresEast: 0)
    #expect(bench.story() == [])
    bench.evaluate(.start, metresEast: 900)
    bench.book.stop()
    bench.effects = []
    bench.cross("a", isEnter: true, metresEast: 0)
    #expect(bench.story() == [] && bench.book.activeCount == 0)
  }

  @Test func aDwellWaitsForItsDeadlineOncePerVisit() throws {
    var bench = FenceBench()
    let fence = { (name: String, seconds: Double) in
      FenceBench.fence(name) { fence in
        fence.notifyOnDwell = true
        fence.loiteringDelayMilliseconds = seconds * 1_000
      }
    }
    try bench.add(fence("slow", 60), fence("quick", 30), fence("never", 1e300))
    bench.evaluate(.start, metresEast: 0)
    #expect(bench.book.nextDeadline == MonotonicInstant(nanoseconds: 30_000_000_000))
    bench.effects = []
    bench.wait(29.9)
    #expect(bench.story() == [])
    bench.wait(0.1)
    #expect(bench.story() == ["DWELL quick"])
    bench.wait(1_000)
    #expect(bench.story() == ["DWELL slow"])
    bench.book.stop()
    #expect(bench.book.nextDeadline == nil)
  }

  /// SDK §15.4.
  @Test func monitoringThatBeginsInsideTriggersAtOnceOrSetsTheStateSilently() throws {
    for (triggers, story) in [(true, ["on a off ", "ENTER a"]), (false, ["on a off ", "corrected a"])] {
      var bench = FenceBench { $0.geofenceInitialTriggerEntry = triggers }
      try bench.add(FenceBench.fence("a"))
      bench.evaluate(.start, metresEast: 0)
      #expect(bench.story() == story)
      #expect(bench.book.geofence("a")?.status.isInside == true)
      #expect(bench.book.geofence("a")?.status.hits == (triggers ? 1 : 0))
    }
  }

  /// SDK §15.4.
  @Test func aRestartInsideHasNoSecondEnterAndOneOutsideHasItsExit() throws {
    for occasion in [ProximityOccasion.start, .relaunch] {
      for (metresEast, story) in [(0.0, ["on a off "]), (215, ["on a off "]), (900, ["on a off ", "EXIT a"])] {
        var bench = FenceBench()
        var saved = FenceBench.fence("a")
        saved.status.isInside = true
        try bench.book.restore(saved)
        bench.evaluate(occasion, metresEast: metresEast)
        #expect(bench.story() == story, "\(occasion) \(metresEast)")
        #expect(bench.book.geofence("a")?.status.isInside == (metresEast != 900))
        // What the first position leaves open the next one decides.
        bench.evaluate(.fix, metresEast: 230)
        #expect(bench.story() == (metresEast == 215 ? ["EXIT a"] : []), "\(occasion) \(metresEast)")
      }
    }
  }

  /// The initial trigger is for monitoring that begins; a relaunch goes on with it.
  @Test func aFenceThatWasEnteredBetweenTwoProcessesHasItsEnter() throws {
    for (occasion, triggers, story) in [
      (ProximityOccasion.relaunch, false, "ENTER a"), (.relaunch, true, "ENTER a"), (.start, true, "ENTER a"),
      (.start, false, "corrected a"),
    ] {
      var bench = FenceBench { $0.geofenceInitialTriggerEntry = triggers }
      try bench.book.restore(FenceBench.fence("a"))
      bench.evaluate(occasion, metresEast: 0)
      #expect(bench.story() == ["on a off ", story], "\(occasion) \(triggers)")
    }
  }

  /// Not inside is sure of a good position, and of a poor one far outside.
  @Test(arguments: [(380.0, 197.0, true), (380, 21, false), (380, 20, false), (595, 197, false), (210, 5, false)])
  func aPoorFirstPositionLeavesOpenWhereTheDeviceIs(metres: Double, accuracy: Double, isOpen: Bool) throws {
    for triggers in [true, false] {
      var bench = FenceBench { $0.geofenceInitialTriggerEntry = triggers }
      try bench.add(FenceBench.fence("a"))
      bench.evaluate(.start, metresEast: metres, accuracy: accuracy)
      bench.evaluate(.fix, metresEast: 10)
      let entry = triggers ? "ENTER a" : "corrected a"
      #expect(bench.story() == ["on a off "] + (isOpen ? [entry] : []), "\(triggers)")
      // Otherwise the system's report decides. What a position has shown before it is told once.
      bench.cross("a", isEnter: true, metresEast: 10)
      #expect(bench.story() == (isOpen ? [] : ["ENTER a"]), "\(triggers)")
    }
  }

  /// The initial trigger comes of a position. A system that found the device outside has nothing to report.
  @Test(arguments: [(230.0, false), (500, true)])
  func anEntryThatTheSystemNeverHearsOfEnds(metres: Double, isLeft: Bool) throws {
    for isReported in [false, true] {
      var bench = FenceBench()
      try bench.add(FenceBench.fence("a"))
      bench.evaluate(.start, metresEast: 10)
      #expect(bench.story() == ["on a off ", "ENTER a"])
      if isReported { bench.cross("a", isEnter: true, metresEast: 10) }
      _ = bench.story()
      bench.seconds = 60
      bench.evaluate(.fix, metresEast: metres, accuracy: 20)
      // Of what it has reported the system tells the end, too.
      #expect(bench.story() == (isLeft && !isReported ? ["EXIT a"] : []))
      bench.seconds = 70
      bench.cross("a", isEnter: false, metresEast: metres)
      #expect(bench.story() == (isLeft && !isReported ? [] : ["EXIT a"]))
    }
  }

  /// It may have the device on the other side, and would never tell of the way back.
  @Test func theSystemIsAskedAnewAboutACrossingThatAPositionShows() throws {
    func asked(_ bench: inout FenceBench) -> [String] {
      defer { bench.effects = [] }
      return bench.effects.compactMap { if case .watchAnew(let geofence) = $0 { geofence.identifier } else { nil } }
    }
    var bench = FenceBench()
    try bench.add(FenceBench.fence("a"))
    bench.evaluate(.start, metresEast: 10)
    #expect(asked(&bench) == ["a"])
    bench.seconds = 60
    bench.evaluate(.fix, metresEast: 500, accuracy: 20)
    #expect(asked(&bench) == ["a"])
    // What the system has told it knows.
    bench.cross("a", isEnter: true, metresEast: 10)
    bench.cross("a", isEnter: false, metresEast: 500)
    #expect(asked(&bench) == [])
  }

  /// A dwell of 100 s began inside 20 s before.
  private func restartedInside(isStopped: Bool) throws -> FenceBench {
    var bench = FenceBench()
    try bench.add(
      FenceBench.fence("a") {
        $0.notifyOnDwell = true; $0.loiteringDelayMilliseconds = 100_000
      })
    bench.evaluate(.start, metresEast: 0)
    bench.seconds = 20
    try bench.restart(isStopped: isStopped)
    return bench
  }

  /// A dwell is inside for the delay, whatever happens to the process or to monitoring meanwhile (SDK §15.3).
  @Test(arguments: [0.0, 30, 79, 80, 500])
  func aDwellGoesOnOverARestartAndAStop(secondsGone: Double) throws {
    for isStopped in [false, true] {
      var bench = try restartedInside(isStopped: isStopped)
      #expect(bench.book.nextDeadline == nil && bench.story() == ["on a off ", "ENTER a"])
      bench.seconds += secondsGone
      bench.evaluate(isStopped ? .start : .relaunch, metresEast: 10)
      #expect(bench.story() == (secondsGone < 80 ? ["on a off "] : ["on a off ", "DWELL a"]))
      bench.wait(max(0, 79.9 - secondsGone))
      #expect(bench.story() == [])
      bench.wait(0.1)
      #expect(bench.story() == (secondsGone < 80 ? ["DWELL a"] : []), "once")
      try bench.restart(isStopped: isStopped)
      bench.evaluate(isStopped ? .start : .relaunch, metresEast: 20)
      bench.wait(1_000)
      #expect(bench.story() == ["on a off "], "once for each visit")
    }
  }

  /// At rest no other position may come, and the system tells of an exit within 15 s.
  @Test(arguments: [true, false])
  func aDwellGoesOnWhereAPositionLeavesOpenWhetherItsVisitIsOver(isOver: Bool) throws {
    var bench = try restartedInside(isStopped: false)
    bench.seconds = 500
    _ = bench.story()
    bench.evaluate(.relaunch, metresEast: 205, accuracy: 18)
    bench.wait(14)
    #expect(bench.story() == ["on a off "])
    if isOver { bench.cross("a", isEnter: false, metresEast: 205) }
    bench.wait(1)
    bench.wait(1_000)
    #expect(bench.story() == (isOver ? ["EXIT a"] : ["DWELL a"]))
  }

  @Test func aClockThatIsSetBackPutsADwellOffByNoMoreThanItsDelay() throws {
    var bench = FenceBench()
    var saved = FenceBench.fence("a") {
      $0.notifyOnDwell = true; $0.loiteringDelayMilliseconds = 100_000
    }
    saved.status.isInside = true
    saved.status.dwellDeadline = bench.now.wall.advanced(byMilliseconds: 3_600_000)
    try bench.book.restore(saved)
    bench.evaluate(.relaunch, metresEast: 0)
    bench.wait(100)
    #expect(bench.story() == ["on a off ", "DWELL a"])
  }

  @Test func theInitialTriggerWaitsUntilThePlaceIsKnown() throws {
    var bench = FenceBench(.android)
    try bench.add(FenceBench.fence("a"))
    bench.evaluate(.start, metresEast: nil)
    #expect(bench.story() == ["on a off "])
    bench.seconds = 1
    bench.evaluate(.fix, metresEast: 10)
    #expect(bench.story() == ["ENTER a"])
  }

  /// What the system has reported is not undone by the first position, which may be wrong.
  @Test func aReportOfTheSystemIsTheFirstTest() throws {
    var bench = FenceBench(.android)
    try bench.add(FenceBench.fence("a"))
    bench.evaluate(.start, metresEast: nil)
    bench.cross("a", isEnter: true, metresEast: 190)
    bench.seconds = 1
    bench.evaluate(.fix, metresEast: 500)
    bench.cross("a", isEnter: false, metresEast: 500)
    #expect(bench.story() == ["on a off ", "ENTER a", "EXIT a"])
  }
}
