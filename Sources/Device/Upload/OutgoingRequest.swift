package import Base
package import Contract
package import Vocabulary

/// A request that the transport is to send, with everything it needs to know.
package struct OutgoingRequest: Equatable, Sendable {
  /// What is sent.
  package enum Purpose: String, Hashable, Sendable {
    case records, refresh, log
  }

  /// Of an upload of records: which, and why now.
  package struct Cargo: Equatable, Sendable {
    package let uuids: [UUID128]
    /// A list, even of one; else the record by itself.
    package let isBatch: Bool
    package let trigger: FlushTrigger
    package let triggeredAt: MonotonicInstant
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
  /// Nil unless records are sent.
  package let cargo: Cargo?

  package init(
    id: UInt64, purpose: Purpose, method: String, url: String, headers: [NameValuePair], body: [UInt8],
    timeout: Nanoseconds, cargo: Cargo? = nil
  ) {
    self.id = id
    self.purpose = purpose
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.cargo = cargo
  }
}
