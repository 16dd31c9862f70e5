package import Base
package import Contract

/// A request that the transport is to send, with everything it needs to know.
package struct OutgoingRequest: Equatable, Sendable {
  /// What is sent.
  package enum Purpose: Hashable, Sendable {
    case records, refresh, log
  }

  /// Comes back with the answer. Grows with every request of a device.
  package let id: UInt64
  package let purpose: Purpose
  package let method: String
  package let url: String
  /// Complete but for what the transport itself adds: Host, Content-Length, Accept-Encoding.
  package let headers: [NameValuePair]
  package let body: [UInt8]
  package let timeout: Nanoseconds

  package init(
    id: UInt64, purpose: Purpose, method: String, url: String, headers: [NameValuePair], body: [UInt8],
    timeout: Nanoseconds
  ) {
    self.id = id
    self.purpose = purpose
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}
