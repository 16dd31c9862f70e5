import CKafka

/// A consumer of a topic.
@safe
final class KafkaReader {
  private let consumer: OpaquePointer
  private let patience: Int32
  let partitions: Int32

  init(of topic: KafkaTopic, patience: Int32) throws(StreamFailure) {
    guard let made = unsafe rr_kafka_make() else { throw StreamFailure(message: "no memory") }
    func failure() -> StreamFailure {
      let message = unsafe String(cString: rr_kafka_error(made))
      unsafe rr_kafka_close(made)
      return StreamFailure(message: message)
    }
    // Reports the end of a partition, so that the reader does not wait there.
    let settings = topic.client + [("enable.partition.eof", "true")]
    for setting in settings where unsafe Int(rr_kafka_set(made, setting.0, setting.1)) != rr_kafka_done {
      throw failure()
    }
    let count = unsafe rr_kafka_begin_reading(made, topic.name, patience)
    if Int(count) == rr_kafka_failed { throw failure() }
    if count == 0 { throw StreamFailure(message: "the topic \(topic.name) has no partitions") }
    (unsafe consumer, self.patience, partitions) = (unsafe made, patience, count)
  }

  deinit { unsafe rr_kafka_close(consumer) }

  func read(_ partition: Int32, _ take: (_ message: [UInt8]) -> Void) throws(StreamFailure) {
    switch unsafe Int(rr_kafka_read_partition(consumer, partition, patience)) {
    case rr_kafka_nothing: return
    case rr_kafka_done: break
    default: throw failure
    }
    while true {
      var message = unsafe rr_kafka_message()
      switch unsafe Int(rr_kafka_read(consumer, partition, patience, &message)) {
      case rr_kafka_nothing: return
      case rr_kafka_done: unsafe take(Array(UnsafeRawBufferPointer(start: message.bytes, count: message.count)))
      default: throw failure
      }
    }
  }

  private var failure: StreamFailure { unsafe StreamFailure(message: String(cString: rr_kafka_error(consumer))) }
}
