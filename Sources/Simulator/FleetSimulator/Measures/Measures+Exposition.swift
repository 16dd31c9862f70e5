import Base
import Scenario
import World

extension Measures {
  /// What is known so far, in the text format of Prometheus: a counter is a counter, of a rate both its halves are, a gauge
  /// is a gauge and a trend is a summary, in seconds where it is a time. Each fleet has series of its own.
  package var exposition: [UInt8] {
    var page = ExpositionPage()
    let progress = progress
    page.gauge("run_share", "Share of the run that is over.", progress.share)
    page.gauge("run_seconds", "Time of the run, as its devices count it.", now.seconds)
    page.gauge("waiting_records", "Records that wait in devices.", Double(progress.backlog))
    for measure in Measure.allCases where measure.absence(in: setup) == nil && !measure.isKnownAtTheEnd {
      page.begin(measure)
      if measure.isOfTheWhole {
        page.show(figure(of: measure, setup.fleets.map { _ in true }), of: measure, [])
        continue
      }
      for (index, fleet) in setup.fleets.enumerated() {
        let figure = figure(of: measure, setup.fleets.indices.map { $0 == index })
        page.show(figure, of: measure, [(name: "fleet", value: fleet.name)])
      }
    }
    return page.bytes
  }
}

extension Measure {
  private var isTime: Bool { metric.text.hasPrefix("milliseconds") }

  /// In base units, as Prometheus wants them.
  fileprivate var unitsInMetric: Double { isTime ? 1_000 : 1 }

  fileprivate var help: String {
    isTime ? "seconds" + metric.text.dropFirst("milliseconds".count) : metric.text
  }

  fileprivate var exposed: String {
    let name = ExpositionPage.prefix + metric.name
    return switch metric.kind {
    case .counter: name + "_total"
    case .rate, .gauge: name
    case .trend: name + (isTime ? "_seconds" : "")
    }
  }
}

extension ExpositionPage {
  fileprivate static let prefix = "rollingroad_fleet_"

  fileprivate mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    begin(ExpositionPage.prefix + name, .gauge, help: help)
    sample(ExpositionPage.prefix + name, [], "\(value)")
  }

  fileprivate mutating func begin(_ measure: Measure) {
    let name = measure.exposed
    switch measure.metric.kind {
    case .counter: begin(name, .counter, help: measure.help)
    case .gauge: begin(name, .gauge, help: measure.help)
    case .trend: begin(name, .summary, help: measure.help)
    case .rate: begin(name + "_total", .counter, help: "\(measure.help) (is=\"true\"), and the others")
    }
  }

  fileprivate mutating func show(
    _ figure: Figure, of measure: Measure, _ labels: [(name: String, value: String)]
  ) {
    let name = measure.exposed
    switch figure {
    case .counter(let count): sample(name, labels, "\(count)")
    case .rate(let hits, let total):
      sample(name + "_total", labels + [(name: "is", value: "true")], "\(hits)")
      sample(name + "_total", labels + [(name: "is", value: "false")], "\(total - hits)")
    case .gauge(let series): if let last = series.last { sample(name, labels, "\(last)") }
    case .trend(let spread):
      for share in [50.0, 90, 95, 99] {
        guard let value = spread.percentile(share) else { continue }
        sample(name, labels + [(name: "quantile", value: "\(share / 100)")], "\(value / measure.unitsInMetric)")
      }
      let units = spread.resolution * measure.unitsInMetric
      sample(name + "_sum", labels, "\(Double(spread.histogram.sum) / units)")
      sample(name + "_count", labels, "\(spread.histogram.count)")
    }
  }
}
