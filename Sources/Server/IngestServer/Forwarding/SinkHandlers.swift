import Base
import JSON
import Store

/// Lists the sinks and the progress of each.
struct SinkHandlers: Sendable {
  let forwarders: ForwarderSet

  /// The number of refusals listed per sink.
  private static let refusalsShown = 20

  /// `GET /admin/v1/sinks`: for each sink whether this server `leads` it, and the `leader` when servers share it; `lag` and
  /// `lagSeconds`; `sent`, `retried`, `refused` and `lost` since the start; `trouble`, null while it accepts records; and the
  /// latest `refusals`.
  func list(_ exchange: Exchange) -> Reply {
    let (figures, held) = (forwarders.figures, forwarders.heldPartitions)
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      let leaders = figures.isEmpty ? [:] : try reader.leaders(ofSinks: figures.map(\.name))
      var sinks: [(ForwardFigures, [SinkRefusal])] = []
      for sink in figures {
        sinks.append((sink, try reader.refusals(ofSink: sink.name, limit: SinkHandlers.refusalsShown)))
      }
      return .object { writer in
        writer.objects("sinks", sinks) { writer, sink in
          writer.members(of: sink.0, leader: leaders[sink.0.name], sink.1)
        }
        writer.member("heldDays", held)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of sink: ForwardFigures, leader: String?, _ refusals: [SinkRefusal]) {
    member("name", sink.name)
    member("url", sink.place)
    member("leads", sink.leads)
    member("leader", leader)
    member("lag", sink.lag)
    member("lagSeconds", sink.lagMilliseconds / 1_000)
    member("sent", sink.sent)
    member("retried", sink.retried)
    member("refused", sink.refused)
    member("lost", sink.lost)
    member("trouble", sink.trouble)
    objects("refusals", refusals) { writer, refusal in
      writer.member("uuid", refusal.key.uuid)
      writer.member("device", refusal.device.name)
      writer.member("run", refusal.device.run)
      writer.member("recordedAt", instant: refusal.key.recordedAt == 0 ? nil : refusal.key.recordedAt)
      writer.member("at", instant: refusal.at)
      writer.member("reason", refusal.reason)
    }
  }
}
