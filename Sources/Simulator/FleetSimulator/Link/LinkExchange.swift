import Base
import CurlTransport
import HTTP1
import IngestServer
import Oracle
import Upload

/// A request on the modelled link, and its answer.
struct LinkExchange {
  enum Stage {
    /// The request, or the part that arrives, is on its way to the server.
    case arriving
    /// The server delays its answer.
    case working
    /// The answer is on its way back.
    case returning
    /// The request is outside the process until the transport reports its end.
    case carried
    /// The device will detect that no answer comes.
    case failing(TransportFailure)
    /// The phone has left the network that its connection belongs to.
    case left

    /// The outcome for the device of a stage that can only fail.
    var failure: RequestOutcome? {
      switch self {
      case .failing(let failure): .failed(failure, message: failure.rawValue)
      case .left: .failed(.reset, message: RequestEnd.leftNetworkMessage)
      case .arriving, .working, .returning, .carried: nil
      }
    }
  }

  let request: UInt64
  let purpose: OutgoingRequest.Purpose
  /// The number of body bytes at the end of the pieces.
  let bodyBytes: Int
  let deadline: MonotonicInstant
  var connection: LinkConnection?
  var stage: Stage
  var due: MonotonicInstant
  /// The bytes to the server, in the pieces in which they arrive.
  var pieces: [ArraySlice<UInt8>] = []
  /// The end of the connection after the pieces; nil: it stays open.
  var cut: TransportFailure?
  /// Whether a fault of the server keeps it from storing the records.
  var isDisregarded = false
  /// The server's answer so far.
  var answer: [UInt8] = []
  /// The request to an external server after its arrival, and its outcome.
  var outside: OutgoingRequest?
  var outcome: RequestOutcome?

  /// The body of a request that arrives whole, for faults that inspect it.
  var body: [UInt8] { Array(pieces.joined().suffix(bodyBytes)) }

  /// Advances to a stage; what does not arrive before the device's timeout fails then.
  mutating func advance(to stage: Stage, after span: Nanoseconds?, from instant: MonotonicInstant) {
    precondition(span.map { $0 >= .zero } ?? true, "nothing arrives before it is sent")
    if let span, instant + span <= deadline {
      self.stage = stage
      due = instant + span
    } else {
      self.stage = .failing(.timeout)
      due = deadline
    }
  }
}

/// A connection of a device to the server.
struct LinkConnection {
  /// Counted from 0 per device.
  let number: UInt64
  /// Nil when the server is outside; its connections are managed elsewhere.
  let serverEnd: InProcessConnection?
  /// The time since which no request uses it.
  var idleSince = MonotonicInstant(nanoseconds: 0)
  /// The number of bytes sent so far.
  var sentBytes = 0
  var receivedBytes = 0
}
