package import Base
package import Database

/// Hears of the writes to a queue's database, as SQLite's commit and update hooks do
/// (https://sqlite.org/c3ref/commit_hook.html).
package protocol QueueObserver: AnyObject {
  /// Before a write. One that is not admitted changes nothing, neither the device's rows nor those of others in the same
  /// group, and throws the same error.
  func admit(_ step: WriteStep, of device: Int) throws(DatabaseError)
  /// Of a group that is undone later, too.
  func see(_ note: QueueNote)
}

/// What a write is for.
package enum WriteStep: Equatable, Sendable {
  case insertion
  /// Of rows that the uploader has no more use for.
  case deletionOfUploaded
  case other
}

/// What became of a row, or of a write.
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
  /// A write was not admitted.
  case refused(device: Int, WriteStep)
}

extension QueueObserver {
  func tryToAdmit(_ step: WriteStep, of device: Int) throws(DatabaseError) {
    do throws(DatabaseError) {
      try admit(step, of: device)
    } catch {
      see(.refused(device: device, step))
      throw error
    }
  }
}
