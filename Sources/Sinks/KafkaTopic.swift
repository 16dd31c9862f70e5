import Base
package import Store

/// A Kafka topic, to which records are sent as messages with the device as the key, so that those of a device are in one
/// partition.
package struct KafkaTopic: Sendable {
  /// The authentication of the client (https://kafka.apache.org/documentation/#security_sasl).
  package enum Login: String, CaseIterable, Sendable {
    case plain = "PLAIN"
    case scram256 = "SCRAM-SHA-256"
    case scram512 = "SCRAM-SHA-512"
  }

  /// `host:port`; the client discovers the other brokers from one of them.
  package let hosts: [String]
  package let name: String
  package var isSecure = false
  package var login = Login.plain
  /// `USER:PASSWORD`; nil without a login.
  package var user: String?
  /// A PEM file; nil for the authorities of the system.
  package var authorities: String?

  package init(hosts: [String], name: String) { (self.hosts, self.name) = (hosts, name) }

  /// Returns the sink for a server's configuration.
  package func target(_ name: String, _ place: String, records: Int) -> ForwardTarget {
    ForwardTarget(stream: name, place, records: records) { () throws(SinkError) in try sink() }
  }

  func sink(patience: Nanoseconds = .seconds(10)) throws(SinkError) -> StreamSink<KafkaConnection> {
    guard KafkaConnection.isLibraryThere else { throw SinkError(KafkaTopic.missingLibrary) }
    return StreamSink(patience: patience) { (_) throws(StreamFailure) in try KafkaConnection(to: self) }
  }

  static let missingLibrary = "Kafka needs its client library, librdkafka: install the package librdkafka1"

  /// The settings of librdkafka (its CONFIGURATION.md).
  var settings: [(name: String, value: String)] {
    client + [
      // Acknowledged by all replicas, and stored once however often the client must send it.
      ("enable.idempotence", "true"),
      // Only one message per device is in flight: waiting would not fill a batch.
      ("linger.ms", "0"),
      // The sink gives up, not the library: a message that the library gave up could be overtaken.
      ("message.timeout.ms", "0"),
      // A missing topic is reported instead of waited for.
      ("topic.metadata.propagation.max.ms", "5000"),
      // A key is assigned to the same partition as by Java clients.
      ("partitioner", "murmur2_random"),
      // The topic decides which messages are too large.
      ("message.max.bytes", "\(16 << 20)"),
    ]
  }

  /// The settings of producers and consumers for connecting to the brokers.
  var client: [(name: String, value: String)] {
    var settings = [
      ("bootstrap.servers", hosts.joined(separator: ",")),
      ("client.id", "rollingroad"),
      ("security.protocol", (user == nil ? "" : "sasl_") + (isSecure ? "ssl" : "plaintext")),
    ]
    if isSecure, let authorities { settings.append(("ssl.ca.location", authorities)) }
    if let user {
      let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      settings.append(("sasl.mechanism", login.rawValue))
      settings.append(("sasl.username", String(parts[0])))
      settings.append(("sasl.password", parts.count == 2 ? String(parts[1]) : ""))
    }
    return settings
  }

  /// Returns the device, in a run `RUN/DEVICE`.
  static func key(of device: DeviceIdentity) -> String {
    device.run.isEmpty ? device.name : "\(device.run)/\(device.name)"
  }

  /// MESSAGE_TOO_LARGE and INVALID_RECORD (https://kafka.apache.org/protocol#protocol_error_codes) concern the message. All
  /// other errors may be temporary.
  static let refusals: Set<Int32> = [10, 87]
}

/// Reads a topic, one partition after the other. The position is not saved anywhere.
extension KafkaTopic {
  private static let patience: Int32 = 10_000

  func read(_ take: (_ message: [UInt8]) -> Void) throws(StreamFailure) {
    guard KafkaConnection.isLibraryThere else { throw StreamFailure(message: KafkaTopic.missingLibrary) }
    let reader = try KafkaReader(of: self, patience: KafkaTopic.patience)
    for partition in 0..<reader.partitions { try reader.read(partition, take) }
  }
}
