import Base
import Support
import Testing

@Suite struct MetricsRegistryTests {
  private enum Outcome: String, CaseIterable { case accepted, duplicate, quarantined }

  private func page(_ registry: MetricsRegistry) throws -> ExpositionPage {
    var bytes: [UInt8] = []
    registry.render(into: &bytes)
    return try ExpositionPage(bytes)
  }

  @Test func showsCountersAndGaugesWithTheirNamesAndHelp() throws {
    var registry = MetricsRegistry()
    let requests = registry.counter("requests_total", help: "Requests answered.")
    let connections = registry.gauge("connections", help: "Open connections.")
    requests.add()
    requests.add(41)
    connections.set(7)
    connections.add(-9)
    let page = try page(registry)
    #expect(page.families.map(\.name) == ["requests_total", "connections"])
    #expect(page.families.map(\.type) == ["counter", "gauge"])
    #expect(page.families.map(\.help) == ["Requests answered.", "Open connections."])
    #expect(page.value("requests_total") == 42)
    #expect(page.value("connections") == -2)
  }

  @Test func hasOneSeriesForEachCaseAlsoBeforeItHappened() throws {
    var registry = MetricsRegistry()
    let records = registry.counters("records_total", help: "Records by fate.", label: "fate", of: Outcome.self)
    let queued = registry.gauges("queued", help: "Waiting.", label: "fate", of: Outcome.self)
    records[.duplicate].add(3)
    queued[.accepted].set(5)
    let page = try page(registry)
    #expect(page.families.first?.samples.map { $0.labels["fate"] } == ["accepted", "duplicate", "quarantined"])
    #expect(page.value("records_total", ["fate": "duplicate"]) == 3)
    #expect(page.value("records_total", ["fate": "quarantined"]) == 0)
    #expect(page.value("queued", ["fate": "accepted"]) == 5)
  }

  @Test func keepsSeriesOfAFamilyTogetherThoughRegisteredApart() throws {
    var registry = MetricsRegistry()
    let first = registry.counter("bytes_total", help: "Bytes.", labels: ["direction": "in", "loop": "0"])
    _ = registry.gauge("other", help: "")
    let second = registry.counter("bytes_total", help: "Bytes.", labels: ["direction": "out", "loop": "0"])
    first.add(1)
    second.add(2)
    let page = try page(registry)
    #expect(page.families.map(\.name) == ["bytes_total", "other"])
    #expect(page.value("bytes_total", ["direction": "out", "loop": "0"]) == 2)
  }

  @Test func showsAHistogramInBaseUnits() throws {
    var registry = MetricsRegistry()
    let commits = registry.histogram(
      "commit_seconds", help: "Time of a commit.", labels: ["disk": "a"],
      bounds: [300, 1_000, 50_000], divisor: 1_000_000)
    for microseconds: UInt64 in [100, 300, 301, 400, 40_000, 2_000_000] { commits.record(microseconds) }
    let page = try page(registry)
    let buckets = page.families.first?.samples.filter { $0.name == "commit_seconds_bucket" } ?? []
    #expect(buckets.map { $0.labels["le"] } == ["0.0003", "0.001", "0.05", "+Inf"])
    #expect(buckets.map(\.value) == [2, 4, 5, 6])
    #expect(page.value("commit_seconds_count", ["disk": "a"]) == 6)
    #expect(page.value("commit_seconds_sum", ["disk": "a"]) == 2.041101)
  }

  @Test func countsWhatDoesNotExceedEachBound() {
    let values: [UInt64] = [0, 1, 5, 5, 2_047, 2_048, 2_049, 100_000, .max, .max]
    for bounds: [UInt64] in [[], [0], [.max], [0, 1, 4, 5, 2_046, 2_047, 2_048, 99_000, 1_000_000]] {
      let histogram = SharedHistogram(bounds: bounds)
      for value in values { histogram.record(value) }
      let totals = histogram.totals
      #expect(totals.buckets == bounds.map { bound in UInt64(values.count { $0 <= bound }) })
      #expect(totals.count == 10)
      #expect(totals.sum == Double(values.reduce(UInt128(0)) { $0 + UInt128($1) }))
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func everyHelpAndLabelValueComesBack(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pieces = ["\\", "\"", "\n", "\r", "n", "\\n", "{", "}", ",", "=", " ", "é", "\u{2028}", "\u{0}", "#"]
    func text() -> String { (0..<generator.index(below: 9)).map { _ in pieces[generator.index(below: 15)] }.joined() }
    let (help, value) = (text(), text())
    var registry = MetricsRegistry()
    registry.counter("a", help: help, labels: ["label": value]).add(5)
    _ = registry.counter("b", help: "after")
    let page = try page(registry)
    #expect(page.families.map(\.help) == [help, "after"], "seed \(seed)")
    #expect(page.value("a", ["label": value]) == 5, "seed \(seed)")
  }

  @Test func losesNoAdditionOfSeveralThreads() async throws {
    var registry = MetricsRegistry()
    let counter = registry.counter("a_total", help: "")
    let gauge = registry.gauge("b", help: "")
    let histogram = registry.histogram("c", help: "", bounds: [10], divisor: 1)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for step in 0..<10_000 as Range<UInt64> {
            counter.add()
            gauge.add(step % 2 == 0 ? 3 : -2)
            histogram.record(step % 20)
          }
        }
      }
    }
    let page = try page(registry)
    #expect(page.value("a_total") == 40_000)
    #expect(page.value("b") == 20_000)
    #expect(page.value("c_count") == 40_000)
    #expect(page.value("c_bucket", ["le": "10.0"]) == 22_000)
  }

  @Test func rendersTheSameBytesEachTime() {
    var registry = MetricsRegistry()
    for index in 0..<20 { _ = registry.counter("a_total", help: "", labels: ["z": "\(index)", "a": "x", "m": "y"]) }
    var bytes: [UInt8] = []
    registry.render(into: &bytes)
    var again = Array("before".utf8)
    registry.render(into: &again)
    #expect(again == Array("before".utf8) + bytes)
    #expect(bytes.starts(with: "# HELP a_total \n# TYPE a_total counter\na_total{z=\"0\",a=\"x\",m=\"y\"} 0\n".utf8))
  }
}

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
      _ = registry.histogram("a", help: "", bounds: [1], divisor: 1)
    }
  }

  @Test func refusesBucketsThatDoNotAscend() async {
    await #expect(processExitsWith: .failure) {
      var registry = MetricsRegistry()
      _ = registry.histogram("a", help: "", bounds: [2, 2], divisor: 1)
    }
  }
}
