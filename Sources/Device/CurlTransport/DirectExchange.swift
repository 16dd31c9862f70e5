import Base
import Contract
import Gzip
import HTTP1
import Upload

/// A request in flight on a direct connection, and its answer so far.
final class DirectExchange {
  enum Progress {
    case more
    /// Whether the connection can serve another request.
    case ended(RequestOutcome, canStay: Bool)
  }

  let device: Int
  let id: UInt64
  let form: DirectForm
  /// The whole request.
  let message: [UInt8]
  let begun: MonotonicInstant
  let deadline: MonotonicInstant
  /// The number of bytes that the kernel has accepted.
  var sent = 0
  /// Whether its connection has served an earlier request.
  var isOnReusedConnection = false
  var timings = TransferTimings()
  /// The raw head of the last answer, if it is kept.
  private(set) var head: [UInt8] = []

  private let keepsHead: Bool
  private let answerLimit: Int
  private var parser: ResponseParser
  // The values of the last head.
  private var status = 0
  private var reason: [UInt8] = []
  private var coding = ContentCoding.identity
  private var allowsAnother = false
  private var body: [UInt8] = []

  init(
    _ request: OutgoingRequest, _ form: DirectForm, device: Int, _ configuration: TransportConfiguration,
    now: MonotonicInstant
  ) {
    (self.device, id, self.form) = (device, request.id, form)
    message = form.message(of: request.body)
    begun = now
    deadline = now + max(.milliseconds(1), request.timeout)
    keepsHead = configuration.keepsHeads
    answerLimit = configuration.answerLimit
    var limits = HTTPLimits()
    limits.bodyBytes = configuration.answerLimit
    // The limits of libcurl.
    limits.headBytes = 300 * 1_024
    limits.fieldCount = 1_000
    parser = ResponseParser(to: .post, limits: limits)
  }

  var key: TransferLoop.RequestKey { TransferLoop.RequestKey(device: device, id: id) }

  var hasAnswerBegun: Bool { timings.receivedBytes > 0 }

  /// Processes received bytes. An interim answer is skipped (RFC 9110 §15.2).
  func take(_ bytes: Span<UInt8>, into answer: inout ResponseHead, now: MonotonicInstant) -> Progress {
    if timings.receivedBytes == 0 { timings.firstByte = now - begun }
    var taken = 0
    do throws(HTTPError) {
      while true {
        let rest = bytes.extracting(taken..<bytes.count)
        let step = try parser.next(rest, into: &answer)
        taken += step.taken
        timings.receivedBytes += step.taken
        switch step.event {
        case .needMoreInput: return .more
        case .head: note(answer)
        case .body(let range): body.append(copying: rest.extracting(range))
        case .end where status < 200: parser.beginNextResponse(to: .post)
        // Bytes after the answer, or an answer before the whole request was sent, rule out another request.
        case .end:
          let canStay = allowsAnother && taken == bytes.count && sent == message.count
          return .ended(outcome, canStay: canStay)
        }
      }
    } catch {
      return .ended(.failed(.protocolError, message: "the answer is not HTTP: \(error.reason)"), canStay: false)
    }
  }

  /// Handles the server's close of the connection.
  func finish() -> RequestOutcome {
    guard hasAnswerBegun else { return .failed(.incomplete, message: "the connection ended without an answer") }
    do throws(HTTPError) { try parser.finish() } catch {
      return .failed(.incomplete, message: "the connection ended within the answer")
    }
    // An interim answer is not the final one.
    return status < 200 ? .failed(.incomplete, message: "the connection ended before the final answer") : outcome
  }

  /// Copies the head, because all connections of a loop share one buffer for it.
  private func note(_ answer: borrowing ResponseHead) {
    status = answer.status
    allowsAnother = answer.keepAlive
    reason = []
    reason.append(copying: answer[answer.reason])
    coding = ContentCoding(answer.fields.value(HeaderName.contentEncoding).flatMap { answer.fields.text($0) })
    if keepsHead { head = answer.fields.bytes }
  }

  private var outcome: RequestOutcome {
    let reason = String(decoding: reason, as: UTF8.self)
    do throws(GzipError) {
      // No phone has asked for another coding: it gets what came.
      let content = try coding.content(of: body, limit: answerLimit) ?? body
      return .answered(status: status, reason: reason, body: content)
    } catch { return .failed(.protocolError, message: "\(error)") }
  }
}

/// The common parts of a device's requests, in the form that libcurl would send: computed once for as long as the
/// requests go to one URL with the same headers.
final class DirectForm {
  /// Host and port.
  let authority: [UInt8]
  private let method: String
  private let url: String
  private let headers: [NameValuePair]
  /// The head up to the value of Content-Length.
  private let head: [UInt8]

  /// Methods whose answers have bodies like that of a POST.
  private static let methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "GET"]
  /// The header fields that libcurl interprets when a request contains them.
  private static let meaningful = [
    HeaderName.host, HeaderName.connection, HeaderName.contentLength, HeaderName.transferEncoding, HeaderName.te,
    HeaderName.trailer, HeaderName.upgrade, HeaderName.expect, HeaderName.accept, HeaderName.acceptEncoding,
    HeaderName.cookie,
  ]

  /// Nil for a request that libcurl must send.
  init?(_ request: OutgoingRequest) {
    guard let url = PlainURL(request.url.utf8.span), DirectForm.methods.contains(request.method) else { return nil }
    var head: [UInt8] = []
    let text = request.url.utf8.span
    let target = text.extracting(url.target)
    let root: InlineArray<1, UInt8> = [UInt8(ascii: "/")]
    do throws(HTTPError) {
      try RequestWriter.requestLine(
        request.method.utf8.span, target.isEmpty ? root.span : target, .http11, into: &head)
      try HeadWriter.field(HeaderName.host, text.extracting(url.authority), into: &head)
      HeadWriter.field(HeaderName.accept, "*/*", into: &head)
      HeadWriter.field(HeaderName.acceptEncoding, "gzip", into: &head)
      for field in request.headers {
        guard DirectForm.isPlain(field) else { return nil }
        try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &head)
      }
    } catch { return nil }
    authority = Array(request.url.utf8.dropFirst(url.authority.lowerBound).prefix(url.authority.count))
    (method, self.url, headers, self.head) = (request.method, request.url, request.headers, head)
  }

  func fits(_ request: OutgoingRequest) -> Bool {
    request.url == url && request.method == method && request.headers == headers
  }

  /// The whole request.
  func message(of body: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.count + 64 + body.count)
    bytes += head
    if method != "GET" || !body.isEmpty { HeadWriter.contentLength(body.count, into: &bytes) }
    HeadWriter.end(into: &bytes)
    bytes += body
    return bytes
  }

  private static func isPlain(_ field: NameValuePair) -> Bool {
    guard !field.hasBlankValue else { return false }
    return !meaningful.contains { field.name.utf8.span.isSameName($0) }
  }
}
