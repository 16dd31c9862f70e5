import Testing

@testable import Scenario

@Suite struct MeasureTests {
  @Test(arguments: [
    ("90s", 90), ("2h15m", 8_100), ("1d", 86_400), ("250ms", 0.25), ("1m30s500ms", 90.5), ("1.5h", 5_400), ("0", 0),
    ("0s", 0),
  ])
  func durationsAreSums(text: String, seconds: Double) {
    #expect(Measure.duration.read(text) == seconds)
  }

  @Test(arguments: [
    "", "s", "90", "-5s", "+5s", "5 s", "5S", "5sec", "15m2h", "1m1m", ".5s", "5.s", "1..5s", "1e3s", "s5", "1h ",
  ])
  func otherTextsAreNoDurations(text: String) {
    #expect(Measure.duration.read(text) == nil)
  }

  @Test func everyMeasureHasItsUnits() throws {
    #expect(Measure.offset.read("-90s") == -90 && Measure.offset.read("+1m") == 60)
    #expect(Measure.rate.read("30mbit") == 30e6 && Measure.rate.read("384kbit") == 384e3)
    #expect(Measure.size.read("64KiB") == 65_536 && Measure.size.read("1MB") == 1e6)
    #expect(Measure.length.read("6km") == 6_000 && Measure.length.read("-1m") == nil)
    let speed = try #require(Measure.speed.read("50km/h"))
    #expect((speed - 50 / 3.6).magnitude < 1e-12)
    #expect(Measure.length.read("1km2m") == nil)
  }

  @Test(arguments: [90.0, 0.25, 8_100, 86_400, 5_400.5, 4_500, 1, 100_000, 0])
  func whatIsShownReadsBack(seconds: Double) {
    let text = Measure.duration.text(seconds)
    #expect(Measure.duration.read(text) == seconds, "\(text)")
  }

  @Test func durationsAreShownInTheirLargestUnits() {
    #expect(Measure.duration.text(4_500) == "1h15m" && Measure.duration.text(600) == "10m")
    #expect(Measure.speed.text(1.35) == "1.35m/s" && Measure.rate.text(30e6) == "30mbit")
  }

  @Test func theExampleOfEveryMeasureIsOne() {
    for measure in [Measure.duration, .offset, .length, .speed, .rate, .size] {
      #expect(measure.read(measure.example) != nil, "\(measure.name)")
    }
  }
}
