import Base
import Contract
import JSON
import Network
import Store
import TLS

/// The health, statistics and metrics of the server.
struct HealthHandlers: Sendable {
  let registry: MetricsRegistry
  let backend: any ServerBackend
  let forwards: ForwarderSet

  /// `GET /healthz`, with the version of the server.
  func health() -> Reply {
    .answer(
      .object { writer in
        writer.member("status", "ok")
        writer.member("version", Product.version)
      })
  }

  /// `GET /openapi.json`.
  func contract() -> Reply { .answer(Response(200, "application/json", ContractFile.bytes)) }

  private static let patience = Nanoseconds.seconds(5)

  /// `GET /readyz`: 200 when a group was committed for this very request. A known outage is reported at once: a transaction that
  /// writes nothing would succeed on a full disk. So is a commit that takes long: the probe does not wait for it.
  func readiness() -> Reply {
    if let outage = backend.outage { return .answer(.notReady(outage, backend.outageDetail)) }
    if let stall = backend.stall, stall >= Self.patience { return .answer(.stalled(stall)) }
    return .store(
      .read { _ in },
      afterwards: .then { [backend] result in
        if case .unavailable(let outage) = result { return .answer(.notReady(outage, backend.outageDetail)) }
        return .answer(.json { $0.raw(Array(#"{"status":"ready"}"#.utf8)) })
      })
  }

  /// `GET /admin/v1/stats?run`: for one run or all runs `devices`, `records`, `duplicates`, `quarantined`; for the whole store
  /// `partitions`, `usedBytes` and `outage`, null when there is none; and the number of open `connections`.
  func statistics(_ exchange: Exchange) -> Reply {
    let run = exchange.optionalRun
    let outage = backend.outage
    let open = backend.network?.open ?? 0
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      let counts = try reader.counts(run: run)
      return .object { writer in
        writer.member("run", run)
        writer.members(of: counts)
        writer.member("outage", outage?.rawValue)
        writer.member("connections", open)
      }
    }
  }
}

extension HealthHandlers {
  /// `GET /metrics`: the counters of the threads, and figures that the loops and the store supply on request. When the store
  /// cannot be read, only its gauges are missing.
  func metrics() -> Reply {
    .ask { [registry, backend, forwards] reader in
      var bytes: [UInt8] = []
      registry.render(into: &bytes)
      backend.network?.registered().render(into: &bytes)
      forwards.registered().render(into: &bytes)
      do throws(StoreError) { try reader.counts().registered().render(into: &bytes) } catch {
        bytes.append(text: "# the store cannot be read: \(error.code.rawValue)\n")
      }
      return Response(200, MetricsRegistry.contentType, bytes)
    }
  }
}

extension LoopFigures {
  fileprivate func registered() -> MetricsRegistry {
    var registry = MetricsRegistry()
    registry.gauge("rollingroad_connections_open", help: "Open connections.").set(Int64(open))
    registry.counter("rollingroad_connections_accepted_total", help: "Accepted connections.").add(accepted)
    registry.counter(
      "rollingroad_connections_opened_total", help: "Connections of a proxy to its upstream."
    ).add(opened)
    for reason in CloseReason.allCases {
      registry.counter(
        "rollingroad_connections_closed_total", help: "Closed connections by reason.", labels: ["reason": "\(reason)"]
      ).add(closed(reason))
    }
    let handshakes = { (kind: String, count: UInt64) in
      registry.counter(
        "rollingroad_tls_handshakes_total", help: "TLS handshakes that were completed.", labels: ["kind": kind]
      ).add(count)
    }
    handshakes("full", self.handshakes)
    handshakes("resumed", handshakesResumed)
    for failure in HandshakeFailure.allCases {
      registry.counter(
        "rollingroad_tls_handshakes_failed_total", help: "TLS handshakes that failed by cause.",
        labels: ["cause": failure.rawValue]
      ).add(handshakesFailed(failure))
    }
    registry.counter("rollingroad_received_bytes_total", help: "Bytes read from sockets.").add(bytesIn)
    registry.counter("rollingroad_sent_bytes_total", help: "Bytes written to sockets.").add(bytesOut)
    registry.counter(
      "rollingroad_accept_pauses_total",
      help: "Times that accepting connections was paused for lack of descriptors, memory or connections."
    ).add(acceptPauses)
    return registry
  }
}

extension StoreCounts {
  fileprivate func registered() -> MetricsRegistry {
    var registry = MetricsRegistry()
    let gauge = { (name: String, help: String, value: Int64) in registry.gauge(name, help: help).set(value) }
    gauge("rollingroad_store_devices", "Known devices.", devices)
    gauge("rollingroad_store_records", "Records accepted from known devices in total.", accepted)
    gauge("rollingroad_store_duplicates", "Duplicate records.", duplicates)
    gauge("rollingroad_store_quarantined", "Quarantined records.", quarantined)
    gauge("rollingroad_store_partitions", "Daily partitions.", partitions)
    gauge("rollingroad_store_bytes", "Bytes of the main file that hold data.", usedBytes)
    return registry
  }
}

extension Response {
  fileprivate static func stalled(_ stall: Nanoseconds) -> Response {
    let seconds = stall.wholeMilliseconds / 1_000
    return .error(
      503, "not_ready", "the store has not answered for \(seconds) s: uploads wait for the disk or the database"
    ).with(HeaderName.retryAfter, "1")
  }

  fileprivate static func notReady(_ outage: StoreOutage, _ detail: String?) -> Response {
    let words = outage.reason + (detail.map { ": \($0)" } ?? "")
    return .error(503, "not_ready", "the store cannot commit: \(words)").with(HeaderName.retryAfter, "1")
  }
}

extension StoreOutage {
  var reason: String {
    switch self {
    case .full: "there is no space left"
    case .inputOutput: "the disk failed"
    case .unreachable: "the database cannot be reached or takes no writes"
    case .damaged: "the data file is damaged"
    case .stopping: "the server is stopping"
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of counts: StoreCounts) {
    member("devices", counts.devices)
    member("records", counts.accepted)
    member("duplicates", counts.duplicates)
    member("quarantined", counts.quarantined)
    member("partitions", counts.partitions)
    member("usedBytes", counts.usedBytes)
  }
}
