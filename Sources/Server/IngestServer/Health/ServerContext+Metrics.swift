import Base
import Network
import Store

extension ServerContext {
  /// `GET /metrics`: what the threads count all the time, and what the loops and the store say when asked. Of a store that
  /// cannot be read the gauges are missing; the rest is what one wants to see then.
  func renderMetrics() -> Reply {
    .ask { [registry, probes] reader in
      var bytes: [UInt8] = []
      registry.render(into: &bytes)
      probes.network()?.registered().render(into: &bytes)
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
    for reason in CloseReason.allCases {
      registry.counter(
        "rollingroad_connections_closed_total", help: "Closed connections by reason.", labels: ["reason": "\(reason)"]
      ).add(closed(reason))
    }
    registry.counter("rollingroad_received_bytes_total", help: "Bytes read from sockets.").add(bytesIn)
    registry.counter("rollingroad_sent_bytes_total", help: "Bytes written to sockets.").add(bytesOut)
    registry.counter(
      "rollingroad_accept_pauses_total", help: "Pauses in accepting for want of descriptors, memory or connections."
    ).add(acceptPauses)
    return registry
  }
}

extension StoreCounts {
  fileprivate func registered() -> MetricsRegistry {
    var registry = MetricsRegistry()
    let gauge = { (name: String, help: String, value: Int64) in registry.gauge(name, help: help).set(value) }
    gauge("rollingroad_store_devices", "Devices known.", devices)
    gauge("rollingroad_store_records", "Records ever accepted from the devices that are known.", accepted)
    gauge("rollingroad_store_duplicates", "Records that came again.", duplicates)
    gauge("rollingroad_store_quarantined", "Records put aside.", quarantined)
    gauge("rollingroad_store_partitions", "Days with a partition of their own.", partitions)
    gauge("rollingroad_store_bytes", "Bytes of the main file that hold data.", usedBytes)
    return registry
  }
}
