package import Base
package import Contract
import JSON
package import Vocabulary

/// A complete request for the transport.
package final class OutgoingRequest: Equatable, Sendable {
  /// The kind of request.
  package enum Purpose: String, Hashable, Sendable {
    case records, refresh, log
  }

  /// The contents and the trigger of an upload of records.
  package struct Payload: Equatable, Sendable {
    package let uuids: [UUID128]
    /// Whether the body is a list, even of one record.
    package let isBatch: Bool
    package let trigger: FlushTrigger
    package let triggeredAt: MonotonicInstant
  }

  /// The trigger and the time of the flush that requests new tokens.
  package struct Occasion: Equatable, Sendable {
    package let trigger: FlushTrigger
    package let triggeredAt: MonotonicInstant

    package init(trigger: FlushTrigger, triggeredAt: MonotonicInstant) {
      (self.trigger, self.triggeredAt) = (trigger, triggeredAt)
    }
  }

  /// Returned with the answer. Grows with every request of a device.
  package let id: UInt64
  package let purpose: Purpose
  package let method: String
  package let url: String
  /// The method, and the URL without user name and password, for reports.
  package var shown: String { "\(method) \(URLParts(url).withoutUser)" }
  /// Complete except for what the transport adds: Host, Content-Length, Accept-Encoding.
  package let headers: [NameValuePair]
  package let body: [UInt8]
  package let timeout: Nanoseconds
  /// Nil unless records are sent.
  package let payload: Payload?
  /// Nil unless a flush requests new tokens.
  package let occasion: Occasion?

  package init(
    id: UInt64, purpose: Purpose, method: String, url: String, headers: [NameValuePair], body: [UInt8],
    timeout: Nanoseconds, payload: Payload? = nil, occasion: Occasion? = nil
  ) {
    self.id = id
    self.purpose = purpose
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.payload = payload
    self.occasion = occasion
  }

  package static func == (left: OutgoingRequest, right: OutgoingRequest) -> Bool {
    left === right
      || left.id == right.id && left.purpose == right.purpose && left.method == right.method && left.url == right.url
        && left.headers == right.headers && left.body == right.body && left.timeout == right.timeout
        && left.payload == right.payload && left.occasion == right.occasion
  }
}

/// The parts common to all uploads, computed once for each configuration, because most devices upload more often than
/// they are configured.
final class UploadForm: Sendable {
  let headers: [NameValuePair]
  let envelope: EnvelopeWriter

  init(_ configuration: Configuration, userAgent: String) {
    let http = configuration.http
    headers = RequestHeaders.upload(configuration, userAgent: userAgent)
    envelope = EnvelopeWriter(rootProperty: http.rootProperty, params: RenderedObject(http.params) ?? .empty)
  }
}

/// The header fields of a device's requests (SDK §8.1, §20.5).
enum RequestHeaders {
  /// A configured field replaces one of the SDK's, but a token overrides a configured authorization.
  static func upload(_ configuration: Configuration, userAgent: String) -> [NameValuePair] {
    var own = [NameValuePair(HeaderName.contentType, ContentType.json)]
    own.append(NameValuePair(HeaderName.userAgent, userAgent))
    return merged(own, token: configuration.authorization.headerValue, configured: configuration.http.headers)
  }

  static func refresh(_ request: RefreshRequest, userAgent: String) -> [NameValuePair] {
    let own = NameValuePair(HeaderName.userAgent, userAgent)
    let isConfigured = request.headers.contains { $0.hasName(own.name) }
    return (request.headers + (isConfigured ? [] : [own])).filter(\.isSendable)
  }

  /// iOS uploads a log without configured headers and without a token.
  static func log(_ configuration: Configuration, contentType: String, userAgent: String) -> [NameValuePair] {
    let type = NameValuePair(HeaderName.contentType, contentType)
    let agent = NameValuePair(HeaderName.userAgent, userAgent)
    guard configuration.platform == .android else { return [type, agent] }
    let configured = merged(
      [agent], token: configuration.authorization.headerValue, configured: configuration.http.headers)
    return [type] + configured.filter { !$0.hasName(type.name) }
  }

  private static func merged(
    _ own: [NameValuePair], token: String?, configured: JSONValue
  ) -> [NameValuePair] {
    let configured = NameValuePair.list(configured)
    var headers = own.filter { field in !configured.contains { $0.hasName(field.name) } }
    if let token { headers.append(NameValuePair(HeaderName.authorization, token)) }
    for field in configured where !headers.contains(where: { $0.hasName(field.name) }) { headers.append(field) }
    return headers.filter(\.isSendable)
  }
}

extension NameValuePair {
  /// Requires a name of visible ASCII characters without a colon and a single-line value (RFC 9110 §5.5): a configuration comes
  /// from a server and must not inject lines into a request. A token (RFC 9110 §5.6.2) has fewer characters, but OkHttp sends
  /// these names. The length of the body is that of its records, whatever is configured
  /// (RFC 9112 §6.3): a server would take the rest for another request, and its success would delete them.
  fileprivate var isSendable: Bool {
    if hasName(HeaderName.contentLength) || hasName(HeaderName.transferEncoding) { return false }
    let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    return isName && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
  }
}

/// The outcome of a request.
package enum RequestOutcome: Equatable, Sendable {
  /// A complete answer of any status. Redirects are not followed. `reason` is the reason phrase of the status line.
  case answered(status: Int, reason: String, body: [UInt8])
  /// No complete answer: name resolution, connection, TLS, timeout, reset, truncated answer. The message is for the user.
  case failed(TransportFailure, message: String)

  /// 0 without an answer.
  package var status: Int {
    switch self {
    case .answered(let status, reason: _, body: _): status
    case .failed: 0
    }
  }

  /// Empty without an answer.
  package var body: [UInt8] {
    if case .answered(_, reason: _, let body) = self { body } else { [] }
  }

  /// The reason phrase, or the failure.
  var reason: String {
    switch self {
    case .answered(_, let reason, body: _): reason
    case .failed(_, let message): message
    }
  }

  /// The body of the answer, or the failure.
  var text: [UInt8] {
    switch self {
    case .answered(_, reason: _, let body): body
    case .failed(_, let message): Array(message.utf8)
    }
  }
}

/// The reason why there is no complete answer.
package enum TransportFailure: String, CaseIterable, Sendable {
  case unresolvable, refused, unreachable, tls, timeout, reset, incomplete, protocolError, cancelled, invalidURL
}
