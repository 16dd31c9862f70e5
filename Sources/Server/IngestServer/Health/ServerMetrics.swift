package import Base
import Store

/// The HTTP metrics of `/metrics`.
package final class ServerMetrics: Sendable {
  enum StatusClass: String, CaseIterable, Sendable {
    case informational = "1xx"
    case success = "2xx"
    case redirection = "3xx"
    case clientError = "4xx"
    case serverError = "5xx"

    init(_ status: Int) {
      switch status {
      case ..<200: self = .informational
      case ..<300: self = .success
      case ..<400: self = .redirection
      case ..<500: self = .clientError
      default: self = .serverError
      }
    }
  }

  /// Indexed by the place of the operation, then by status class.
  private let requests: [[Counter]]
  /// The counters of requests that match no operation.
  private let others: [Counter]
  private let refusals: LabelledMetrics<StatusClass, Counter>
  private let requestTime: SharedHistogram
  /// The request times in the finer buckets of the page.
  private let latencies = SharedHistogram(bounds: LiveFigures.bounds)
  private let accepted: Counter
  private let duplicate: Counter
  private let quarantined: Counter
  private let evicted: Counter
  private let batchSize: SharedHistogram
  private let recordedToReceived: SharedHistogram
  private let observers: Gauge
  private let faults: LabelledMetrics<ServerFault.Kind, Counter>

  package init(registry: inout MetricsRegistry) {
    let counters = { (operation: String, registry: inout MetricsRegistry) in
      StatusClass.allCases.map { status in
        registry.counter(
          "rollingroad_requests_total", help: "Requests, by the class of their answers; 4xx where none was sent.",
          labels: ["operation": operation, "status": status.rawValue])
      }
    }
    requests = Self.operations.map { counters($0.name, &registry) }
    others = counters("none", &registry)
    refusals = registry.counters(
      "rollingroad_refused_messages_total", help: "Messages that are not valid HTTP requests (RFC 9112) or too large.",
      label: "status")
    requestTime = registry.histogram(
      "rollingroad_request_seconds", help: "Time from the end of the request head to the answer, for device requests.",
      bounds: [500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000],
      divisor: 1_000_000)
    let fate = { (name: String, registry: inout MetricsRegistry) in
      registry.counter(
        "rollingroad_records_total", help: "Records of uploads by what their answers said of them, faults included.",
        labels: ["fate": name])
    }
    accepted = fate("accepted", &registry)
    duplicate = fate("duplicate", &registry)
    quarantined = fate("quarantined", &registry)
    evicted = registry.counter(
      "rollingroad_quarantine_crowded_out_total",
      help: "Quarantined records that were deleted because their device had no more room for them.")
    batchSize = registry.histogram(
      "rollingroad_batch_records", help: "Records in an upload.",
      bounds: [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 10_000], divisor: 1)
    recordedToReceived = registry.histogram(
      "rollingroad_recorded_to_received_seconds", help: "Age of the oldest record of an upload when it arrives.",
      bounds: [1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400, 604_800], divisor: 1)
    observers = registry.gauge(
      "rollingroad_connections_observing", help: "Open connections whose last request was not a device's.")
    faults = registry.counters(
      "rollingroad_faults_total", help: "Requests and TLS handshakes affected by an injected fault.", label: "kind")
  }

  /// The operations that are counted; several rows of the table can be one operation.
  private static let operations: [Route] = Route.table.enumerated().filter { number, route in
    !Route.table[..<number].contains { $0.name == route.name }
  }.map(\.element)

  private static let placesOfDevices = operations.indices.filter { operations[$0].deviceOperation != nil }

  /// Indexed by route number.
  private static let places: [Int] = Route.table.map { route in
    guard let place = operations.firstIndex(where: { $0.name == route.name }) else {
      preconditionFailure("each route is an operation")
    }
    return place
  }

  func faulted(_ kind: ServerFault.Kind) { faults[kind].add() }

  func answered(_ exchange: Exchange, status: Int, after elapsed: Nanoseconds) {
    let counters = exchange.isServed ? requests[Self.places[exchange.routeNumber]] : others
    counters[min(max(1, status / 100), StatusClass.allCases.count) - 1].add()
    // Administrative requests wait and stream on purpose: their times would say nothing about devices.
    guard exchange.route.deviceOperation != nil else { return }
    let microseconds = UInt64(max(0, elapsed.count / 1_000))
    requestTime.record(microseconds)
    latencies.record(microseconds)
  }

  /// Counts a connection that becomes an observer (1) or ceases to be one (-1).
  func observing(_ change: Int64) { observers.add(change) }

  var observerConnections: Int { Int(observers.value) }

  func refused(status: Int) { refusals[StatusClass(status)].add() }

  func stored(_ receipt: IngestReceipt) {
    accepted.add(UInt64(receipt.accepted))
    duplicate.add(UInt64(receipt.duplicate))
    quarantined.add(UInt64(receipt.quarantined))
  }

  func evictedFromQuarantine(_ count: Int) { evicted.add(UInt64(count)) }

  func arrived(records: Int, oldest: WallInstant?, at now: WallInstant) {
    batchSize.record(UInt64(records))
    if let oldest { recordedToReceived.record(UInt64(max(0, now.milliseconds(since: oldest) / 1_000))) }
  }
}

extension ServerMetrics {
  /// Returns the current figures of device requests; figures of other threads are added later.
  func figures() -> LiveFigures {
    let counts = StatusClass.allCases.enumerated().map { index, status in
      (status.rawValue, Self.placesOfDevices.reduce(0) { $0 + requests[$1][index].value })
    }
    let latencies = latencies.totals
    return LiveFigures(
      at: 0, requests: counts, accepted: accepted.value, duplicate: duplicate.value, quarantined: quarantined.value,
      faults: ServerFault.Kind.allCases.reduce(0) { $0 + faults[$1].value }, latencies: latencies.buckets,
      answered: latencies.count,
      connections: 0, waitingJobs: 0, outage: nil, mapRevision: 0)
  }
}
