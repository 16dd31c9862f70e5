import Base
import Upload

/// A request on its way through the modelled link, and then its answer.
struct Exchange {
  enum Stage {
    /// Bytes on their way to the server.
    case arriving([UInt8])
    /// Outside the process, until the carrier brings its end.
    case carried
    /// Bytes on their way back.
    case returning([UInt8])
    /// The device will notice that nothing comes.
    case failing(TransportFailure)
  }

  let request: UInt64
  let deadline: MonotonicInstant
  var stage: Stage
  var due: MonotonicInstant

  /// What does not get through before the device gives up fails then.
  mutating func advance(to stage: Stage, after span: Nanoseconds?, from instant: MonotonicInstant) {
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
  /// Of what waits for somebody outside.
  static let never = MonotonicInstant(nanoseconds: .max)
}
