import Testing

@testable import Scenario

@Suite struct MeasureTests {
  @Test(arguments: [
    ("90s", 90), ("2h15m", 8_100), ("1d", 86_400), ("250ms", 0.25), ("1m30s500ms", 90.5), ("1.5h", 5_400), ("0", 0),
    ("0s", 0),
  ])
  func durationsAreSums(text: String, seconds: Double) {
    #expect(QuantityKind.duration.read(text) == seconds)
  }

  @Test(arguments: [
    "", "s", "90", "-5s", "+5s", "5 s", "5S", "5sec", "15m2h", "1m1m", ".5s", "5.s", "1..5s", "1e3s", "s5", "1h ",
  ])
  func otherTextsAreNoDurations(text: String) {
    #expect(QuantityKind.duration.read(text) == nil)
  }

  @Test func everyMeasureHasItsUnits() throws {
    #expect(QuantityKind.offset.read("-90s") == -90 && QuantityKind.offset.read("+1m") == 60)
    #expect(QuantityKind.rate.read("30mbit") == 30e6 && QuantityKind.rate.read("384kbit") == 384e3)
    #expect(QuantityKind.size.read("64KiB") == 65_536 && QuantityKind.size.read("1MB") == 1e6)
    #expect(QuantityKind.length.read("6km") == 6_000 && QuantityKind.length.read("-1m") == nil)
    let speed = try #require(QuantityKind.speed.read("50km/h"))
    #expect((speed - 50 / 3.6).magnitude < 1e-12)
    #expect(QuantityKind.length.read("1km2m") == nil)
  }

  @Test(arguments: [90.0, 0.25, 8_100, 86_400, 5_400.5, 4_500, 1, 100_000, 0])
  func whatIsShownReadsBack(seconds: Double) {
    let text = QuantityKind.duration.text(seconds)
    #expect(QuantityKind.duration.read(text) == seconds, "\(text)")
  }

  @Test func durationsAreShownInTheirLargestUnits() {
    #expect(QuantityKind.duration.text(4_500) == "1h15m" && QuantityKind.duration.text(600) == "10m")
    #expect(QuantityKind.speed.text(1.35) == "1.35m/s" && QuantityKind.rate.text(30e6) == "30mbit")
  }

  @Test func theExampleOfEveryMeasureIsOne() {
    for measure in [QuantityKind.duration, .offset, .length, .speed, .rate, .size] {
      #expect(measure.read(measure.example) != nil, "\(measure.name)")
    }
  }
}
