import Base
import CurlTransport
import HTTP1
import IngestServer
import Upload

/// A request on its way through the modelled link, and then its answer.
struct LinkExchange {
  enum Stage {
    /// The request is on its way to the server, or the part of it that gets there.
    case arriving
    /// The server holds its answer back.
    case working
    /// The answer is on its way back.
    case returning
    /// Outside the process, until the transport reports its end.
    case carried
    /// The device will notice that nothing comes.
    case failing(TransportFailure)
    /// The phone has left the network that its connection belongs to.
    case left

    /// How it ends for the device, where it can only fail.
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
  /// How many of the last bytes of the pieces are its body.
  let bodyBytes: Int
  let deadline: MonotonicInstant
  var line: LinkConnection?
  var stage: Stage
  var due: MonotonicInstant
  /// What is on its way to the server, in the pieces in which it comes there.
  var pieces: [ArraySlice<UInt8>] = []
  /// How the connection ends when they are there; nil: it does not.
  var cut: TransportFailure?
  /// What the server does badly keeps it from storing the records.
  var isDisregarded = false
  /// What the server has said so far.
  var answer: [UInt8] = []
  /// What goes to a server outside once it has arrived, and how that ended.
  var outside: OutgoingRequest?
  var outcome: RequestOutcome?

  /// For faults that look at it; of a request that gets through as a whole.
  var body: [UInt8] { Array(pieces.joined().suffix(bodyBytes)) }

  /// What does not get through before the device gives up fails then.
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

extension MonotonicInstant {
  /// Of what waits for the world outside.
  static let never = MonotonicInstant(nanoseconds: .max)
}

/// A connection of a device to the server.
struct LinkConnection {
  /// Counted from 0 for each device.
  let number: UInt64
  /// Nil when the server is outside: the connections that there are to it are kept elsewhere.
  let serverEnd: InProcessConnection?
  /// Since when no request uses it.
  var idleSince = MonotonicInstant(nanoseconds: 0)
  /// What has gone through it so far.
  var sentBytes = 0
  var receivedBytes = 0
}
