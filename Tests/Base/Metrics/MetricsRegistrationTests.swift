import Base
import Testing

/// Names come from code: registering nonsense ends the process at its start, not the scrape in the night.
@Suite struct MetricsRegistrationTests {
  @Test func refusesBadNames() async {
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.counter("0_total", help: "")
    }
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.counter("a", help: "", labels: ["b-c": ""])
    }
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.counter("a", help: "", labels: ["__b": ""])
    }
  }

  @Test func refusesASeriesThatExistsInAnyOrderOfItsLabels() async {
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.counter("a", help: "", labels: ["b": "1", "c": "2"])
      _ = registry.counter("a", help: "", labels: ["c": "2", "b": "1"])
    }
  }

  @Test func refusesAnotherTypeOrHelpUnderTheSameName() async {
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.counter("a", help: "")
      _ = registry.gauge("a", help: "", labels: ["b": ""])
    }
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.counter("a", help: "one")
      _ = registry.counter("a", help: "two", labels: ["b": ""])
    }
  }

  @Test func refusesSampleNamesOfAHistogramForOtherFamilies() async {
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.counter("a_count", help: "")
      _ = registry.histogram("a", help: "", highestTrackableValue: 9, bounds: [1], divisor: 1)
    }
  }

  @Test func refusesBucketsThatDoNotAscendOrLeaveTheRange() async {
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.histogram("a", help: "", highestTrackableValue: 9, bounds: [2, 2], divisor: 1)
    }
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.histogram("a", help: "", highestTrackableValue: 9, bounds: [10], divisor: 1)
    }
  }
}
