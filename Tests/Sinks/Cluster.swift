import Glibc
import KafkaCluster
import Testing

/// The cluster that librdkafka brings for tests of clients, and what is in it.
@safe
final class Cluster {
  private let cluster: OpaquePointer

  init() throws { unsafe cluster = try #require(rr_cluster_open()) }

  deinit { unsafe rr_cluster_close(cluster) }

  var address: String { unsafe String(cString: rr_cluster_address(cluster)) }

  func make(_ topic: String, partitions: Int32) { unsafe rr_cluster_make_topic(cluster, topic, partitions) }
  func deny(_ topic: String, _ error: Int32) { unsafe rr_cluster_deny_topic(cluster, topic, error) }
  func refuseNext(_ error: Int32) { unsafe rr_cluster_refuse_next(cluster, error) }
  func setReachable(_ isReachable: Bool) { unsafe rr_cluster_set_reachable(cluster, isReachable ? 1 : 0) }

  /// Key and bytes of each message of a partition, in its order.
  func messages(_ topic: String, partition: Int32 = 0) -> [(key: String, body: String)] {
    let text = unsafe rr_cluster_copy_messages(cluster, topic, partition)
    defer { unsafe free(text) }
    return unsafe String(cString: text).split(separator: "\n").map { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      return (String(parts[0]), String(parts[1]))
    }
  }

  func numbers(_ topic: String, of key: String) -> [Int] {
    messages(topic).filter { $0.key == key }.compactMap { message in
      guard let field = message.body.firstRange(of: #""odometer":"#) else { return nil }
      return Int(message.body[field.upperBound...].prefix { $0.isNumber })
    }
  }
}
