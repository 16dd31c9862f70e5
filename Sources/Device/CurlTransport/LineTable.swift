import Base
import CLinux
import Contract
import Glibc
import Gzip
import HTTP1
import Upload

/// An open plain TCP connection of a device.
struct Line {
  let device: Int
  /// Host and port.
  let authority: [UInt8]
  /// Nil while it is unused.
  var exchange: LineExchange?
  /// The timeout of the request, or the idle timeout.
  var timer: TimerToken?
  /// The events registered with epoll.
  var events: UInt32
  /// The device's next unused line; -1: none.
  var next: Int32 = -1
}

/// The lines by socket, and which of them are unused. A device usually has one.
struct LineTable {
  private var lines: [Line?] = []
  /// By device; -1: none.
  private var firstUnused: [Int32] = []
  var timers = TimerQueue<Int32>()
  /// The number of lines.
  private(set) var count = 0

  subscript(socket: Int32) -> Line? {
    get { Int(socket) < lines.count ? lines[Int(socket)] : nil }
  }

  func has(_ socket: Int32) -> Bool { Int(socket) < lines.count && lines[Int(socket)] != nil }

  func exchange(of socket: Int32) -> LineExchange? { lines[Int(socket)]?.exchange }

  mutating func insert(_ line: Line, at socket: Int32) {
    let missing = Int(socket) + 1 - lines.count
    if missing > 0 { lines.append(contentsOf: repeatElement(nil, count: missing)) }
    if !has(socket) { count += 1 }
    lines[Int(socket)] = line
  }

  /// Assigns the line to a request until its deadline.
  mutating func occupy(_ socket: Int32, with exchange: LineExchange) {
    lines[Int(socket)]?.exchange = exchange
    setTimer(of: socket, at: exchange.deadline)
  }

  /// Marks the line as unused; it stays open for a while.
  mutating func release(_ socket: Int32, until instant: MonotonicInstant) {
    guard let device = lines[Int(socket)]?.device else { return }
    let missing = device + 1 - firstUnused.count
    if missing > 0 { firstUnused.append(contentsOf: repeatElement(-1, count: missing)) }
    lines[Int(socket)]?.exchange = nil
    lines[Int(socket)]?.next = firstUnused[device]
    firstUnused[device] = socket
    setTimer(of: socket, at: instant)
  }

  /// Records the events registered with epoll; returns false when they are unchanged.
  mutating func setEvents(of socket: Int32, to events: UInt32) -> Bool {
    guard lines[Int(socket)]?.events != events else { return false }
    lines[Int(socket)]?.events = events
    return true
  }

  /// Takes an unused line of the device to that server.
  mutating func takeUnused(of device: Int, to authority: [UInt8]) -> Int32? {
    var socket = device < firstUnused.count ? firstUnused[device] : -1
    while socket >= 0, let line = lines[Int(socket)] {
      if line.authority == authority {
        unlink(socket, of: device)
        return socket
      }
      socket = line.next
    }
    return nil
  }

  /// Removes a line that is about to be closed.
  mutating func remove(_ socket: Int32) {
    guard let line = lines[Int(socket)] else { return }
    if let timer = line.timer { timers.cancel(timer) }
    if line.exchange == nil { unlink(socket, of: line.device) }
    lines[Int(socket)] = nil
    count -= 1
  }

  var sockets: [Int32] { lines.indices.filter { lines[$0] != nil }.map { Int32($0) } }

  func unused(of device: Int) -> [Int32] {
    var sockets: [Int32] = []
    var socket = device < firstUnused.count ? firstUnused[device] : -1
    while socket >= 0 {
      sockets.append(socket)
      socket = lines[Int(socket)]?.next ?? -1
    }
    return sockets
  }

  private mutating func setTimer(of socket: Int32, at instant: MonotonicInstant) {
    if let timer = lines[Int(socket)]?.timer, timers.reschedule(timer, at: instant) { return }
    lines[Int(socket)]?.timer = timers.schedule(at: instant, socket)
  }

  /// Removes the line from the device's unused lines, if it is there.
  private mutating func unlink(_ socket: Int32, of device: Int) {
    guard device < firstUnused.count else { return }
    let next = lines[Int(socket)]?.next ?? -1
    if firstUnused[device] == socket {
      firstUnused[device] = next
    } else {
      var before = firstUnused[device]
      while before >= 0, let line = lines[Int(before)], line.next != socket { before = line.next }
      if before >= 0 { lines[Int(before)]?.next = next }
    }
    lines[Int(socket)]?.next = -1
  }
}

/// A request in flight on a line, and its answer so far.
final class LineExchange {
  enum Progress {
    case more
    /// Whether the line can serve another request.
    case ended(RequestOutcome, canStay: Bool)
  }

  let device: Int
  let id: UInt64
  let form: LineForm
  /// The whole request.
  let message: [UInt8]
  let begun: MonotonicInstant
  let deadline: MonotonicInstant
  /// The number of bytes that the kernel has accepted.
  var sent = 0
  /// Whether its line has served an earlier request.
  var isOnReusedLine = false
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
    _ request: OutgoingRequest, _ form: LineForm, device: Int, _ configuration: TransportConfiguration,
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

  /// Copies the head, because all lines of a loop share one buffer for it.
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
final class LineForm {
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
    guard let url = PlainURL(request.url.utf8.span), LineForm.methods.contains(request.method) else { return nil }
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
        guard LineForm.isPlain(field) else { return nil }
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
    guard !field.value.isEmpty else { return false }
    return !meaningful.contains { field.name.utf8.span.isSameName($0) }
  }
}
