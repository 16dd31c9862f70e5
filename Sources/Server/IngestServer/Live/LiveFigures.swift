import Base
import JSON
import Network
import Store

/// What the whole server did, counted since its start: whoever looks twice knows the rates, and from the counts of the
/// latencies every quantile of the time in between.
struct LiveFigures {
  /// Upper bounds of the latencies, in microseconds: six for each doubling from 64 µs to a minute, so that a quantile read
  /// from them is at most 12 % off.
  static let bounds: [UInt64] = {
    let steps: [UInt64] = [1_000, 1_122, 1_260, 1_414, 1_587, 1_782]
    return (0..<20).flatMap { doubling in steps.map { ($0 << doubling) * 64 / 1_000 } }
  }()

  /// When, by the clock of the server.
  var at: Int64
  var requests: [(status: String, count: UInt64)]
  var accepted: UInt64
  var duplicate: UInt64
  var quarantined: UInt64
  var faults: UInt64
  /// Answers within each of the bounds.
  var latencies: [UInt64]
  /// All of them.
  var answered: UInt64
  var connections: Int
  var waitingJobs: Int
  var outage: String?
  /// Another number after each change of any map.
  var mapRevision: Int

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("at")
    writer.value(at)
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
    writer.key("faults")
    writer.value(faults)
    writer.key("answered")
    writer.value(answered)
    writer.key("latencies")
    writer.beginArray()
    for count in latencies { writer.value(count) }
    writer.endArray()
    writer.member("connections", connections)
    writer.member("waitingJobs", waitingJobs)
    writer.key("outage")
    if let outage { writer.value(outage) } else { writer.null() }
    writer.member("mapRevision", mapRevision)
    writer.endObject()
  }
}

extension ServerContext {
  func figures() -> LiveFigures {
    var figures = metrics.figures()
    figures.at = wallNow().millisecondsSince1970
    figures.connections = Int(probes.network()?.open ?? 0)
    figures.waitingJobs = probes.waitingJobs()
    figures.mapRevision = maps.revision
    figures.outage = probes.outage()?.rawValue
    return figures
  }
}
