import Base
import Contract
import HTTP1
import Network

/// The bytes of an event stream (https://html.spec.whatwg.org/#server-sent-events). It has no length: an HTTP/1.1 client gets
/// chunks, for an HTTP/1.0 client it ends with the connection.
struct EventStreamFormat {
  let isChunked: Bool

  init(_ exchange: Exchange) { isChunked = exchange.version == .http11 }

  /// Writes the head and the first line.
  func begin(_ exchange: Exchange, in session: IngestSession, _ output: inout SessionOutput) {
    session.rules.stop()
    ResponseWriter.statusLine(200, into: &output.bytes)
    HeadWriter.field(HeaderName.contentType, "text/event-stream", into: &output.bytes)
    HeadWriter.field(HeaderName.cacheControl, "no-store", into: &output.bytes)
    HeadWriter.field(HeaderName.connection, "close", into: &output.bytes)
    if isChunked { HeadWriter.chunked(into: &output.bytes) }
    HeadWriter.end(into: &output.bytes)
    // The client sees at once that it is connected, and how long to wait before reconnecting.
    append(Array("retry: 1000\n\n".utf8), to: &output.bytes)
  }

  func append(_ text: [UInt8], to bytes: inout [UInt8]) {
    if isChunked { ChunkWriter.chunk(text.span, into: &bytes) } else { bytes += text }
  }

  /// Ends the stream when the server stops.
  func end(in session: IngestSession, _ output: inout SessionOutput) {
    if isChunked { ChunkWriter.end(into: &output.bytes) }
    session.wishes.alarm = nil
    session.wishes.hasMoreOutput = false
    session.finish(.afterOutput)
  }
}

/// The endless stream of live events.
final class EventStream: Responder {
  /// The interval of comments that show both sides that the other is there.
  static let heartbeat = Nanoseconds.seconds(15)
  /// The unsent bytes above which a client gets nothing until it has read; more than the loop has left when it asks for more.
  private static let unsentMax = 49_152

  private let id: UInt64
  private let format: EventStreamFormat

  private init(_ id: UInt64, _ format: EventStreamFormat) {
    self.id = id
    self.format = format
  }

  /// `seen` is the last event that the client has.
  static func begin(
    _ filter: EventFilter, after seen: EventID?, _ exchange: Exchange, in session: IngestSession,
    _ output: inout SessionOutput
  ) {
    guard exchange.method != .head, let id = session.context.hub.subscribe(session.address, filter, after: seen) else {
      return session.answer(exchange, .noStream(exchange), bodyComplete: true, &output)
    }
    let format = EventStreamFormat(exchange)
    format.begin(exchange, in: session, &output)
    session.note(exchange, .emptyStream, now: output.now)
    session.respond(with: EventStream(id, format))
    session.wishes.alarm = output.now + heartbeat
  }

  /// Sends the hub's events as far as the client can take them. The rest stays in the hub, which bounds it.
  func produce(_ session: IngestSession, _ output: inout SessionOutput) {
    let room = Self.unsentMax - output.unsent
    guard room > 0 else {
      session.wishes.hasMoreOutput = true
      return
    }
    let hub = session.context.hub
    let (missed, events, hasMore) = hub.fetch(id, bytesMax: room)
    session.wishes.hasMoreOutput = hasMore
    var text: [UInt8] = []
    if missed > 0 { text += Array("event: resync\ndata: {\"missed\":\(missed)}\n\n".utf8) }
    for event in events {
      let id = EventID(epoch: hub.epoch, number: event.number)
      text += Array("id: \(id.text)\nevent: \(event.kind.rawValue)\ndata: ".utf8)
      text += event.data
      text += [UInt8(ascii: "\n"), UInt8(ascii: "\n")]
    }
    format.append(text, to: &output.bytes)
  }

  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput) {
    if case .eventsWaiting(id) = message { produce(session, &output) }
  }

  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) {
    if output.unsent == 0 { format.append(Array(":\n\n".utf8), to: &output.bytes) }
    session.wishes.alarm = output.now + Self.heartbeat
  }

  func drain(_ session: IngestSession, _ output: inout SessionOutput) {
    closed(session)
    format.end(in: session, &output)
  }

  func closed(_ session: IngestSession) { session.context.hub.unsubscribe(id) }
}

extension Response {
  static let tooManyListeners = Response.error(503, "too_many_listeners", "too many event streams are open; try again")
    .with(HeaderName.retryAfter, "5")

  /// The answer for the journal and the metrics, and for HEAD.
  static let emptyStream = Response(200, "text/event-stream", [])

  /// Returns the answer instead of a stream: HEAD has no content, and otherwise there is no room.
  static func noStream(_ exchange: Exchange) -> Response {
    exchange.method == .head ? .emptyStream : .tooManyListeners
  }
}
