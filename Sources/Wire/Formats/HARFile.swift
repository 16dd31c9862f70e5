package import Base
package import Contract
import JSON

/// HTTP Archive 1.2, the format in which browsers, proxies and other HTTP tools exchange requests and answers. It is written
/// entry by entry between an opening and a closing, so that a file of any length is never in memory as a whole.
package enum HARFile {
  package static let separator: [UInt8] = [UInt8(ascii: ",")]
  package static let closing: [UInt8] = Array("]}}".utf8)

  /// Returns the text before the first entry. `comment` applies to the whole file.
  package static func opening(creator: String, version: String, comment: String? = nil) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.text("version", "1.2")
    writer.key("creator")
    writer.beginObject()
    writer.text("name", creator)
    writer.text("version", version)
    writer.endObject()
    if let comment { writer.text("comment", comment) }
    writer.key("entries")
    writer.beginArray()
    return Array("{\"log\":".utf8) + writer.bytes
  }
}

/// A request with its answer.
package struct HAREntry: Sendable {
  package var startedAt: WallInstant
  package var request: HARRequest
  package var response: HARResponse
  package var timings: HARTimings
  /// The address of the server, without brackets; nil when unknown.
  package var serverAddress: String?
  /// Equal for the requests of one connection.
  package var connection: String?
  package var comment: String?
  /// Members of the entry that are not part of the format; their names begin with an underscore.
  package var extras: [NameValuePair]

  package init(
    startedAt: WallInstant, request: HARRequest, response: HARResponse, timings: HARTimings,
    serverAddress: String? = nil, connection: String? = nil, comment: String? = nil, extras: [NameValuePair] = []
  ) {
    precondition(extras.allSatisfy { $0.name.hasPrefix("_") }, "names that are not in the format begin with _")
    self.startedAt = startedAt
    self.request = request
    self.response = response
    self.timings = timings
    self.serverAddress = serverAddress
    self.connection = connection
    self.comment = comment
    self.extras = extras
  }

  /// Appends a complete JSON object without line breaks.
  package func append(to bytes: inout [UInt8]) {
    var writer = JSONWriter(capacity: 1_024 + request.body.count + response.body.count)
    writer.beginObject()
    writer.text("startedDateTime", startedAt.iso8601Text)
    writer.milliseconds("time", timings.total)
    writer.key("request")
    request.write(to: &writer)
    writer.key("response")
    response.write(to: &writer)
    // Caches are unknown, but the member is required.
    writer.key("cache")
    writer.beginObject()
    writer.endObject()
    writer.key("timings")
    timings.write(to: &writer)
    if let serverAddress { writer.text("serverIPAddress", serverAddress) }
    if let connection { writer.text("connection", connection) }
    if let comment { writer.text("comment", comment) }
    for extra in extras { writer.text(extra.name, extra.value) }
    writer.endObject()
    bytes += writer.bytes
  }
}

/// The duration of the parts of an exchange, in microseconds; nil for parts that did not happen or were not measured.
package struct HARTimings: Sendable {
  package var blocked: Int64?
  package var dns: Int64?
  /// Including the TLS handshake.
  package var connect: Int64?
  package var tls: Int64?
  package var send: Int64
  package var wait: Int64
  package var receive: Int64

  package init(
    blocked: Int64? = nil, dns: Int64? = nil, connect: Int64? = nil, tls: Int64? = nil, send: Int64 = 0, wait: Int64,
    receive: Int64 = 0
  ) {
    self.blocked = blocked
    self.dns = dns
    self.connect = connect
    self.tls = tls
    self.send = send
    self.wait = wait
    self.receive = receive
  }

  /// TLS is part of connecting.
  fileprivate var total: Int64 { (blocked ?? 0) + (dns ?? 0) + (connect ?? 0) + send + wait + receive }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.milliseconds("blocked", blocked)
    writer.milliseconds("dns", dns)
    writer.milliseconds("connect", connect)
    writer.milliseconds("send", send)
    writer.milliseconds("wait", wait)
    writer.milliseconds("receive", receive)
    writer.milliseconds("ssl", tls)
    writer.endObject()
  }
}

extension JSONWriter {
  /// Writes -1 for nil.
  fileprivate mutating func milliseconds(_ name: StaticString, _ microseconds: Int64?) {
    key(name)
    value(microseconds.map { Double($0) / 1_000 } ?? -1)
  }
}
