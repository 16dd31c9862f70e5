import Database
import Queue

/// The faults of the writes of a device's app.
struct WriteFailure {
  /// The error of every write.
  var error: DatabaseError?
  /// The step before which the process dies. Earlier writes persist, and none follow.
  var death: WriteStep?
  /// Whether it has died.
  fileprivate(set) var isDead = false
}

/// Makes writes fail for devices with such a fault, and collects the outcomes of the others until the run's
/// watchers are notified.
final class QueueWatch: QueueObserver {
  /// By device number. Never iterated.
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
