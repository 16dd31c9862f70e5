import Base
import Contract
import JSON
import Store

extension LiveEvent {
  /// Records of one batch that an event lists; `accepted` counts all.
  private static let recordsListed = 50

  /// What a committed job is worth telling.
  static func events(of job: StoreJob, _ result: StoreResult) -> [LiveEvent] {
    switch (job, result) {
    case (.ingest(let batch), .ingested(let receipt)):
      var events = [records(batch, receipt)]
      if !receipt.confirmed.isEmpty { events.append(commands("confirmed", batch.device, receipt.confirmed)) }
      if !receipt.commands.isEmpty { events.append(commands("sent", batch.device, receipt.commands.map(\.id))) }
      return events
    case (.ingest(let batch), .refused(let refusal)): return [token("refused", batch.device, reason: refusal.rawValue)]
    case (.checkToken(let device, _), .refused(let refusal)):
      return [token("refused", device, reason: refusal.rawValue)]
    case (.beginFamily(let family), .family): return [token("registered", family.device)]
    case (.rotate(let rotation), .rotated), (.rotate(let rotation), .rotatedBefore):
      let device = RefreshToken(text: String(decoding: rotation.answer, as: UTF8.self))?.device
      return [token("refreshed", device ?? DeviceIdentity(name: ""))]
    case (.order(let order), .ordered(let id, isNew: true)):
      switch order.target {
      case .device(let device): return [commands("queued", device, [id])]
      case .tag(_, let run), .everyone(let run): return [commands("queued", DeviceIdentity(run: run, name: ""), [id])]
      }
    case (.takeCommands(let device, _), .commands(let taken)):
      return taken.isEmpty ? [] : [commands("sent", device, taken.map(\.id))]
    case (.markDelivered(let device, let ids), .changed(let count)):
      return count == 0 ? [] : [commands("delivered", device, ids)]
    default: return []
    }
  }

  /// `accepted`, `duplicate` and `quarantined` count the records of the batch; `records` lists the first of them. Where
  /// `duplicate` is above 0, some of the listed were stored before.
  private static func records(_ batch: IngestBatch, _ receipt: IngestReceipt) -> LiveEvent {
    event(.records, batch.device) { writer in
      writer.member("accepted", receipt.accepted)
      writer.member("duplicate", receipt.duplicate)
      writer.member("quarantined", receipt.quarantined)
      writer.key("records")
      writer.beginArray()
      for point in batch.points.prefix(recordsListed) { writer.append(point) }
      writer.endArray()
    }
  }

  /// `action` is `queued`, `sent`, `delivered` or `confirmed`.
  private static func commands(_ action: String, _ device: DeviceIdentity, _ ids: [Int64]) -> LiveEvent {
    event(.commands, device) { writer in
      writer.member("action", action)
      writer.key("ids")
      writer.beginArray()
      for id in ids { writer.value(id) }
      writer.endArray()
    }
  }

  /// `action` is `registered`, `refreshed` or `refused`, this one with a `reason`.
  private static func token(_ action: String, _ device: DeviceIdentity, reason: String? = nil) -> LiveEvent {
    event(.token, device) { writer in
      writer.member("action", action)
      if let reason { writer.member("reason", reason) }
    }
  }

  static func fault(_ fault: AppliedFault, _ operation: DeviceOperation, _ device: DeviceIdentity) -> LiveEvent {
    event(.fault, device) { writer in
      writer.member("rule", fault.rule)
      writer.member("kind", fault.fault.kind.rawValue)
      writer.member("operation", operation.rawValue)
    }
  }

  private static func event(
    _ kind: Kind, _ device: DeviceIdentity, _ write: (inout JSONWriter) -> Void
  ) -> LiveEvent {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.member("run", device.run)
    writer.member("device", device.name)
    write(&writer)
    writer.endObject()
    return LiveEvent(kind: kind, run: device.run, device: device.name, data: writer.bytes)
  }
}

extension JSONWriter {
  fileprivate mutating func append(_ point: Point) {
    var uuid: [UInt8] = []
    point.uuid.append(lowerCaseTextTo: &uuid)
    beginObject()
    member("uuid", String(decoding: uuid, as: UTF8.self))
    if point.recordedAt != 0, let instant = WallInstant(exactly: point.recordedAt) { member("recordedAt", instant) }
    if let latitude = point.latitude, let longitude = point.longitude {
      key("latitude")
      value(latitude)
      key("longitude")
      value(longitude)
    }
    endObject()
  }
}
