import Base
import JSON
import Network
import Store

/// Handles requests that wait for commits, and streams of events.
struct LiveHandlers: Sendable {
  let authentication: ServerConfiguration.Authentication
  let policy: ServerConfiguration.Policy
  let hasJournal: Bool
  let metrics: ServerMetrics
  let backend: any ServerBackend
  let maps: MapBoard
  let history = FigureHistory()

  /// `?run=` and `?device=` select events; a request within a run gets only those of that run.
  func streamEvents(_ exchange: Exchange) -> Reply {
    var seen: EventID?
    if let text = exchange.lastEventID, !text.isEmpty {
      // An invalid id is treated like one of an earlier server: events were missed.
      seen = EventID(text: text) ?? EventID(epoch: 0, number: 0)
    }
    let filter = EventFilter(run: exchange.optionalRun, device: exchange.query.text("device"))
    return .respond { [seen] in EventStream.begin(filter, after: seen, $1, in: $0, &$2) }
  }

  /// `GET /admin/v1/live?run`: `hello`, then `devices` and `figures` as they change, `deleted` and `reset` for removals, and
  /// `resync` when changes were lost.
  func streamView(_ exchange: Exchange) -> Reply {
    let run = exchange.optionalRun
    return .respond { LiveView.begin(of: run, $1, in: $0, &$2) }
  }

  /// Writes what a viewer needs first.
  func describe(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("auth", authentication.rawValue)
    writer.member("policy", policy.rawValue)
    writer.member("journal", hasJournal)
    writer.list("bounds", LiveFigures.bounds) { $0.value($1) }
    writer.endObject()
  }

  func figures() -> LiveFigures {
    var figures = metrics.figures()
    figures.at = backend.now.millisecondsSince1970
    figures.connections = max(0, Int(backend.network?.open ?? 0) - metrics.observerConnections)
    figures.waitingJobs = backend.waitingJobs
    figures.mapRevision = maps.revision
    figures.outage = backend.outage?.rawValue
    return figures
  }
}

/// Counts of the whole server since its start: the difference of two gives the rates, and the latency counts give every
/// quantile of the time between them.
struct LiveFigures {
  /// Upper bounds of the latencies, in microseconds: six per doubling from 64 µs to a minute, so that a quantile computed from
  /// them is at most 12 % off.
  static let bounds: [UInt64] = {
    let steps: [UInt64] = [1_000, 1_122, 1_260, 1_414, 1_587, 1_782]
    return (0..<20).flatMap { doubling in steps.map { ($0 << doubling) * 64 / 1_000 } }
  }()

  /// The time, by the server's clock.
  var at: Int64
  var requests: [(status: String, count: UInt64)]
  var accepted: UInt64
  var duplicate: UInt64
  var quarantined: UInt64
  var faults: UInt64
  /// The number of answers within each bound.
  var latencies: [UInt64]
  /// The number of all answers.
  var answered: UInt64
  /// Connections, without those of observers.
  var connections: Int
  var waitingJobs: Int
  var outage: String?
  /// Changes with each change of any map.
  var mapRevision: Int

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeCounts(to: &writer)
    writer.list("latencies", latencies) { $0.value($1) }
    writer.key("outage")
    if let outage { writer.value(outage) } else { writer.null() }
    writer.member("mapRevision", mapRevision)
    writer.endObject()
  }

  /// Writes everything but the answer times and the values that concern only the present.
  func writeCounts(to writer: inout JSONWriter) {
    writer.member("at", at)
    writer.key("requests")
    writer.beginObject()
    for (status, count) in requests {
      writer.key(status)
      writer.value(count)
    }
    writer.endObject()
    for (name, count) in [("accepted", accepted), ("duplicate", duplicate), ("quarantined", quarantined)] {
      writer.key(name)
      writer.value(count)
    }
    writer.member("faults", faults)
    writer.member("answered", answered)
    writer.member("connections", connections)
    writer.member("waitingJobs", waitingJobs)
  }
}
