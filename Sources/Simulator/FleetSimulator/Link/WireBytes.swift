import Base
import Contract
import HTTP1
import Upload

/// The bytes of requests and answers on a socket.
enum WireBytes {
  /// Returns the bytes before the body; nil when the request cannot be written as HTTP/1.1.
  static func head(of request: OutgoingRequest) -> [UInt8]? {
    let url = request.url.utf8
    var slashes = url.indices.lazy.filter { url[$0] == UInt8(ascii: "/") }.makeIterator()
    guard slashes.next() != nil, let authority = slashes.next() else { return nil }
    let path = slashes.next() ?? url.endIndex
    let host = url[url.index(after: authority)..<path]
    let target = path == url.endIndex ? Substring("/") : request.url[path...]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    do throws(HTTPError) {
      try RequestWriter.requestLine(request.method.utf8.span, target.utf8.span, .http11, into: &bytes)
      try HeadWriter.field(HeaderName.host, host.span, into: &bytes)
      // As in the HTTP libraries of phones, an app cannot set these two.
      for field in request.headers where !field.hasName(HeaderName.host) && !field.hasName(HeaderName.contentLength) {
        try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &bytes)
      }
    } catch { return nil }
    HeadWriter.contentLength(request.body.count, into: &bytes)
    HeadWriter.end(into: &bytes)
    return bytes
  }

  /// Returns a request in the pieces in which it arrives: of these sizes, or head and body. The app's body is not copied, as
  /// thousands of phones may send at once. Omits what comes after `limit`.
  static func pieces(_ head: [UInt8], _ body: [UInt8], upTo limit: Int?, _ sizes: [Int]) -> [ArraySlice<UInt8>] {
    if limit == nil && sizes.isEmpty { return body.isEmpty ? [head[...]] : [head[...], body[...]] }
    let bytes = head + body
    return bytes.prefix(limit ?? bytes.count).cut(into: sizes)
  }

  /// Reports whether an answer begins with a success status.
  static func isSuccess(_ answer: [UInt8]) -> Bool {
    answer.count > 9 && answer.starts(with: "HTTP/1.".utf8) && answer[9] == UInt8(ascii: "2")
  }

  /// Returns the device's outcome of an answer whose connection ends after these bytes.
  static func outcome(of bytes: [UInt8], into head: inout ResponseHead) -> RequestOutcome {
    var parser = ResponseParser(to: .post)
    var body: [UInt8] = []
    var taken = 0
    do throws(HTTPError) {
      while true {
        let input = bytes.span.extracting(taken..<bytes.count)
        let step = try parser.next(input, into: &head)
        taken += step.taken
        switch step.event {
        case .needMoreInput:
          try parser.finish()
          return .answered(status: head.status, reason: "", body: body)
        case .head: break
        case .body(let range): body.append(copying: input.extracting(range))
        case .end:
          guard head.isInterim else { return .answered(status: head.status, reason: "", body: body) }
          parser.beginNextResponse(to: .post)
        }
      }
    } catch {
      let failure = error.code == .truncated ? TransportFailure.incomplete : .protocolError
      return .failed(bytes.isEmpty ? .reset : failure, message: "\(failure.rawValue)")
    }
  }
}

extension ArraySlice<UInt8> {
  /// Cuts it into pieces of these sizes; the rest is the last one.
  fileprivate func cut(into sizes: [Int]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = self
    for size in sizes where !rest.isEmpty {
      pieces.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    if !rest.isEmpty { pieces.append(rest) }
    return pieces
  }
}
