package import Base
import Database

/// What an engine has to do to keep records. One thread owns it; time is a parameter.
package protocol Store: AnyObject {
  /// Does the whole group in one transaction and returns a result for each job, in order. When it returns, everything but
  /// `unavailable` is on disk; when the group cannot be committed, nothing of it is, and all results are `unavailable`.
  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult]

  /// A small step of the work that has no place in a group: indexes, retention, checkpoints. True when more is waiting.
  func maintain(now: WallInstant) -> Bool

  /// Why the last group or step failed; nil when it did not. `maintain` finds out by itself when the trouble is over.
  var outage: StoreOutage? { get }

  /// What the disk or the database said of it.
  var outageDetail: String? { get }

  /// Quarantined records that the last group has deleted, because their devices had no more room for them.
  var crowdedOut: Int { get }

  /// A reader has met a damaged page: from now on nothing is taken.
  func damageFound()

  /// Leaves everything in the main file. No call may follow.
  func close()
}

/// One thing to be done in the store, whole or not at all, in the order of submission.
package enum StoreJob: Sendable {
  case ingest(IngestBatch)
  case queue(QueuedCommand)
  /// For an answer without records: at most `limit` commands are marked as sent.
  case takeCommands(DeviceIdentity, limit: Int)
  /// The device has shown that it read the answer that carried them.
  case markDelivered(DeviceIdentity, ids: [Int64])
  /// The answer that carried them was not delivered; they are due again.
  case returnCommands(DeviceIdentity, ids: [Int64])
  case setTags(DeviceIdentity, [String])
  case beginFamily(TokenFamily)
  case rotate(TokenRotation)
  case checkToken(DeviceIdentity, TokenCredential)
  /// Neither access nor refresh tokens of these families are taken any more.
  case revokeTokens(TokenSelection)
  /// Access tokens issued until now are refused as expired; refresh tokens go on.
  case expireTokens(TokenSelection)
  case keepLog(UploadedLog)
  /// Deletes the device with all that is its own. Tokens that it still shows are refused with `deviceDeleted` from then on;
  /// without a token its name is that of a new device. `changed(0)` when there is none.
  case delete(DeviceIdentity)
  /// Forgets records that were put aside, the latest first and at most `limit`.
  case clearQuarantine(QuarantineSelection, limit: Int)
  /// Forgets everything of one run, or of all.
  case reset(run: String?)
  /// Records have gone on.
  case advance(SinkAdvance)
  /// For a store in memory, which only the writer can read: called after its group, on the writer's thread. Also after a
  /// group that was not committed, with what was there before it; only a file that cannot be opened is not read.
  case read(@Sendable (any StoreReader) -> Void)

  /// What the job occupies in a mailbox, about.
  package var byteCount: Int {
    switch self {
    case .ingest(let batch): 512 + batch.bytes.count + batch.parameters.count + batch.points.count * 128
    case .queue(let command): 512 + command.command.count
    case .rotate(let rotation): 512 + rotation.answer.count
    case .keepLog(let log): 512 + log.bytes.count
    case .markDelivered(_, let ids), .returnCommands(_, let ids): 512 + ids.count * 8
    case .advance(let advance): advance.byteCount
    case .setTags(_, let tags): 512 + tags.count * 64
    case .takeCommands, .beginFamily, .checkToken, .revokeTokens, .expireTokens, .delete, .clearQuarantine, .reset,
      .read:
      512
    }
  }

  /// How many records it brings, for the size of a group.
  package var rowCount: Int {
    guard case .ingest(let batch) = self else { return 1 }
    return max(1, batch.points.count + batch.quarantined.count)
  }
}

/// What became of a job. Anything but `unavailable` is on disk when the caller sees it.
package enum StoreResult: Equatable, Sendable {
  case ingested(IngestReceipt)
  /// `isNew` is false when an open order had the same key; then the id is that order's.
  case queued(id: Int64, isNew: Bool)
  /// There are as many open orders as the limits allow.
  case tooManyCommands
  case commands([TakenCommand])
  /// How many rows the job changed.
  case changed(Int)
  case family(Int64)
  case rotated(family: Int64)
  /// The token had been used a moment ago; this is what was answered then.
  case rotatedBefore(family: Int64, answer: [UInt8])
  case refused(TokenRefusal)
  case unavailable(StoreOutage)

  var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

/// A job that is through.
package struct Completion: Sendable {
  package let ticket: Ticket
  package let result: StoreResult
}

/// Why a store could not be opened or asked.
package struct StoreError: Error, Equatable, CustomStringConvertible {
  /// What a caller can act upon.
  package enum Code: String, Sendable {
    case folderNotUsable, folderInUse, newerVersion, foreignFile, full, inputOutput, damaged, badCursor
    /// The database server: not there, refuses this user, or takes nothing at the moment.
    case unreachable
  }

  package let code: Code
  /// A sentence with the path concerned and what to do about it.
  package let message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

/// Why the store cannot take anything at the moment. Nothing of the group that met it was stored.
package enum StoreOutage: String, Equatable, Sendable {
  /// No space left: 507. It ends by itself when there is space again.
  case full
  /// The disk failed: 503. The store reopens its files and rewrites what it had committed before it relies on
  /// them again.
  case inputOutput
  /// The database cannot be reached, or takes no writes at the moment: 503. The store connects again by itself. Of a group
  /// whose commit was under way it is not known whether it was stored; none of it is acknowledged.
  case unreachable
  /// The file is damaged: 503 until the next start, and a person has to look.
  case damaged
  /// The store is shutting down: 503.
  case stopping
}

extension StoreOutage {
  /// What the error means for waiting clients. A damaged index violates constraints; a misuse is an error of this program.
  init(_ error: DatabaseError) {
    switch error.kind {
    case .full: self = .full
    case .corrupt, .constraint, .notADatabase, .newerVersion, .foreignFile: self = .damaged
    case .busy, .inputOutput, .readOnly, .cantOpen, .interrupted, .settingRefused, .other: self = .inputOutput
    case .misuse: preconditionFailure("\(error)")
    }
  }
}

extension StoreError {
  init(_ error: DatabaseError, opening path: String) {
    switch error.kind {
    case .newerVersion(let found, let known):
      self.init(
        code: .newerVersion,
        message: "\(path) was written by a newer program: its version is \(found), this one knows \(known); "
          + "update this program or choose another --data folder")
    case .foreignFile, .notADatabase:
      self.init(
        code: .foreignFile, message: "\(path) is not a store of this program; choose another --data folder")
    case .full: self.init(code: .full, message: "\(path): no space is left on its disk")
    case .corrupt:
      self.init(
        code: .damaged,
        message:
          "\(path) is damaged: \(error.summary); restore a backup, or save what can be read with 'sqlite3 store.db .recover'"
      )
    case .cantOpen:
      self.init(
        code: .inputOutput,
        message: "\(path) cannot be opened: \(error.summary); SQLite writes beside it, also to read it: "
          + "on a read-only file system copy the folder first")
    default: self.init(code: .inputOutput, message: "\(path) cannot be used: \(error.summary)")
    }
  }
}
