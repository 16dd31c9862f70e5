import Base
import JSON
import Store

extension CommandHandlers {
  /// `GET /admin/v1/devices/{device}/commands?run&limit&cursor`: the orders for the device and their states, in order of issue.
  /// An order to many appears here after the device has fetched it.
  func list(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let device = exchange.namedDevice
    let now = exchange.receivedAt
    let limit = try exchange.query.limit() ?? 100
    let cursor = try exchange.query.cursor { (text) throws(StoreError) in try CommandCursor(text: text) }
    return .ask { (reader) throws(StoreError) in
      .commands(try reader.commands(run: device.run, device: device, now: now, after: cursor, limit: limit))
    }
  }
}

extension Response {
  /// `commands`: a list of lines; `next`: the cursor of the next page, if there is one.
  fileprivate static func commands(_ page: Page<CommandProgress, CommandCursor>) -> Response {
    .object { writer in
      writer.list("commands", page.elements) { writer, line in line.write(to: &writer) }
      if let next = page.next {
        writer.member("next", next.text)
      }
    }
  }
}

extension CommandProgress {
  /// `state`: `queued`; `sent` (in an answer); `delivered` (the device showed that it has read that answer); `confirmed` (a
  /// later record shows the effect); `expired`.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.key("command")
    writer.raw(command)
    writer.key("target")
    writer.value(target)
    if let device {
      writer.member("device", device)
    }
    writer.member("state", state.rawValue)
    writer.member("attempts", attempts)
    writer.time("createdAt", createdAt)
    writer.time("expiresAt", expiresAt)
    writer.time("sentAt", sentAt)
    writer.time("deliveredAt", deliveredAt)
    writer.time("confirmedAt", confirmedAt)
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func time(_ name: StaticString, _ milliseconds: Int64?) {
    guard let milliseconds else { return }
    key(name)
    value(instant: milliseconds)
  }

  /// `{"device":"…"}`, `{"tag":"…"}` or `{"everyone":true}`.
  fileprivate mutating func value(_ target: QueuedCommand.Target) {
    beginObject()
    switch target {
    case .device(let identity):
      member("device", identity.name)
    case .tag(let tag, run: _):
      member("tag", tag)
    case .everyone:
      member("everyone", true)
    }
    endObject()
  }
}
