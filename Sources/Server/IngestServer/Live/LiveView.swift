import Base
import HTTP1
import JSON
import Network
import Store

/// A viewer of all devices at once.
struct LiveView {
  let run: String?
  let isChunked: Bool
  /// What the viewer has.
  var cursor: UInt64
  /// When the figures are due.
  var figuresAt: MonotonicInstant
}

extension IngestSession {
  /// Often enough for a map that moves.
  private static let glance = Nanoseconds.milliseconds(250)
  private static let figuresInterval = Nanoseconds.seconds(1)
  /// Unsent bytes above which a viewer gets nothing until it has read.
  private static let unsentMax = 49_152
  private static let devicesAtOnce = 128

  func beginView(_ exchange: Exchange, run: String?, _ output: inout SessionOutput) {
    guard exchange.method != .head, let cursor = context.hub.board.enter() else {
      let refusal = exchange.method == .head ? Response(200, "text/event-stream", []) : .tooManyListeners
      return answer(exchange, refusal, bodyComplete: true, &output)
    }
    let view = LiveView(
      run: run, isChunked: exchange.version == .http11, cursor: cursor, figuresAt: output.now)
    rules.stop()
    appendStreamHead(isChunked: view.isChunked, to: &output.bytes)
    append(.json { context.live.describe(to: &$0) }, named: "hello", to: view, &output.bytes)
    note(exchange, Response(200, "text/event-stream", []), now: output.now)
    wishes.wantsInput = false
    show(view, &output)
  }

  /// What has changed, as far as the viewer can take it. The rest stays on the board, where one device takes one line.
  func show(_ view: LiveView, _ output: inout SessionOutput) {
    var view = view
    var hasMore = output.unsent >= Self.unsentMax
    while !hasMore, output.unsent < Self.unsentMax {
      let changes = context.hub.board.fetch(after: view.cursor, run: view.run, limit: Self.devicesAtOnce)
      if changes.hasGap { append(Response.json { $0.raw(Array("{}".utf8)) }, named: "resync", to: view, &output.bytes) }
      tell(changes.removals, to: view, &output.bytes)
      if !changes.lines.isEmpty {
        let seen = view.cursor
        append(.json { $0.write(changes.lines, after: seen) }, named: "devices", to: view, &output.bytes)
      }
      view.cursor = changes.cursor
      hasMore = changes.hasMore && output.unsent >= Self.unsentMax
      if !changes.hasMore { break }
    }
    if output.now >= view.figuresAt, output.unsent < 2 * Self.unsentMax {
      append(.json { context.live.figures().write(to: &$0) }, named: "figures", to: view, &output.bytes)
      view.figuresAt = output.now + Self.figuresInterval
    }
    state = .viewing(view)
    wishes.hasMoreOutput = hasMore
    wishes.alarm = output.now + Self.glance
  }

  /// Devices that were deleted one after the other stand in one event.
  private func tell(_ removals: [LiveRemoval], to view: LiveView, _ bytes: inout [UInt8]) {
    var deleted: [DeviceIdentity] = []
    func flush(_ bytes: inout [UInt8]) {
      guard !deleted.isEmpty else { return }
      append(.json { $0.write(deleted: deleted) }, named: "deleted", to: view, &bytes)
      deleted = []
    }
    for removal in removals {
      switch removal.extent {
      case .device(let device): deleted.append(device)
      case .run(let run):
        flush(&bytes)
        append(.json { $0.write(reset: run) }, named: "reset", to: view, &bytes)
      case .everything:
        flush(&bytes)
        append(.json { $0.write(reset: nil) }, named: "reset", to: view, &bytes)
      }
    }
    flush(&bytes)
  }

  /// The server stops.
  func endView(_ view: LiveView, _ output: inout SessionOutput) {
    context.hub.board.leave()
    endStream(isChunked: view.isChunked, &output)
  }

  private func append(_ content: Response, named name: String, to view: LiveView, _ bytes: inout [UInt8]) {
    let text = Array("event: \(name)\ndata: ".utf8) + content.body + Array("\n\n".utf8)
    if view.isChunked { ChunkWriter.chunk(text.span, into: &bytes) } else { bytes += text }
  }
}

extension JSONWriter {
  /// `{"devices":[…]}`. Instants are milliseconds since 1970: this is read by programs, hundreds of times a second.
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

  /// `{"run"}`; null for everything.
  fileprivate mutating func write(reset run: String?) {
    beginObject()
    key("run")
    value(run)
    endObject()
  }

  private mutating func write(_ line: LiveLine, after seen: UInt64) {
    beginObject()
    member("run", line.device.run)
    member("device", line.device.name)
    key("seenAt")
    value(line.seenAt)
    member("status", line.status)
    if let fault = line.fault { member("fault", fault.rawValue) }
    if let newest = line.newest {
      write(newest)
      key("arrivedAt")
      value(line.newestArrivedAt)
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
    key("recordedAt")
    value(point.recordedAt)
    member("latitude", point.latitude)
    member("longitude", point.longitude)
    member("speed", point.speed)
    member("heading", point.heading)
    member("accuracy", point.accuracy)
    if let isMoving = point.isMoving {
      key("isMoving")
      value(isMoving)
    }
    if let event = point.event, !event.isEmpty { member("event", event) }
  }

  private mutating func member(_ name: StaticString, _ number: Double?) {
    guard let number else { return }
    key(name)
    value(number)
  }
}
