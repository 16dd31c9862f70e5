import Testing

@testable import Reports

/// The numbers at the left of a chart.
@Suite struct ChartScaleTests {
  @Test(arguments: [
    ([0.0, 7], [0.0, 5, 10]), ([1_540], [0, 1_000, 2_000]), ([0.02], [0, 0.01, 0.02]), ([], [0, 0.5, 1]),
  ])
  func valuesBeginAtNothing(_ values: [Double], _ levels: [Double]) {
    #expect(ChartScale(.linear, of: values).levels == levels)
  }

  /// In milliseconds: 50 ms to 5 s, 50 ms to 10 min.
  @Test(arguments: [
    ([61.4, 2_600], [50.0, 200, 1_000, 5_000]), ([90.1, 406_000], [50, 1_000, 20_000, 600_000]),
    ([100, 100], [100, 200, 500]), ([], [0.1, 0.2, 0.5, 1]),
  ])
  func timesHaveRoundTimesBesideThem(_ values: [Double], _ levels: [Double]) {
    #expect(ChartScale(.logarithmic, of: values).levels == levels)
  }

  /// Its logarithm has no place: it has one below all others.
  @Test func nothingIsDrawnAtItsOwnLevel() {
    let scale = ChartScale(.logarithmic, of: [0, 61.4, 2_600])
    #expect(scale.levels == [0, 50, 200, 1_000, 5_000])
    #expect(scale.share(of: 0) == 0 && scale.share(of: 50) > 0.1 && scale.share(of: 5_000) == 1)
    #expect(ChartScale(.logarithmic, of: [61.4, 2_600]).share(of: 50) == 0)
  }

  /// One value a hundred times the others would press them to the ground.
  @Test func aSpikeIsCutOffAndNamed() {
    let values = Array(repeating: 40.0, count: 200) + [5_000]
    let scale = ChartScale(.linear, of: values)
    #expect(scale.cut == 5_000 && scale.levels.last == 100 && scale.share(of: 5_000) == 1)
    #expect((scale.share(of: 40) - 0.4).magnitude < 1e-9)
    #expect(
      ChartScale(.linear, of: values + Array(repeating: 5_000, count: 5)).cut == nil, "what comes often is no spike")
    #expect(ChartScale(.linear, of: [40, 300]).cut == nil)
  }

  @Test func heightsGrowWithTheValueBetweenTheEnds() {
    let scale = ChartScale(.logarithmic, of: [1, 100])
    #expect(scale.share(of: 0) == 0 && scale.share(of: 1) == 0 && scale.share(of: 1_000) == 1)
    #expect((scale.share(of: 10) - 0.5).magnitude < 1e-9)
  }
}
