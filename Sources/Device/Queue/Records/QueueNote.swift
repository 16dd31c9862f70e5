package import Base

/// What became of a row (`QueueDatabase.notes`).
package enum QueueNote: Equatable, Sendable {
  /// Why a row is gone.
  package enum Cause: Sendable {
    /// The uploader had no more use for it.
    case upload
    /// The app or a server had it destroyed.
    case order
    /// It had grown too old.
    case age
    /// There were too many.
    case room
  }

  case inserted(device: Int, row: Int64, uuid: UUID128, timestamp: WallInstant, bytes: [UInt8])
  case deleted(device: Int, row: Int64, Cause)
  /// A write met a disturbance and changed nothing.
  case refused(device: Int, WriteStep)
}
