import AnswerCheck
import Base
import Contract
import CurlTransport
import Gzip
import HTTP1

/// A connection on which a clause controls each byte and its time.
final class RawConnection {
  /// The outcome of a request.
  enum RawOutcome: Equatable {
    case answer(RawAnswer)
    /// The connection was closed before the first byte of an answer.
    case closed
    case reset
    /// No complete answer arrived in time.
    case timeout(partial: Int)
    /// Bytes that are not an HTTP answer, and the reason.
    case notHTTP(String)

    var status: Int { if case .answer(let answer) = self { answer.status } else { 0 } }
    var isSuccess: Bool { 200..<300 ~= status }

    /// The text for messages.
    var text: String {
      switch self {
      case .answer(let answer): "status \(answer.status)"
      case .closed: "the connection was closed without an answer"
      case .reset: "the connection was reset"
      case .timeout(let partial): partial == 0 ? "no answer in time" : "an answer that did not end (\(partial) bytes)"
      case .notHTTP(let reason): "an answer that is not HTTP: \(reason)"
      }
    }

    /// The text with the beginning of the body.
    var wholeText: String {
      guard case .answer(let answer) = self, !answer.body.isEmpty else { return text }
      let start = String(decoding: answer.unpackedBody.prefix(120), as: UTF8.self).filter { !$0.isNewline }
      return "\(text): \(start)"
    }
  }

  private let connection: ByteConnection
  private let clock = SystemClock()
  /// Bytes after the last answer.
  private var rest: [UInt8] = []
  private(set) var hasEnded = false
  private let watch: AnswerWatch
  private let log: SentLog?

  init(
    to url: String, over transport: TransportConfiguration, watch: AnswerWatch, log: SentLog? = nil
  ) throws(ByteConnection.Failure) {
    connection = try ByteConnection(to: url, transport, within: .seconds(5))
    (self.watch, self.log) = (watch, log)
  }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool { connection.send(bytes, by: clock.monotonicNow + .seconds(20)) }

  func endOutput() { connection.endOutput() }

  /// Makes the connection end with a reset when this object is released.
  func resetAtTheEnd() { connection.resetAtTheEnd() }

  /// Waits for any bytes, without reading them as an answer. Returns whether some arrived or the connection ended.
  func isReadable(within span: Nanoseconds) -> Bool {
    if !rest.isEmpty || hasEnded { return true }
    switch connection.receive(by: clock.monotonicNow + span) {
    case .bytes(let bytes):
      rest += bytes
      return true
    case .end, .reset:
      hasEnded = true
      return true
    case .timeout: return false
    }
  }

  /// Waits for the start of an answer, or the end of the connection. Interim answers do not count (RFC 9110 §15.2).
  func isAnswered(within span: Nanoseconds) -> Bool {
    let deadline = clock.monotonicNow + span
    while !hasEnded, !RawConnection.beginsAnswer(rest) {
      switch connection.receive(by: deadline) {
      case .bytes(let bytes): rest += bytes
      case .end, .reset: hasEnded = true
      case .timeout: return false
      }
    }
    return true
  }

  private static func beginsAnswer(_ bytes: [UInt8]) -> Bool {
    var parser = ResponseParser(to: .post)
    var head = ResponseHead()
    var used = 0
    do throws(HTTPError) {
      while true {
        let step = try parser.next(bytes.span.extracting(used..<bytes.count), into: &head)
        used += step.taken
        switch step.event {
        case .head where !head.isInterim: return true
        case .end: parser.beginNextResponse(to: .post)
        case .needMoreInput: return false
        case .head, .body: break
        }
      }
    } catch { return true }
  }

  /// Waits for the peer to close the connection; returns false if it stays open or sends something.
  func ends(within span: Nanoseconds) -> Bool {
    guard rest.isEmpty else { return false }
    return isReadable(within: span) && hasEnded && rest.isEmpty
  }

  /// Bytes after the last answer that belong to none.
  var surplus: [UInt8] { rest }

  /// Returns the next answer; interim ones are skipped and listed in it.
  func reply(to method: HTTPMethod = .post, within span: Nanoseconds) -> RawOutcome {
    let deadline = clock.monotonicNow + span
    var parser = ResponseParser(to: method)
    var head = ResponseHead()
    var answer = RawAnswer()
    var pending = rest
    rest = []
    var received = 0
    while true {
      var used = 0
      do throws(HTTPError) {
        while true {
          let step = try parser.next(pending.span.extracting(used..<pending.count), into: &head)
          let start = used
          used += step.taken
          if step.event == .needMoreInput { break }
          switch step.event {
          case .head: answer.take(head)
          case .body(let range): answer.body += pending[(start + range.lowerBound)..<(start + range.upperBound)]
          case .end where head.isInterim:
            answer.interim.append(head.status)
            parser.beginNextResponse(to: method)
          case .end:
            rest = Array(pending[used...])
            return seen(answer)
          case .needMoreInput: break
          }
        }
      } catch { return .notHTTP(error.reason) }
      pending = Array(pending[used...])
      switch hasEnded ? .end : connection.receive(by: deadline) {
      case .bytes(let bytes):
        received += bytes.count
        pending += bytes
      case .end:
        hasEnded = true
        return atEnd(&parser, answer, received + pending.count)
      case .reset:
        hasEnded = true
        return .reset
      case .timeout: return .timeout(partial: received)
      }
    }
  }

  private func atEnd(_ parser: inout ResponseParser, _ answer: RawAnswer, _ received: Int) -> RawOutcome {
    if received == 0, answer.status == 0 { return .closed }
    do throws(HTTPError) { try parser.finish() } catch { return .notHTTP("it ended before it was whole") }
    return seen(answer)
  }

  private func seen(_ answer: RawAnswer) -> RawOutcome {
    watch.see(answer)
    log?.noteThrottling(answer.status, answer.head)
    return .answer(answer)
  }
}

/// A complete answer.
struct RawAnswer: Equatable {
  var status = 0
  var head = AnswerHead()
  var body: [UInt8] = []
  /// The statuses of interim answers before it.
  var interim: [Int] = []
  var keepsAlive = true

  private static let unpackedMax = 64 << 20

  /// The decoded body. A server may compress its answer if the request does not say what is accepted (RFC 9110 §12.5.3), as
  /// here; phones accept gzip.
  var unpackedBody: [UInt8] {
    let coding = ContentCoding(head[HeaderName.contentEncoding])
    do throws(GzipError) { return try coding.content(of: body, limit: RawAnswer.unpackedMax) ?? body } catch {
      return body
    }
  }

  fileprivate mutating func take(_ head: ResponseHead) {
    guard !head.isInterim else { return }
    status = head.status
    keepsAlive = head.keepAlive
    self.head = AnswerHead(
      head.fields.list.map { (head.fields.text($0.name) ?? "", head.fields.text($0.value) ?? "") })
  }
}
