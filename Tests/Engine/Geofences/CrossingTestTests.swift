import Base
import Contract
import Testing

@testable import Engine

@Suite struct CrossingTestTests {
  private static let circle = Circle(center: TestFix.place(metresEast: 0), radiusMetres: 200)

  /// SDK §15.3: inside up to the radius, outside beyond it and the accuracy, of which 20 metres count.
  @Test(
    arguments: [
      (199.0, 5.0, true, nil), (199, 5, false, .enter), (204, 5, true, nil), (206, 5, true, .exit),
      (204, 5, false, nil),
      (219, 90, true, nil), (221, 90, true, .exit), (201, 0, true, .exit), (201, -1, true, .exit),
    ] as [(Double, Double, Bool, GeofenceTrigger.Action?)])
  func theRimIsAsWideAsTheAccuracy(metres: Double, accuracy: Double, before: Bool, crossing: GeofenceTrigger.Action?) {
    var test = CrossingTest(isInside: before)
    let found = test.test(TestFix.place(metresEast: metres), accuracyMetres: accuracy, against: Self.circle)
    #expect(found == crossing)
    #expect(test.isInside == (crossing.map { $0 == .enter } ?? before))
  }

  @Test func theFirstTestOnlyFindsOutWhereTheDeviceIs() {
    for (metres, isInside) in [(100.0, true), (210, false), (300, false)] {
      var test = CrossingTest()
      #expect(test.test(TestFix.place(metresEast: metres), accuracyMetres: 20, against: Self.circle) == nil)
      #expect(test.isInside == isInside)
    }
  }

  @Test func ticksAreFiveSecondsAndReportsUpToTenSecondsLate() {
    #expect(CrossingTest.tick == .seconds(5))
    #expect(CrossingTest.delay(0) == .zero && CrossingTest.delay(0.5) == .seconds(5))
    #expect(CrossingTest.delay(1.0.nextDown) <= .seconds(10))
  }
}
