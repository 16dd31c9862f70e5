import Base
import HTTP1
import JSON
import Network
import Store

/// The endless stream of the state of all devices.
final class LiveView: Responder {
  /// The update interval, short enough for a moving map.
  private static let glance = Nanoseconds.milliseconds(250)
  private static let figuresInterval = Nanoseconds.seconds(1)
  /// The unsent bytes above which a viewer gets nothing until it has read.
  private static let unsentMax = 49_152
  private static let devicesAtOnce = 128

  private let run: String?
  private let format: EventStreamFormat
  /// The last change that the viewer has.
  private var cursor: UInt64
  /// When the next figures are due.
  private var figuresAt: MonotonicInstant

  private init(of run: String?, _ format: EventStreamFormat, cursor: UInt64, figuresAt: MonotonicInstant) {
    self.run = run
    self.format = format
    self.cursor = cursor
    self.figuresAt = figuresAt
  }

  static func begin(of run: String?, _ exchange: Exchange, in session: IngestSession, _ output: inout SessionOutput) {
    guard exchange.method != .head, let cursor = session.context.hub.board.enter() else {
      return session.answer(exchange, .noStream(exchange), bodyComplete: true, &output)
    }
    let view = LiveView(of: run, EventStreamFormat(exchange), cursor: cursor, figuresAt: output.now)
    view.format.begin(exchange, in: session, &output)
    view.append("hello", &output.bytes) { session.context.live.describe(to: &$0) }
    session.note(exchange, .emptyStream, now: output.now)
    session.respond(with: view)
    view.produce(session, &output)
  }

  /// Sends changes as far as the viewer can take them. The rest stays on the board, where each device takes one line.
  func produce(_ session: IngestSession, _ output: inout SessionOutput) {
    let board = session.context.hub.board
    var hasMore = output.unsent >= Self.unsentMax
    while !hasMore, output.unsent < Self.unsentMax {
      let changes = board.fetch(after: cursor, run: run, limit: Self.devicesAtOnce)
      if changes.hasGap { append("resync", &output.bytes) { $0.raw(Array("{}".utf8)) } }
      append(changes.removals, &output.bytes)
      if !changes.lines.isEmpty { append("devices", &output.bytes) { $0.write(changes.lines, after: cursor) } }
      cursor = changes.cursor
      hasMore = changes.hasMore && output.unsent >= Self.unsentMax
      if !changes.hasMore { break }
    }
    if output.now >= figuresAt, output.unsent < 2 * Self.unsentMax {
      append("figures", &output.bytes) { session.context.live.figures().write(to: &$0) }
      figuresAt = output.now + Self.figuresInterval
    }
    session.wishes.hasMoreOutput = hasMore
    session.wishes.alarm = output.now + Self.glance
  }

  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) { produce(session, &output) }

  func drain(_ session: IngestSession, _ output: inout SessionOutput) {
    closed(session)
    format.end(in: session, &output)
  }

  func closed(_ session: IngestSession) { session.context.hub.board.leave() }

  /// Combines consecutive deletions of devices into one event.
  private func append(_ removals: [LiveRemoval], _ bytes: inout [UInt8]) {
    var deleted: [DeviceIdentity] = []
    func flush(_ bytes: inout [UInt8]) {
      guard !deleted.isEmpty else { return }
      append("deleted", &bytes) { $0.write(deleted: deleted) }
      deleted = []
    }
    for removal in removals {
      switch removal.extent {
      case .device(let device): deleted.append(device)
      case .run(let run):
        flush(&bytes)
        append("reset", &bytes) { $0.write(reset: run) }
      case .everything:
        flush(&bytes)
        append("reset", &bytes) { $0.write(reset: nil) }
      }
    }
    flush(&bytes)
  }

  private func append(_ name: String, _ bytes: inout [UInt8], _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(capacity: 128)
    write(&writer)
    format.append(Array("event: \(name)\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8), to: &bytes)
  }
}

extension JSONWriter {
  /// `{"devices":[…]}`. Times are milliseconds since 1970, because programs read this hundreds of times a second.
  fileprivate mutating func write(_ lines: [LiveLine], after seen: UInt64) {
    beginObject()
    key("devices")
    beginArray()
    for line in lines { write(line, after: seen) }
    endArray()
    endObject()
  }

  /// `{"devices":[{"run","device"},…]}`.
  fileprivate mutating func write(deleted devices: [DeviceIdentity]) {
    beginObject()
    key("devices")
    beginArray()
    for device in devices {
      beginObject()
      member("run", device.run)
      member("device", device.name)
      endObject()
    }
    endArray()
    endObject()
  }

  /// `{"run"}`; null for all runs.
  fileprivate mutating func write(reset run: String?) {
    beginObject()
    member("run", run)
    endObject()
  }

  private mutating func write(_ line: LiveLine, after seen: UInt64) {
    beginObject()
    member("run", line.device.run)
    member("device", line.device.name)
    member("seenAt", line.seenAt)
    member("status", line.status)
    if let fault = line.fault { member("fault", fault.rawValue) }
    if line.failures > 0 { member("failures", line.failures) }
    let failed = line.failed(after: seen)
    if failed > 0 { member("failed", failed) }
    if let newest = line.newest {
      write(newest)
      member("arrivedAt", line.newestArrivedAt)
    }
    key("places")
    beginArray()
    for place in line.places where place.change > seen {
      beginArray()
      value(place.latitude)
      value(place.longitude)
      value(place.recordedAt)
      if let event = place.event, !event.isEmpty { value(event) }
      endArray()
    }
    endArray()
    endObject()
  }

  private mutating func write(_ point: Point) {
    member("recordedAt", point.recordedAt)
    known("latitude", point.latitude)
    known("longitude", point.longitude)
    known("speed", point.speed)
    known("heading", point.heading)
    known("accuracy", point.accuracy)
    if let isMoving = point.isMoving {
      member("isMoving", isMoving)
    }
    if let event = point.event, !event.isEmpty { member("event", event) }
  }

  private mutating func known(_ name: StaticString, _ number: Double?) {
    guard let number else { return }
    key(name)
    value(number)
  }
}
