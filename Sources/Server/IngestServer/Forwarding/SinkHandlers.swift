import Base
import JSON
import Store

/// Lists the sinks and the progress of each.
struct SinkHandlers: Sendable {
  let forwarders: ForwarderSet

  /// The number of refusals listed per sink without a limit; with one, all that the store keeps.
  private static let refusalsShown = 20
  private static let limits = 1...StoreLimits().sinkRefusals

  /// `GET /admin/v1/sinks?limit`: for each sink whether this server `leads` it, and the `leader` when servers share it; `lag` and
  /// `lagSeconds`; `sent`, `retried` and `lost` since the start; `refused` since the sink was added; `trouble`, null while it
  /// accepts records; and the latest `refusals`.
  func list(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let limit = try exchange.query.number("limit", in: SinkHandlers.limits) ?? SinkHandlers.refusalsShown
    let (figures, held) = (forwarders.figures, forwarders.heldPartitions)
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      let leaders = figures.isEmpty ? [:] : try reader.leaders(ofSinks: figures.map(\.name))
      var sinks: [(figures: ForwardFigures, refused: Int64, refusals: [SinkRefusal])] = []
      for sink in figures {
        let refusals = try reader.refusals(ofSink: sink.name, limit: limit)
        sinks.append((sink, try reader.refusalCount(ofSink: sink.name).total, refusals))
      }
      return .object { writer in
        writer.objects("sinks", sinks) { writer, sink in
          writer.members(of: sink.figures, leader: leaders[sink.figures.name], refused: sink.refused, sink.refusals)
        }
        writer.member("heldDays", held)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of sink: ForwardFigures, leader: String?, refused: Int64, _ refusals: [SinkRefusal])
  {
    member("name", sink.name)
    member("url", sink.place)
    member("leads", sink.leads)
    member("leader", leader)
    member("lag", sink.lag)
    member("lagSeconds", sink.lagMilliseconds / 1_000)
    member("sent", sink.sent)
    member("retried", sink.retried)
    member("refused", refused)
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
