package import Database

/// What the writes of one device meet, for tests of faults. A write that meets one changes nothing:
/// neither the device's rows nor those of others in the same group.
package struct QueueDisturbance: Sendable {
  /// Of every write.
  package var failure: DatabaseError?
  /// The process dies before this step. What it has written until then stays, and it writes nothing after it.
  package var death: WriteStep?
  /// It has died.
  package internal(set) var isDead = false

  package init() {}
}

/// What a write is for.
package enum WriteStep: Equatable, Sendable {
  case insertion
  /// Of rows that the uploader has no more use for.
  case deletionOfUploaded
  case other
}

extension QueueDatabase {
  func meetDisturbance(of device: Int, _ step: WriteStep) throws(DatabaseError) {
    guard !disturbances.isEmpty, var disturbance = disturbances[device] else { return }
    if disturbance.death == step {
      disturbance.death = nil
      disturbance.isDead = true
      disturbances[device] = disturbance
    }
    guard let error = disturbance.isDead ? DatabaseError.processIsDead : disturbance.failure else { return }
    notes?.append(.refused(device: device, step))
    throw error
  }
}

extension DatabaseError {
  /// SQLITE_ABORT (https://sqlite.org/rescode.html#abort).
  fileprivate static let processIsDead = DatabaseError(extendedCode: 4)
}
