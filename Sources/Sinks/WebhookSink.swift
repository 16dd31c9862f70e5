package import Base
import Contract
package import CurlTransport
package import Store
import Synchronization
import TLS
import Upload

/// Sends records to an HTTP server in batches: `POST` with `{"records":[…]}`. One request at a time, so that nothing overtakes.
///
/// A retry has the same `Idempotency-Key`, a hash of the body. With a secret each request is signed:
/// `X-Rollingroad-Signature: t=SECONDS,v1=HEX` with the HMAC-SHA256 of `SECONDS.BODY`.
package final class WebhookSink: ForwardSink {
  /// The configuration of a webhook.
  package struct Settings: Sendable {
    package let url: String
    /// The key that signs requests; nil for no signature.
    package var secret: String?
    /// The token of `Authorization: Bearer`; nil for none.
    package var token: String?
    package var transport = TransportConfiguration()
    package var timeout = Nanoseconds.seconds(30)

    package init(url: String) { self.url = url }
  }

  /// Returns the sink for a server's configuration.
  package static func target(_ name: String, _ settings: Settings, records: Int) -> ForwardTarget {
    ForwardTarget(
      name: name, place: String(settings.url.prefix { $0 != "?" }),
      portion: ForwardTarget.Portion(records: records, bytes: 1 << 20, age: .milliseconds(200))
    ) { () throws(SinkError) in try WebhookSink(settings) }
  }

  private let settings: Settings
  private let transport: DrivenTransport
  private let clock = SystemClock()
  private let end: EndOfSending
  private var number: UInt64 = 0

  private static let answerBytesMax = 65_536

  package init(_ settings: Settings) throws(SinkError) {
    self.settings = settings
    var configuration = settings.transport
    configuration.answerLimit = WebhookSink.answerBytesMax
    configuration.keepsHeads = true
    configuration.readsOnlyHeads = true
    do throws(TransportError) { transport = try DrivenTransport(configuration) } catch {
      throw SinkError("\(error)")
    }
    end = EndOfSending(alarm: transport.alarm)
  }

  package var interrupt: @Sendable () -> Void {
    { [end] in end.begin() }
  }

  package func send(_ messages: ArraySlice<ForwardMessage>) -> SinkAnswer {
    let body = WebhookSink.body(of: messages)
    number += 1
    transport.submit(
      OutgoingRequest(
        id: number, purpose: .records, method: "POST", url: settings.url, headers: headers(for: body), body: body,
        timeout: settings.timeout), device: 0)
    while true {
      let instant = end.instant
      if let completion = transport.turn(until: instant).first { return answer(to: messages.count, completion) }
      if let instant, clock.monotonicNow >= instant { transport.cancel(number, device: 0) }
    }
  }

  private static func body(of messages: ArraySlice<ForwardMessage>) -> [UInt8] {
    var body = Array(#"{"records":["#.utf8)
    body.reserveCapacity(messages.reduce(16) { $0 + $1.body.count + 1 })
    for message in messages {
      if body.last == UInt8(ascii: "}") { body.append(UInt8(ascii: ",")) }
      body += message.body
    }
    body += Array("]}".utf8)
    return body
  }

  private func headers(for body: [UInt8]) -> [NameValuePair] {
    var headers = [
      NameValuePair(HeaderName.contentType, ContentType.json),
      NameValuePair(HeaderName.idempotencyKey, Cryptography.sha256(body).prefix(16).hexadecimal),
      NameValuePair(HeaderName.userAgent, "rollingroad/\(Product.version)"),
    ]
    if let token = settings.token { headers.append(NameValuePair(HeaderName.authorization, "Bearer \(token)")) }
    if let secret = settings.secret {
      let seconds = clock.wallNow.millisecondsSince1970 / 1_000
      let code = Cryptography.hmacSHA256(key: Array(secret.utf8), (Array("\(seconds).".utf8) + body)[...])
      headers.append(NameValuePair(HeaderName.rollingroadSignature, "t=\(seconds),v1=\(code[...].hexadecimal)"))
    }
    return headers
  }

  private func answer(to count: Int, _ completion: TransportCompletion) -> SinkAnswer {
    switch completion.outcome {
    case .failed(_, let message): return SinkAnswer(taken: 0, .later(reason: message))
    case .answered(200..<300, _, _): return SinkAnswer(taken: count)
    // The content is refused: the same request would be refused again. Every other status concerns the sink, not these records.
    case .answered(let status, _, _) where [400, 413, 422].contains(status):
      return SinkAnswer(taken: 0, .refused(count: count, reason: "status \(status)"))
    case .answered(let status, _, _):
      let hint = (300..<400).contains(status) ? ", and redirects are not followed" : ""
      let wish = RetryAfter.span(in: completion.head, at: clock.wallNow)
      return SinkAnswer(taken: 0, .later(after: wish, reason: "status \(status)\(hint)"))
    }
  }
}

/// The time at which a stopping sink gives up what is in flight.
final class EndOfSending: Sendable {
  private static let patience = Nanoseconds.seconds(2)

  private let end = Mutex<MonotonicInstant?>(nil)
  private let alarm: @Sendable () -> Void

  init(alarm: @escaping @Sendable () -> Void) { self.alarm = alarm }

  func begin() {
    end.withLock { $0 = SystemClock().monotonicNow + EndOfSending.patience }
    alarm()
  }

  /// The time to give up; nil while the sink continues.
  var instant: MonotonicInstant? { end.withLock { $0 } }
}

extension ArraySlice<UInt8> {
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
