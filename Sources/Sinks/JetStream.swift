import JSON
package import Store

/// A stream of NATS JetStream, to which records are sent as messages, each with its id as `Nats-Msg-Id`, which the stream uses
/// for deduplication (https://docs.nats.io/nats-concepts/jetstream/headers).
package struct JetStream: Sendable {
  /// `host:port`, tried in turn.
  package let hosts: [String]
  /// The common prefix of all subjects.
  package let prefix: String
  package var isSecure = false
  package var token: String?
  /// A PEM file; nil for the authorities of the system.
  package var authorities: String?

  package init(hosts: [String], prefix: String) { (self.hosts, self.prefix) = (hosts, prefix) }

  /// Returns the sink for a server's configuration.
  package func target(_ name: String, _ place: String, records: Int) -> ForwardTarget {
    ForwardTarget(stream: name, place, records: records) { () throws(SinkError) in try sink() }
  }

  func sink() throws(SinkError) -> StreamSink<NATSConnection> {
    guard NATSConnection.isLibraryThere else { throw SinkError(JetStream.missingLibrary) }
    return StreamSink { (attempt) throws(StreamFailure) in
      try NATSConnection(to: self, at: hosts[attempt % hosts.count])
    }
  }

  static let missingLibrary =
    "NATS needs its client library, libnats: install the package libnats3.4 (or newer: libnats3.7t64)"

  func subject(of device: DeviceIdentity) -> String {
    prefix + "." + ForwardMessage.token(device.run) + "." + ForwardMessage.token(device.name)
  }

  static let unknownAnswer = "the answer is not one of JetStream"

  /// The error code of a message that is larger than its stream allows (nats-server, `errors.json`).
  private static let tooLarge: Int64 = 10_054

  /// Returns nil for an acknowledgement (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
  static func trouble(in answer: [UInt8]) -> SinkRejection? {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: answer.span) } catch {
      return .later(reason: unknownAnswer)
    }
    guard let error = value["error"] else {
      return value["seq"] == nil ? .later(reason: unknownAnswer) : nil
    }
    var reason = "refused by the stream"
    if case .string(let text)? = error["description"] { reason = text }
    if case .integer(tooLarge)? = error["err_code"] { return .refused(count: 1, reason: reason) }
    return .later(reason: reason)
  }
}
