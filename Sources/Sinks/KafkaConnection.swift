import CKafka
import Store

/// A Kafka producer, which manages its connections by itself.
@safe
final class KafkaConnection: StreamConnection {
  private let producer: OpaquePointer

  /// A batch is stored or refused as a whole.
  static let storesTogether = true

  /// Whether librdkafka is installed.
  static var isLibraryThere: Bool { rr_kafka_is_there() != 0 }

  init(to topic: KafkaTopic) throws(StreamFailure) {
    guard let made = unsafe rr_kafka_make() else { throw StreamFailure(message: "no memory") }
    unsafe producer = made
    for setting in topic.settings where unsafe Int(rr_kafka_set(made, setting.name, setting.value)) != rr_kafka_done {
      throw StreamFailure(message: error)
    }
    if unsafe Int(rr_kafka_begin(made, topic.name)) != rr_kafka_done { throw StreamFailure(message: error) }
  }

  deinit { unsafe rr_kafka_close(producer) }

  var error: String { unsafe String(cString: rr_kafka_error(producer)) }

  func publish(_ message: ForwardMessage, number: Int64) -> StreamSending {
    let key = Array(KafkaTopic.key(of: message.arrival.device).utf8)
    let result = unsafe message.body.withUnsafeBufferPointer { body in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe rr_kafka_publish(producer, number, key.baseAddress, key.count, body.baseAddress, body.count)
      }
    }
    switch Int(result) {
    case rr_kafka_done: return .done
    case rr_kafka_too_large: return .tooLarge(reason: "larger than 16 MiB")
    default: return .failed
    }
  }

  func next(milliseconds: Int64) -> StreamArrival {
    var report = unsafe rr_kafka_report()
    guard unsafe Int(rr_kafka_next(producer, Int32(milliseconds), &report)) == rr_kafka_done else { return .nothing }
    guard unsafe report.code != 0 else { return unsafe .answer(number: report.number, nil) }
    let reason = unsafe String(cString: report.text)
    let isRefused = unsafe KafkaTopic.refusals.contains(report.code)
    return unsafe .answer(
      number: report.number, isRefused ? .refused(count: 1, reason: reason) : .later(reason: reason))
  }
}
