import Base
import Contract
import HTTP1
import Network

/// A live stream of this session.
struct EventStream {
  let id: UInt64
  /// The stream goes in chunks; for an HTTP/1.0 client it ends with the connection.
  let isChunked: Bool
}

extension IngestSession {
  /// A comment so often tells both sides that the other is there.
  static let heartbeat = Nanoseconds.seconds(15)
  /// Unsent bytes above which a client is left alone until it has read; more than the loop has left when it asks for more.
  private static let unsentMax = 49_152

  func beginStream(
    _ exchange: Exchange, _ filter: EventFilter, after seen: EventID?, _ output: inout SessionOutput
  ) {
    guard exchange.method != .head, let id = context.hub.subscribe(address, filter, after: seen) else {
      let refusal = exchange.method == .head ? Response(200, "text/event-stream", []) : .tooManyListeners
      return answer(exchange, refusal, bodyComplete: true, &output)
    }
    let stream = EventStream(id: id, isChunked: exchange.version == .http11)
    rules.stop()
    appendStreamHead(isChunked: stream.isChunked, to: &output.bytes)
    note(exchange, Response(200, "text/event-stream", []), now: output.now)
    state = .listening(stream)
    wishes.wantsInput = false
    wishes.alarm = output.now + IngestSession.heartbeat
  }

  /// The head of a stream of events, and the first line of it.
  func appendStreamHead(isChunked: Bool, to bytes: inout [UInt8]) {
    ResponseWriter.statusLine(200, into: &bytes)
    HeadWriter.field(HeaderName.contentType, "text/event-stream", into: &bytes)
    HeadWriter.field(HeaderName.cacheControl, "no-store", into: &bytes)
    HeadWriter.field(HeaderName.connection, "close", into: &bytes)
    if isChunked { HeadWriter.chunked(into: &bytes) }
    HeadWriter.end(into: &bytes)
    // The client knows at once that it listens, and how long to wait before it comes back.
    let opening = Array("retry: 1000\n\n".utf8)
    if isChunked { ChunkWriter.chunk(opening.span, into: &bytes) } else { bytes += opening }
  }

  /// What the hub has, as far as the client can take it. The rest stays there, where it is bounded.
  func sendEvents(of stream: EventStream, _ output: inout SessionOutput) {
    let room = IngestSession.unsentMax - output.unsent
    guard room > 0 else {
      wishes.hasMoreOutput = true
      return
    }
    let (missed, events, hasMore) = context.hub.fetch(stream.id, bytesMax: room)
    wishes.hasMoreOutput = hasMore
    var text: [UInt8] = []
    if missed > 0 { text += Array("event: resync\ndata: {\"missed\":\(missed)}\n\n".utf8) }
    for event in events {
      let id = EventID(epoch: context.hub.epoch, number: event.number)
      text += Array("id: \(id.text)\nevent: \(event.kind.rawValue)\ndata: ".utf8)
      text += event.data
      text += [UInt8(ascii: "\n"), UInt8(ascii: "\n")]
    }
    append(text, to: stream, &output.bytes)
  }

  func sendHeartbeat(of stream: EventStream, _ output: inout SessionOutput) {
    if output.unsent == 0 { append(Array(":\n\n".utf8), to: stream, &output.bytes) }
    wishes.alarm = output.now + IngestSession.heartbeat
  }

  /// The server stops.
  func endStream(_ stream: EventStream, _ output: inout SessionOutput) {
    context.hub.unsubscribe(stream.id)
    endStream(isChunked: stream.isChunked, &output)
  }

  func endStream(isChunked: Bool, _ output: inout SessionOutput) {
    if isChunked { ChunkWriter.end(into: &output.bytes) }
    state = .finished
    wishes.alarm = nil
    wishes.hasMoreOutput = false
    wishes.ending = .afterOutput
  }

  private func append(_ text: [UInt8], to stream: EventStream, _ bytes: inout [UInt8]) {
    if stream.isChunked { ChunkWriter.chunk(text.span, into: &bytes) } else { bytes += text }
  }
}

extension Response {
  static let tooManyListeners = Response.error(503, "too_many_listeners", "too many listen already; try again")
    .with(HeaderName.retryAfter, "5")
}
