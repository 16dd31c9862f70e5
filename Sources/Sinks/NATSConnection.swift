import CNATS
import IngestServer

/// A connection to a server of NATS, and the inbox of its acknowledgements.
@safe
final class NATSConnection {
  /// Why it cannot be used.
  struct Failure: Error {
    let message: String
  }

  enum Sending {
    case done, tooLarge, failed
  }

  enum Arrival {
    case answer(number: Int64, [UInt8])
    /// No stream takes what was sent.
    case unheard
    case nothing, failed
  }

  private let connection: OpaquePointer
  private static let connectMilliseconds: Int64 = 5_000

  /// Whether libnats is on this machine.
  static var isLibraryThere: Bool { rr_nats_is_there() != 0 }

  /// `name`: of its certificate; nil without TLS.
  init(to url: String, token: String?, certifiedAs name: String?, authorities: String?) throws(Failure) {
    guard let made = unsafe rr_nats_open(url, token, name, authorities, NATSConnection.connectMilliseconds) else {
      throw Failure(message: "no memory")
    }
    unsafe connection = made
    let problem = error
    if !problem.isEmpty { throw Failure(message: problem) }
  }

  deinit { unsafe rr_nats_close(connection) }

  var error: String { unsafe String(cString: rr_nats_error(connection)) }

  func publish(_ message: ForwardMessage, to subject: String, number: Int64) -> Sending {
    let result = unsafe message.body.withUnsafeBufferPointer {
      unsafe rr_nats_publish(connection, subject, number, message.id, $0.baseAddress, $0.count)
    }
    switch Int(result) {
    case rr_nats_done: return .done
    case rr_nats_too_large: return .tooLarge
    default: return .failed
    }
  }

  /// Waits for what comes next.
  func next(milliseconds: Int64) -> Arrival {
    var answer = unsafe rr_nats_answer()
    switch unsafe Int(rr_nats_next(connection, milliseconds, &answer)) {
    case rr_nats_nothing: return .nothing
    case rr_nats_done:
      if unsafe answer.is_unheard != 0 { return .unheard }
      let bytes = unsafe UnsafeRawBufferPointer(start: answer.bytes, count: answer.count)
      return unsafe .answer(number: answer.number, Array(bytes))
    default: return .failed
    }
  }
}
