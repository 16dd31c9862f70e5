import Contract
import HTTP1

extension Response {
  /// How the content is marked off.
  enum Framing {
    /// By its length; all of it is here.
    case length
    /// In chunks (RFC 9112 §7.1).
    case chunked
    /// By the end of the connection, for HTTP/1.0 clients, which know no chunks.
    case connection
  }

  /// How the content has to be marked off for this client.
  func framing(for version: HTTPVersion) -> Framing {
    if rest == nil { return .length }
    return version == .http10 ? .connection : .chunked
  }

  /// Appends the answer, of a long one what is here. The content of an answer to HEAD is counted and left out
  /// (RFC 9110 §9.3.2). `length` is what the head says when that is to be wrong.
  func append(
    to bytes: inout [UInt8], date: [UInt8], announcing announcement: ConnectionRules.Announcement, framing: Framing,
    withoutContent: Bool, claiming length: Int? = nil
  ) {
    ResponseWriter.statusLine(status, into: &bytes)
    appendDate(date, to: &bytes)
    HeadWriter.field("Content-Type", contentType, into: &bytes)
    switch framing {
    // Not in an answer that can have no content (RFC 9110 §8.6).
    case .length where status == 204 || status == 304: break
    case .length: HeadWriter.contentLength(length ?? body.count, into: &bytes)
    case .chunked: HeadWriter.chunked(into: &bytes)
    case .connection: break
    }
    switch announcement {
    case .nothing: break
    case .keepAlive: HeadWriter.field("Connection", "keep-alive", into: &bytes)
    case .close: HeadWriter.field("Connection", "close", into: &bytes)
    }
    for field in fields { append(field.name, field.value, to: &bytes) }
    for field in askedFields {
      do throws(HTTPError) { try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &bytes) } catch {
        preconditionFailure("\(field.name) was looked at before")
      }
    }
    HeadWriter.end(into: &bytes)
    if withoutContent { return }
    if case .chunked = framing { ChunkWriter.chunk(body.span, into: &bytes) } else { bytes += body }
  }

  private func appendDate(_ date: [UInt8], to bytes: inout [UInt8]) {
    do throws(HTTPError) { try HeadWriter.field("Date", date.span, into: &bytes) } catch {
      preconditionFailure("a date has no control characters")
    }
  }

  /// Values come from this program; one that would break its line is a mistake of ours.
  private func append(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
    do throws(HTTPError) { try HeadWriter.field(name, value.utf8.span, into: &bytes) } catch {
      preconditionFailure("\(name) has a control character")
    }
  }
}
