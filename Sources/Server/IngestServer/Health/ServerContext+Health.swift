import JSON
import Network
import Store

extension ServerContext {
  func health() -> Reply { .answer(.json { $0.raw(Array(#"{"status":"ok"}"#.utf8)) }) }

  func contract() -> Reply { .answer(Response(200, "application/json", ContractFile.bytes)) }

  /// `GET /readyz`: 200 when a group was committed for this very request. A known outage is said at once: a transaction that
  /// writes nothing would succeed on a full disk.
  func readiness() -> Reply {
    if let outage = probes.outage() { return .answer(.notReady(outage)) }
    return .store(.read { _ in }, afterwards: .readiness)
  }

  func wasReady(_ result: StoreResult) -> Response {
    switch result {
    case .unavailable(let outage): .notReady(outage)
    default: .json { $0.raw(Array(#"{"status":"ready"}"#.utf8)) }
    }
  }

  /// `GET /admin/v1/stats?run`: of a run or of all, `devices`, `records`, `duplicates`, `quarantined`; of the whole store,
  /// `partitions`, `usedBytes`, and `outage`, null when there is none; and the open `connections`.
  func statistics(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let run = exchange.optionalRun
    let outage = probes.outage()
    let open = probes.network()?.open ?? 0
    return .ask { (reader: StoreReader) throws(StoreError) -> Response in
      let counts = try reader.counts(run: run)
      return .json { writer in
        writer.beginObject()
        writer.key("run")
        writer.value(run)
        writer.members(of: counts)
        writer.key("outage")
        writer.value(outage?.rawValue)
        writer.key("connections")
        writer.value(open)
        writer.endObject()
      }
    }
  }
}

extension Response {
  fileprivate static func notReady(_ outage: StoreOutage) -> Response {
    .error(503, "not_ready", "nothing can be committed: \(outage.reason)").with("Retry-After", "1")
  }
}

extension StoreOutage {
  var reason: String {
    switch self {
    case .full: "there is no space left"
    case .inputOutput: "the disk failed"
    case .damaged: "the data file is damaged"
    case .stopping: "the server is stopping"
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of counts: StoreCounts) {
    key("devices")
    value(counts.devices)
    key("records")
    value(counts.accepted)
    key("duplicates")
    value(counts.duplicates)
    key("quarantined")
    value(counts.quarantined)
    key("partitions")
    value(counts.partitions)
    key("usedBytes")
    value(counts.usedBytes)
  }
}
