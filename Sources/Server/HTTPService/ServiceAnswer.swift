package import Base
import Contract
import HTTP1
package import JSON

/// An answer before serialization.
package struct ServiceAnswer: Sendable {
  package let status: Int
  package let contentType: StaticString
  package let body: [UInt8]
  private var fields: [(name: StaticString, value: String)] = []

  package init(_ status: Int = 200, _ contentType: StaticString, _ body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  package static func text(_ status: Int, _ words: String) -> ServiceAnswer {
    ServiceAnswer(status, "text/plain; charset=utf-8", Array(words.utf8))
  }

  package static func json(_ status: Int = 200, _ value: JSONValue) -> ServiceAnswer {
    ServiceAnswer(status, "application/json", value.serialized)
  }

  /// Returns an error in the common form of all servers here.
  package static func error(
    _ status: Int, _ code: String, _ message: String, detail: JSONValue? = nil
  ) -> ServiceAnswer {
    json(status, ErrorBody(code: code, message: message, detail: detail).json)
  }

  /// `value` comes from this program and has no control characters.
  package func with(_ name: StaticString, _ value: String) -> ServiceAnswer {
    var answer = self
    answer.fields.append((name, value))
    return answer
  }

  func append(to bytes: inout [UInt8], withoutContent: Bool, announcing announcement: ConnectionRules.Announcement) {
    ResponseWriter.statusLine(status, into: &bytes)
    HeadWriter.field(HeaderName.contentType, contentType, into: &bytes)
    // An answer that can have no content declares no length (RFC 9110 §8.6).
    if status != 304 { HeadWriter.contentLength(body.count, into: &bytes) }
    switch announcement {
    case .nothing: break
    case .keepAlive: HeadWriter.field(HeaderName.connection, "keep-alive", into: &bytes)
    case .close: HeadWriter.field(HeaderName.connection, "close", into: &bytes)
    }
    for field in fields {
      do throws(HTTPError) { try HeadWriter.field(field.name, field.value.utf8.span, into: &bytes) } catch {
        preconditionFailure("\(field.name) has a control character")
      }
    }
    HeadWriter.end(into: &bytes)
    if !withoutContent { bytes += body }
  }
}

/// The result of a handler.
package enum ServiceReply: Sendable {
  case answer(ServiceAnswer)
  /// The answer is computed elsewhere; the closure passes it to `answer`, once, on any thread.
  case later(@Sendable (_ answer: @escaping @Sendable (ServiceAnswer) -> Void) -> Void)
  /// An event stream that ends with the connection.
  case stream(any ServiceStream)
}

/// The events for one listener (https://html.spec.whatwg.org/#server-sent-events), while it is connected.
package protocol ServiceStream: Sendable {
  /// Returns the events since the last call, as whole events; empty when there are none. Called only when the listener has read
  /// what it got before, so that a slow one gets less and never delays the others.
  func next(at now: MonotonicInstant) -> [UInt8]
  /// Called when the listener has disconnected.
  func end()
}

/// Writes an event of a stream.
package enum StreamEvent {
  /// `data` is one line.
  package static func bytes(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array("event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
  }
}
