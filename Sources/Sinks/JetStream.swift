import JSON
package import Store

/// A stream of NATS JetStream, to which records go as messages, each with its id as `Nats-Msg-Id`, by which the stream knows
/// repetitions (https://docs.nats.io/nats-concepts/jetstream/headers).
package struct JetStream: Sendable {
  /// `host:port`, tried in turn.
  package let hosts: [String]
  /// The first tokens of all subjects.
  package let prefix: String
  package var isSecure = false
  package var token: String?
  /// A file in PEM form, nil for those of the system.
  package var authorities: String?

  package init(hosts: [String], prefix: String) { (self.hosts, self.prefix) = (hosts, prefix) }

  /// The sink as a server is told of it.
  package func target(_ name: String, _ place: String, records: Int) -> ForwardTarget {
    ForwardTarget(stream: name, place, records: records) { () throws(SinkFailure) in try sink() }
  }

  func sink() throws(SinkFailure) -> StreamSink<NATSConnection> {
    guard NATSConnection.isLibraryThere else { throw SinkFailure(JetStream.missingLibrary) }
    return StreamSink { (attempt) throws(StreamFailure) in
      try NATSConnection(to: self, at: hosts[attempt % hosts.count])
    }
  }

  static let missingLibrary =
    "NATS takes its client library, libnats: install the package libnats3.4 (or newer: libnats3.7t64)"

  func subject(of device: DeviceIdentity) -> String {
    prefix + "." + JetStream.token(device.run) + "." + JetStream.token(device.name)
  }

  /// The error code of a message that is larger than its stream allows (nats-server, `errors.json`).
  private static let tooLarge: Int64 = 10_054

  /// Nil for an acknowledgement (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
  static func trouble(in answer: [UInt8]) -> SinkTrouble? {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: answer.span) } catch {
      return .later(reason: "an answer that is none of a stream")
    }
    guard let error = value["error"] else {
      return value["seq"] == nil ? .later(reason: "an answer that is none of a stream") : nil
    }
    var reason = "refused by the stream"
    if case .string(let text)? = error["description"] { reason = text }
    if case .integer(tooLarge)? = error["err_code"] { return .refused(count: 1, reason: reason) }
    return .later(reason: reason)
  }

  /// A part of a subject that may be any text: letters, digits, `_` and `-` stand for themselves, other bytes become `%HH`. An empty
  /// text is `-` (https://docs.nats.io/nats-concepts/subjects).
  static func token(_ text: String) -> String {
    if text.isEmpty { return "-" }
    if text == "-" { return "%2D" }
    var token: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        token.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        token += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: token, as: UTF8.self)
  }
}
