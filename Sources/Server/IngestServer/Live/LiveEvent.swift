import Base
import Contract
import JSON
import Store

/// An event of the live stream.
package struct LiveEvent: Sendable {
  /// The `event` of the stream.
  enum Kind: String, Sendable {
    case records, commands, token, fault
  }

  let kind: Kind
  let run: String
  /// Empty when the event does not concern one device.
  let device: String
  /// One JSON object.
  let data: [UInt8]
  /// The event's number at this server; set by the hub.
  var number: UInt64 = 0

  var byteCount: Int { data.count + 64 }
}

/// Selects the events of a subscriber. A nil property matches everything.
struct EventFilter: Sendable {
  var run: String?
  var device: String?

  func takes(_ event: LiveEvent) -> Bool {
    (run == nil || event.run.isExactly(run)) && (device == nil || event.device.isExactly(device))
  }
}

extension LiveEvent {
  /// The records of a batch that an event lists; `accepted` counts all.
  private static let recordsListed = 50

  /// Returns the events of a committed job.
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
    case (.queue(let command), .queued(let id, isNew: true)):
      switch command.target {
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

  /// `accepted`, `duplicate` and `quarantined` count the records of the batch; `records` lists the first of them. If
  /// `duplicate` is above 0, some of the listed ones were stored before.
  private static func records(_ batch: IngestBatch, _ receipt: IngestReceipt) -> LiveEvent {
    event(.records, batch.device) { writer in
      writer.member("accepted", receipt.accepted)
      writer.member("duplicate", receipt.duplicate)
      writer.member("quarantined", receipt.quarantined)
      writer.list("records", batch.points.prefix(recordsListed)) { writer, point in writer.append(point) }
    }
  }

  /// `action` is `queued`, `sent`, `delivered` or `confirmed`.
  private static func commands(_ action: String, _ device: DeviceIdentity, _ ids: [Int64]) -> LiveEvent {
    event(.commands, device) { writer in
      writer.member("action", action)
      writer.list("ids", ids) { $0.value($1) }
    }
  }

  /// `action` is `registered`, `refreshed`, or `refused` with a `reason`.
  private static func token(_ action: String, _ device: DeviceIdentity, reason: String? = nil) -> LiveEvent {
    event(.token, device) { writer in
      writer.member("action", action)
      if let reason { writer.member("reason", reason) }
    }
  }

  static func fault(_ fault: AppliedFault, _ operation: DeviceOperation?, _ device: DeviceIdentity) -> LiveEvent {
    event(.fault, device) { writer in
      writer.member("rule", fault.rule)
      writer.member("kind", fault.fault.kind.rawValue)
      writer.member("operation", operation?.rawValue)
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
      member("latitude", latitude)
      member("longitude", longitude)
    }
    endObject()
  }
}

/// The `id` of an event in a stream: the server and the number, `1785263663000.42`.
struct EventID: Equatable, Sendable {
  let epoch: Int64
  let number: UInt64

  init(epoch: Int64, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }

  /// Returns nil for a text that is not such an id.
  init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = Int64(parts[0]), let number = UInt64(parts[1]) else { return nil }
    self.init(epoch: epoch, number: number)
  }

  var text: String { "\(epoch).\(number)" }
}

/// The events that one subscriber has not fetched yet. Bounded: above the limit all are dropped and counted, and the subscriber
/// gets the number it missed.
struct SubscriberQueue: Sendable {
  static let eventsMax = 256

  private var events: [LiveEvent] = []
  private(set) var missed: UInt64 = 0

  var isEmpty: Bool { events.isEmpty && missed == 0 }

  mutating func append(_ event: LiveEvent) {
    if events.count == SubscriberQueue.eventsMax {
      missed += UInt64(events.count)
      events.removeAll(keepingCapacity: true)
    }
    events.append(event)
  }

  mutating func miss(_ count: UInt64) { missed += count }

  /// Returns the number of missed events and then the oldest events, about `bytesMax` bytes of them but at least one.
  mutating func take(bytesMax: Int) -> (missed: UInt64, events: [LiveEvent]) {
    var bytes = 0
    let end = events.firstIndex { event in
      defer { bytes += event.byteCount }
      return bytes >= bytesMax
    }
    let taken = Array(events[..<(end ?? events.endIndex)])
    events.removeFirst(taken.count)
    defer { missed = 0 }
    return (missed, taken)
  }
}

/// The last events, for a client that reconnects.
struct EventRing: Sendable {
  static let eventsMax = 512

  private var events: [LiveEvent] = []
  /// The number of the last event.
  private(set) var number: UInt64 = 0

  /// Returns the event with its number.
  mutating func append(_ event: LiveEvent) -> LiveEvent {
    number += 1
    var event = event
    event.number = number
    events.append(event)
    // Half at a time, so that the cost of moving the rest is constant per event.
    if events.count == 2 * EventRing.eventsMax { events.removeFirst(EventRing.eventsMax) }
    return event
  }

  /// Returns the events after `seen`, and the number of those no longer kept.
  func events(after seen: UInt64) -> (missed: UInt64, events: ArraySlice<LiveEvent>) {
    guard seen < number else { return (0, []) }
    let first = events.first?.number ?? number + 1
    let missed = first > seen + 1 ? first - seen - 1 : 0
    return (missed, events.drop { $0.number <= seen })
  }
}
