import Database
import Queue

/// What the writes of a device's app meet.
struct WriteFailure {
  /// Of every write.
  var error: DatabaseError?
  /// The process dies before this step. What it has written until then stays, and it writes nothing after it.
  var death: WriteStep?
  /// It has died.
  fileprivate(set) var isDead = false
}

/// Lets the writes of devices fail that a fault makes fail, and keeps what became of the rest until the run's watchers
/// hear of it.
final class QueueWatch: QueueObserver {
  /// By the device's number. Never gone through.
  var failures: [Int: WriteFailure] = [:]
  var notes = RecycledList<QueueNote>()

  func admit(_ step: WriteStep, of device: Int) throws(DatabaseError) {
    guard !failures.isEmpty, var failure = failures[device] else { return }
    if failure.death == step {
      failure.death = nil
      failure.isDead = true
      failures[device] = failure
    }
    if let error = failure.isDead ? DatabaseError.processIsDead : failure.error { throw error }
  }

  func see(_ note: QueueNote) { notes.append(note) }

  func hasDied(_ device: Int) -> Bool { !failures.isEmpty && failures[device]?.isDead ?? false }
}

extension DatabaseError {
  /// SQLITE_ABORT (https://sqlite.org/rescode.html#abort).
  fileprivate static let processIsDead = DatabaseError(extendedCode: 4)
}
