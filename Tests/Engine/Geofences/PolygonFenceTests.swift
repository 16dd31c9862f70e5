import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

@Suite struct PolygonFenceTests {
  /// A square whose sides are about 780 metres to 1.1 kilometres long; its circle is wider.
  private static let square = Geofence(
    identifier: "p",
    shape: .polygon(
      [(45.495, -116.305), (45.495, -116.295), (45.505, -116.295), (45.505, -116.305)].map {
        Geofence.Vertex(latitude: $0.0, longitude: $0.1)
      }))

  private static func bench(isLicensed: Bool = true, metresEast: Double) throws -> FenceBench {
    var bench = FenceBench(isPolygonLicensed: isLicensed)
    try bench.add(square)
    bench.evaluate(.start, metresEast: metresEast)
    return bench
  }

  private static func fix(_ bench: inout FenceBench, _ metresEast: Double, seconds: Double) {
    let fix = TestFix.at(metresEast, seconds: seconds)
    bench.seconds = max(bench.seconds, seconds)
    bench.book.testPolygons(
      at: TestFix.place(metresEast: metresEast), accuracyMetres: 5, fixedAt: fix.timestamp, now: bench.now,
      into: &bench.effects)
  }

  /// Inside the circle and outside the polygon: 500 metres east of its middle.
  private let corner = 500.0

  @Test func theSmallestEnclosingCircleIsWatched() throws {
    let circle = try #require(try Self.bench(metresEast: 5_000).book.circle(of: "p"))
    #expect(abs(circle.radiusMetres - 680) < 5)
    #expect(circle.center.distanceMetres(to: TestFix.place(metresEast: 0)) < 1)
  }

  @Test func thePolygonAndNotTheCircleIsEnteredAndLeft() throws {
    var bench = try Self.bench(metresEast: 5_000)
    #expect(bench.story() == ["on p off "])
    Self.fix(&bench, 0, seconds: 1)
    #expect(bench.story() == [], "outside the circle nothing is tested")
    bench.cross("p", isEnter: true, metresEast: 670)
    #expect(bench.story() == [] && bench.book.wantsHighRate)
    Self.fix(&bench, corner, seconds: 2)
    #expect(bench.story() == [])
    Self.fix(&bench, 300, seconds: 3)
    #expect(bench.story() == ["ENTER p"])
    Self.fix(&bench, corner, seconds: 2.5)
    #expect(bench.story() == [], "older than the last")
    Self.fix(&bench, corner, seconds: 3)
    #expect(bench.story() == [], "as old as the last")
    Self.fix(&bench, corner, seconds: 4)
    #expect(bench.story() == ["EXIT p"])
    bench.cross("p", isEnter: false, metresEast: 690)
    #expect(bench.story() == [] && !bench.book.wantsHighRate)
  }

  @Test func aClockThatIsSetBackDoesNotBlindThePolygon() throws {
    var bench = try Self.bench(metresEast: 5_000)
    bench.cross("p", isEnter: true, metresEast: 670)
    Self.fix(&bench, corner, seconds: 3_600)
    bench.seconds = 10
    Self.fix(&bench, 300, seconds: 10)
    #expect(bench.story().last == "ENTER p")
  }

  @Test func leavingTheCircleFromInsideThePolygonIsAnExit() throws {
    var bench = try Self.bench(metresEast: 0)
    #expect(bench.story() == ["on p off ", "ENTER p"])
    #expect(bench.book.wantsHighRate)
    bench.cross("p", isEnter: false, metresEast: 690)
    #expect(bench.story() == ["EXIT p"])
    bench.cross("p", isEnter: false, metresEast: 690)
    #expect(bench.story() == [])
  }

  @Test func polygonTransitionsHaveTheirOwnKindAndDwell() throws {
    var bench = FenceBench()
    var fence = Self.square
    fence.notifyOnDwell = true
    fence.loiteringDelayMilliseconds = 10_000
    try bench.add(fence)
    bench.evaluate(.start, metresEast: 0)
    for case .transition(let transition) in bench.effects { #expect(transition.recordKind == .polygon) }
    _ = bench.story()
    bench.wait(10)
    #expect(bench.story() == ["DWELL p"])
  }

  @Test func withoutLicenceAPolygonIsACircle() throws {
    var bench = try Self.bench(isLicensed: false, metresEast: corner)
    #expect(bench.story() == ["on p off ", "ENTER p"])
    #expect(!bench.book.wantsHighRate)
    bench.cross("p", isEnter: false, metresEast: 700)
    guard case .transition(let transition)? = bench.effects.first else {
      Issue.record("\(bench.effects)")
      return
    }
    #expect(transition.action == .exit && transition.recordKind == .geofence)
  }

  @Test func removingAndStoppingEndsTheHighRate() throws {
    for stops in [false, true] {
      var bench = try Self.bench(metresEast: 0)
      #expect(bench.book.wantsHighRate)
      if stops { bench.book.stop() } else { _ = bench.book.remove("p") }
      #expect(!bench.book.wantsHighRate)
    }
  }
}
