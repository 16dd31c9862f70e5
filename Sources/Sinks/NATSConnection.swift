import Base
import CNATS
import Store

/// A connection to a NATS server, and the inbox of its acknowledgements.
@safe
final class NATSConnection: StreamConnection {
  private let stream: JetStream
  private let connection: OpaquePointer
  private static let connectMilliseconds: Int64 = 5_000

  static let storesTogether = false

  /// Whether libnats is installed.
  static var isLibraryThere: Bool { rr_nats_is_there() != 0 }

  init(to stream: JetStream, at host: String) throws(StreamFailure) {
    let url = (stream.isSecure ? "tls://" : "nats://") + host
    let name = stream.isSecure ? NATSConnection.name(of: host) : nil
    guard
      let made = unsafe rr_nats_open(
        url, stream.token, name, stream.authorities, NATSConnection.connectMilliseconds)
    else { throw StreamFailure(message: "no memory") }
    self.stream = stream
    unsafe connection = made
    let problem = error
    if !problem.isEmpty { throw StreamFailure(message: "\(host): \(problem)") }
  }

  /// Returns the name that the certificate must have.
  static func name(of host: String) -> String {
    do throws(HostAndPort.Problem) { return String(try HostAndPort(host[...]).host) } catch {
      preconditionFailure("a stream has hosts with ports")
    }
  }

  deinit { unsafe rr_nats_close(connection) }

  var error: String { unsafe String(cString: rr_nats_error(connection)) }

  func publish(_ message: ForwardMessage, number: Int64) -> StreamSending {
    let subject = stream.subject(of: message.arrival.device)
    let result = unsafe message.body.withUnsafeBufferPointer {
      unsafe rr_nats_publish(connection, subject, number, message.id, $0.baseAddress, $0.count)
    }
    switch Int(result) {
    case rr_nats_done: return .done
    case rr_nats_too_large: return .tooLarge(reason: "larger than the server's max_payload")
    default: return .failed
    }
  }

  func next(milliseconds: Int64) -> StreamArrival {
    var answer = unsafe rr_nats_answer()
    switch unsafe Int(rr_nats_next(connection, milliseconds, &answer)) {
    case rr_nats_nothing: return .nothing
    case rr_nats_done:
      if unsafe answer.is_unheard != 0 { return .failed(reason: "no stream has the subjects \(stream.prefix).>") }
      let bytes = unsafe UnsafeRawBufferPointer(start: answer.bytes, count: answer.count)
      return unsafe .answer(number: answer.number, JetStream.trouble(in: Array(bytes)))
    default: return .failed(reason: error)
    }
  }
}

/// Requests to the server itself.
extension NATSConnection {
  func ask(_ subject: String, _ question: String, number: Int64) throws(StreamFailure) {
    let bytes = Array(question.utf8)
    let result = unsafe bytes.withUnsafeBufferPointer {
      unsafe rr_nats_publish(connection, subject, number, nil, $0.baseAddress, $0.count)
    }
    if Int(result) != rr_nats_done { throw StreamFailure(message: error) }
  }

  /// Returns nil when there is no answer in time.
  func answer(milliseconds: Int64) throws(StreamFailure) -> (number: Int64, bytes: [UInt8])? {
    var answer = unsafe rr_nats_answer()
    switch unsafe Int(rr_nats_next(connection, milliseconds, &answer)) {
    case rr_nats_nothing: return nil
    case rr_nats_done:
      if unsafe answer.is_unheard != 0 { throw StreamFailure(message: "the server has no JetStream") }
      return unsafe (answer.number, Array(UnsafeRawBufferPointer(start: answer.bytes, count: answer.count)))
    default: throw StreamFailure(message: error)
    }
  }
}
