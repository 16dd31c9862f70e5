import Base
import Oracle
package import Scenario
import World

/// The current value of one metric, of one fleet or of the whole run, for receivers of metrics: in base units.
package struct MetricReading {
  /// The name of the metric: `upload_duration`.
  package let name: String
  package let help: String
  package let kind: MetricKind
  /// Whether its values are seconds; those of the figure are milliseconds.
  package let isTime: Bool
  /// Nil: the run as a whole.
  package let fleet: String?
  package let figure: Figure

  /// Units of the figure per base unit.
  package var unitsInBase: Double { isTime ? 1_000 : 1 }

  /// The name in the form that Prometheus requires.
  package var exposedName: String {
    let name = ExpositionPage.prefix + name
    return switch kind {
    case .counter, .rate: name + "_total"
    case .gauge: name
    case .trend: name + (isTime ? "_seconds" : "")
    }
  }
}

extension Measures {
  /// Returns all readings that are known; with a report, also those that only the end of the run shows. The series of several
  /// fleets of a metric are adjacent.
  package func readings(concludedBy report: RunReport? = nil) -> [MetricReading] {
    guard let report else { return readings { !$0.isKnownAtTheEnd } }
    // A zero would be wrong.
    let unknown =
      (setup.outside == nil ? [] : Measure.ofArrivals)
      + (report.verification.outcome == .verified ? [] : Measure.ofStorage)
    return concluded(by: report) { readings { !unknown.contains($0) } }
  }

  private func readings(of isKnown: (Measure) -> Bool) -> [MetricReading] {
    var readings: [MetricReading] = []
    for measure in Measure.allCases where measure.isMeasured(in: setup) && isKnown(measure) {
      if measure.isOfTheWhole {
        readings.append(measure.reading(nil, figure(of: measure, setup.fleets.map { _ in true })))
        continue
      }
      for (index, fleet) in setup.fleets.enumerated() {
        let figure = figure(of: measure, setup.fleets.indices.map { $0 == index })
        readings.append(measure.reading(fleet.name, figure))
      }
    }
    return readings
  }
}

extension Measure {
  fileprivate func reading(_ fleet: String?, _ figure: Figure) -> MetricReading {
    let isTime = metric.text.hasPrefix("milliseconds")
    return MetricReading(
      name: metric.name, help: isTime ? "seconds" + metric.text.dropFirst("milliseconds".count) : metric.text,
      kind: metric.kind, isTime: isTime, fleet: fleet, figure: figure)
  }
}

/// A sample of a reading, for receivers that only have numbers: one for a counter, two for a rate, quantiles, sum and
/// count for a trend.
package struct MetricSample {
  package let name: String
  package var labels: [(name: String, value: String)]
  package let value: Value

  /// Exact for whole numbers.
  package enum Value {
    case whole(Int)
    case real(Double)

    package var number: Double {
      switch self {
      case .whole(let number): Double(number)
      case .real(let number): number
      }
    }

    var text: String {
      switch self {
      case .whole(let number): "\(number)"
      case .real(let number): "\(number)"
      }
    }
  }
}

extension MetricReading {
  private static let quantiles = [50.0, 90, 95, 99]

  package var samples: [MetricSample] {
    let fleet = fleet.map { [(name: "fleet", value: $0)] } ?? []
    func sample(_ ending: String = "", _ labels: [(name: String, value: String)] = [], _ value: MetricSample.Value)
      -> MetricSample
    { MetricSample(name: exposedName + ending, labels: fleet + labels, value: value) }
    switch figure {
    case .counter(let count): return [sample("", [], .whole(count))]
    case .rate(let hits, let total):
      return [
        sample("", [(name: "is", value: "true")], .whole(hits)),
        sample("", [(name: "is", value: "false")], .whole(total - hits)),
      ]
    case .gauge(let series): return series.last.map { [sample("", [], .real($0))] } ?? []
    case .trend(let spread):
      let quantiles = MetricReading.quantiles.compactMap { share in
        spread.percentile(share).map {
          sample("", [(name: "quantile", value: "\(share / 100)")], .real($0 / unitsInBase))
        }
      }
      let sum = Double(spread.histogram.sum) / (spread.resolution * unitsInBase)
      return quantiles + [
        sample("_sum", [], .real(sum)), sample("_count", [], .whole(Int(spread.histogram.count))),
      ]
    }
  }
}

extension Measures {
  /// The current readings in the text format of Prometheus.
  package var exposition: [UInt8] {
    var page = ExpositionPage()
    let progress = progress
    page.gauge("run_share", "Completed share of the run.", progress.share)
    page.gauge("run_seconds", "Simulated time since the start of the run.", now.seconds)
    page.gauge("waiting_records", "Records queued in devices.", Double(progress.backlog))
    var begun = ""
    for reading in readings() {
      if reading.name != begun { page.begin(reading) }
      begun = reading.name
      for sample in reading.samples { page.sample(sample.name, sample.labels, sample.value.text) }
    }
    return page.bytes
  }
}

extension ExpositionPage {
  fileprivate static let prefix = "rollingroad_fleet_"

  fileprivate mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    begin(ExpositionPage.prefix + name, .gauge, help: help)
    sample(ExpositionPage.prefix + name, [], "\(value)")
  }

  fileprivate mutating func begin(_ reading: MetricReading) {
    switch reading.kind {
    case .counter: begin(reading.exposedName, .counter, help: reading.help)
    case .gauge: begin(reading.exposedName, .gauge, help: reading.help)
    case .trend: begin(reading.exposedName, .summary, help: reading.help)
    case .rate: begin(reading.exposedName, .counter, help: "\(reading.help) (is=\"true\"), and the others")
    }
  }
}
