import Base
import Testing

@testable import Scenario

@Suite struct ThresholdTests {
  private func threshold(_ metric: String, _ text: String) throws -> ThresholdExpression {
    let metric = try #require(Metric.named(metric))
    return try #require(ThresholdExpression(text, of: metric))
  }

  @Test func theGrammarOfK6IsRead() throws {
    let latency = try threshold("http_req_duration", "p(99.9) <= 3000")
    #expect(latency.aggregation == .percentile(99.9) && latency.comparison == .lessOrEqual && latency.limit == 3_000)
    #expect(try threshold("checks", "rate>0.97").aggregation == .rate)
    #expect(try threshold("records_lost", "count===0").comparison == .equal)
    #expect(try threshold("upload_duration", "med!=1").aggregation == .median)
    #expect(try threshold("devices_active", "value>=1").aggregation == .value)
  }

  @Test(arguments: [
    ("upload_duration", "p(101)<1"), ("upload_duration", "p()<1"), ("upload_duration", "p95<1"),
    ("upload_duration", "rate<1"),
    ("checks", "count>1"), ("checks", "rate"), ("checks", "rate>"), ("checks", "rate>x"), ("checks", "rate=>1"),
    ("records_lost", "count==0x1"), ("records_lost", "count==nan"), ("records_lost", "count==0 or so"),
    ("records_lost", ""),
  ])
  func otherTextsAreNoThresholds(metric: String, text: String) throws {
    #expect(ThresholdExpression(text, of: try #require(Metric.named(metric))) == nil)
  }

  @Test(arguments: [
    ("latency", "no metric 'latency'"), ("upload_duration{", "malformed"), ("upload_duration{fleet}", "is not a tag"),
    ("upload_duration{fleet:vans}", "no fleet 'vans'"), ("upload_duration{flet:cars}", "did you mean 'fleet'?"),
    ("upload_duration{network:moon}", "no network 'moon'"), ("checks{check:x}", "no check 'x'"),
    ("uploads{fault:x}", "no fault 'x'"), ("uploads{phase:settel}", "did you mean 'settle'?"),
    ("uploads{status:abc}", "'abc' is not a status"), ("uploads{batch:yes}", "no batch 'yes'"),
    ("uploads{trigger:whim}", "no trigger 'whim'"),
  ])
  func selectionsOfNothingAreMistakes(selector: String, words: String) {
    let found = problems(in: scenario("thresholds: { '\(selector)': ['count>0'] }"))
    #expect(found.count == 1 && found[0].contains(words), "\(found)")
  }

  @Test func valuesOfTagsAreThoseOfFleets() {
    func found(_ selector: String, tier: String = "gold") -> [String] {
      problems(
        in: scenario("thresholds: { '\(selector)': ['count==0'] }", fleet: "devices: 1, tags: { tier: '\(tier)' }"))
    }
    #expect(found("uploads{tier:gold}").isEmpty && found("uploads{tier:x}", tier: "${device.fleet}").isEmpty)
    #expect(found("uploads{tier:glod}").first?.contains("no tier 'glod'; did you mean 'gold'?") == true)
    let twice = found("uploads{phase:settle,phase:drive}")
    #expect(twice.count == 1 && twice[0].contains("the tag 'phase' is given twice"), "\(twice)")
  }

  /// As summaries have it, which name no scenario.
  @Test func aSelectorIsReadAgain() throws {
    let selector = try #require(MetricSelector(text: "http_req_duration{ fleet : cars,status:503}"))
    #expect(selector.metric.name == "upload_duration" && selector.tags.map(\.name) == ["fleet", "status"])
    #expect(selector.tags.map(\.value) == ["cars", "503"] && MetricSelector(text: "checks")?.tags.isEmpty == true)
    for text in ["latency", "checks{", "checks{}", "checks{fleet}", "checks{fleet:}", ""] {
      #expect(MetricSelector(text: text) == nil, "\(text)")
    }
  }

  @Test func conditionsHold() throws {
    let list = try #require(Condition("response.status in [200,201 , 204]"))
    #expect(list.holds(201) && !list.holds(202))
    #expect(try #require(Condition("response.status not in [400]")).holds(200))
    let refused = try #require(Condition("response.status not in [400, 404]"))
    #expect([200, 302, 400, 404, 409, 422].allSatisfy(refused.isTested))
    #expect(![401, 403, 407, 408, 429, 500, 503].contains(where: refused.isTested))
    #expect(try #require(Condition("response.status != 503")).isTested(by: 500))
    let small = try #require(Condition("response.bytes<9"))
    #expect([401, 500].allSatisfy(list.isTested) && [401, 500].allSatisfy(small.isTested))
    #expect(try #require(Condition("request.bytes>65536")).holds(65_537))
    for text in [
      "", "response.status", "response.status in []", "response.status is 5", "status > 1", "request.bytes > 1 > 2",
    ] {
      #expect(Condition(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    (Distribution.uniform(min: 1, max: 3), 2.0), (.normal(mean: 10, deviation: 1), 10), (.exponential(mean: 5), 5),
    (.lognormal(median: 4, p95: 8), 4.3716), (.pareto(min: 2, alpha: 3), 3), (.constant(7), 7),
  ])
  func drawsHaveTheMeanThatIsPromised(distribution: Distribution, mean: Double) {
    #expect((distribution.mean - mean).magnitude < 0.001)
    var stream = RandomStream(seed: 5, device: 1, concern: 1)
    let draws = (0..<40_000).map { _ in distribution.draw(from: &stream) }
    #expect((draws.reduce(0, +) / 40_000 / mean - 1).magnitude < 0.03, "seed 5")
  }

  @Test func oneInTwentyIsBeyondTheP95() {
    var stream = RandomStream(seed: 6, device: 1, concern: 1)
    let beyond = (0..<40_000).count { _ in Distribution.lognormal(median: 4, p95: 20).draw(from: &stream) > 20 }
    #expect((1_800...2_200).contains(beyond), "seed 6: \(beyond)")
  }
}
