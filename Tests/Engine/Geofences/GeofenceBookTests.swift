import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

@Suite struct GeofenceBookTests {
  @Test func fencesAreListedInTheOrderOfTheirAddition() throws {
    var bench = FenceBench()
    try bench.add(FenceBench.fence("b"), FenceBench.fence("a"), FenceBench.fence("c"))
    #expect(bench.book.remove("a") && !bench.book.remove("a"))
    try bench.add(FenceBench.fence("a"), FenceBench.fence("b"))
    #expect(bench.book.geofences.map(\.identifier) == ["c", "a", "b"])
    #expect(bench.book.count == 3)
  }

  @Test func fencesWithoutIdentifierPlaceOrRadiusAreRefused() {
    var book = GeofenceBook()
    func center(_ latitude: Double, radius: Double) -> Geofence {
      Geofence(
        identifier: "x",
        shape: .circle(center: Geofence.Vertex(latitude: latitude, longitude: 0), radiusMetres: radius))
    }
    #expect(throws: GeofenceError.noIdentifier) { try book.add(FenceBench.fence("")) }
    #expect(throws: GeofenceError.noPlace(identifier: "x")) { try book.add(center(90.1, radius: 9)) }
    for radius in [0, -1, Double.nan, .infinity] {
      #expect(throws: GeofenceError.noRadius(identifier: "x")) { try book.add(center(1, radius: radius)) }
    }
    let line = [Geofence.Vertex(latitude: 0, longitude: 0), Geofence.Vertex(latitude: 1, longitude: 1)]
    #expect(throws: GeofenceError.noPlace(identifier: "x")) {
      try book.add(Geofence(identifier: "x", shape: .polygon(line)))
    }
    #expect(book.count == 0)
  }

  @Test func addingAgainReplacesAndStatusAndHitsAreVoid() throws {
    var bench = FenceBench()
    try bench.add(FenceBench.fence("a"))
    bench.evaluate(.start, metresEast: 0)
    #expect(bench.story() == ["on a off ", "ENTER a"])
    #expect(bench.book.geofence("a")?.status.hits == 1)
    try bench.add(FenceBench.fence("a", metresEast: 5_000))
    #expect(bench.book.geofence("a")?.status == Geofence.Status())
    bench.evaluate(.fencesChanged, metresEast: 0)
    #expect(bench.story() == ["on a off "])
  }

  @Test func removingActiveFencesTellsAndRemovingAllTellsNothingInWords() throws {
    var bench = FenceBench()
    try bench.add(FenceBench.fence("a", metresEast: 900), FenceBench.fence("b", metresEast: 900))
    bench.evaluate(.start, metresEast: 0)
    #expect(bench.story() == ["on a,b off "])
    _ = bench.book.remove("a")
    bench.evaluate(.fencesChanged, metresEast: 0)
    #expect(bench.story() == ["on  off a"])
    bench.book.removeAll(into: &bench.effects)
    #expect(bench.story() == ["on  off "])
    #expect(bench.book.count == 0 && bench.book.geofences == [])
    try bench.add(FenceBench.fence("c"))
    bench.evaluate(.fencesChanged, metresEast: 0)
    #expect(bench.story() == ["on c off ", "ENTER c"], "monitoring goes on")
  }

  /// SDK §15.1: every transition counts, and 179 follows 178.
  @Test func hitsCountEveryTransitionAndTheTimeIsThatOfTheLast() throws {
    var bench = FenceBench()
    var saved = FenceBench.fence("a") { $0.notifyOnDwell = true }
    saved.status.hits = 178
    try bench.book.restore(saved)
    bench.evaluate(.start, metresEast: 5_000)
    for (isEnter, hits) in [(true, 180), (false, 181), (false, 181), (true, 183)] {
      bench.seconds += 10
      bench.cross("a", isEnter: isEnter, metresEast: 300)
      #expect(bench.book.geofence("a")?.status.hits == hits, "an enter is a dwell, too, without loitering delay")
    }
    let seconds = Double(TestFix.start.millisecondsSince1970) / 1_000 + 40
    #expect(bench.book.geofence("a")?.status.updatedAtSeconds == seconds)
  }

  @Test func transitionsCarryTheCrossingsTimeAndTheFenceAfterwards() throws {
    var bench = FenceBench()
    try bench.add(FenceBench.fence("a"))
    bench.seconds = 77
    bench.evaluate(.start, metresEast: 0)
    guard case .transition(let transition)? = bench.effects.dropFirst().first else {
      Issue.record("\(bench.effects)")
      return
    }
    #expect(transition.moment == bench.now && transition.geofence.status.isInside && transition.recordKind == .geofence)
  }

  @Test func aDeviceWithoutFencesIsSmall() {
    #expect(MemoryLayout<GeofenceBook>.size <= 200)
  }
}
