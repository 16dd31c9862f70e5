import Base

/// A record that has left its queue.
struct Departure {
  let record: WaitingRecord
  let device: Int
  let at: MonotonicInstant
  /// What its device took for an acknowledgement; nil when it left for another reason, so that it does not matter whether
  /// the server has it.
  var answer: ReadAnswer?
}
