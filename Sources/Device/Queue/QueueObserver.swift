package import Base
package import Database

/// An observer of writes to a queue's database, like SQLite's commit and update hooks
/// (https://sqlite.org/c3ref/commit_hook.html).
package protocol QueueObserver: AnyObject {
  /// Called before a write. An error thrown here is thrown by the write, and leaves the rows of all devices in the
  /// group unchanged.
  func admit(_ step: WriteStep, of device: Int) throws(DatabaseError)
  /// Called also for groups that are undone later.
  func see(_ note: QueueNote)
}

/// The purpose of a write.
package enum WriteStep: Equatable, Sendable {
  case insertion
  /// A deletion of rows that the uploader no longer needs.
  case deletionOfUploaded
  case other
}

/// A report of a removed row or a refused write.
package enum QueueNote: Equatable, Sendable {
  /// The reason for the removal of a row.
  package enum Cause: Sendable {
    /// The uploader no longer needed it.
    case upload
    /// The app or a server requested its deletion.
    case destruction
    /// It was too old.
    case age
    /// The queue was over its limit.
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
