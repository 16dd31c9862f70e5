import Base
import Store

/// A record in some queue, and what has become of it so far.
struct WaitingRecord {
  let row: Int64
  let uuid: UUID128
  let timestamp: WallInstant
  let createdAt: MonotonicInstant
  /// Of its bytes as they were rendered.
  let mark: UInt64
  /// Nil where the server is inside the run.
  var traits: RecordTraits?
  /// How often it was sent.
  var attempts: UInt16 = 0
  /// How often it reached a server.
  var arrivals: UInt16 = 0
  /// Why it may be sent again although it has arrived: no answer, one that was no success, the app's end in between.
  var mayArriveAgain = true
  /// It may be in the store: it has arrived, and no refusal has come back.
  var mayBeStored = false

  var key: PointKey { PointKey(recordedAt: timestamp.millisecondsSince1970, uuid: uuid) }
}
