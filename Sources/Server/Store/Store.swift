package import Base
import Database

/// Stores records. One thread owns it; time is a parameter.
package protocol Store: AnyObject {
  /// Executes the group in one transaction and returns a result for each job, in order. When it returns, everything except
  /// `unavailable` is on disk; when the group cannot be committed, nothing of it is stored and all results are `unavailable`.
  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult]

  /// Executes a small step of the work outside groups: indexes, retention, checkpoints. Returns whether more is waiting.
  func maintain(now: WallInstant) -> Bool

  /// Why the last group or step failed; nil when it succeeded. `maintain` detects by itself when the outage is over.
  var outage: StoreOutage? { get }

  /// The error text of the disk or the database.
  var outageDetail: String? { get }

  /// The quarantined records that the last group has deleted because their devices were at their limit.
  var evictedFromQuarantine: Int { get }

  /// Called when a reader has found a damaged page: nothing is accepted afterwards.
  func damageFound()

  /// Writes everything to the main file. No call may follow.
  func close()
}

/// A unit of work for the store, executed completely or not at all, in the order of submission.
package enum StoreJob: Sendable {
  case ingest(IngestBatch)
  case queue(QueuedCommand)
  /// For an answer without records: marks at most `limit` commands as sent and returns them.
  case takeCommands(DeviceIdentity, limit: Int)
  /// The device has shown that it read the answer with these commands.
  case markDelivered(DeviceIdentity, ids: [Int64])
  /// The answer with these commands was not delivered; they are due again.
  case returnCommands(DeviceIdentity, ids: [Int64])
  case setTags(DeviceIdentity, [String])
  case beginFamily(TokenFamily)
  case rotate(TokenRotation)
  case checkToken(DeviceIdentity, TokenCredential)
  /// Neither access nor refresh tokens of these families are accepted any more.
  case revokeTokens(TokenSelection)
  /// Access tokens issued until now are refused as expired; refresh tokens remain valid.
  case expireTokens(TokenSelection)
  case keepLog(UploadedLog)
  /// Deletes the device and all its data. Tokens that it still presents are refused with `deviceDeleted` from then on; without
  /// a token its name is that of a new device. `changed(0)` when there is none.
  case delete(DeviceIdentity)
  /// Deletes quarantined records, the latest first and at most `limit`.
  case clearQuarantine(QuarantineSelection, limit: Int)
  /// Deletes everything of one run, or of all.
  case reset(run: String?)
  /// Records were forwarded to a sink.
  case advance(SinkAdvance)
  /// A query of a store in memory, which only the writer can read: called after its group, on the writer's thread. Also after a
  /// group that was not committed, with the state before it; it is not called when the file cannot be opened.
  case read(@Sendable (any StoreReader) -> Void)

  /// The approximate size of the job in the queue.
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

  /// The number of records in the job, for the size of a group.
  package var rowCount: Int {
    guard case .ingest(let batch) = self else { return 1 }
    return max(1, batch.points.count + batch.quarantined.count)
  }
}

/// The result of a job. Everything except `unavailable` is on disk when the caller sees it.
package enum StoreResult: Equatable, Sendable {
  case ingested(IngestReceipt)
  /// `isNew` is false when an open order had the same key; then the id is that order's.
  case queued(id: Int64, isNew: Bool)
  /// The number of open orders has reached its limit.
  case tooManyCommands
  case commands([TakenCommand])
  /// The number of rows that the job changed.
  case changed(Int)
  case family(Int64)
  case rotated(family: Int64)
  /// The token was used moments ago; this is the answer given then.
  case rotatedBefore(family: Int64, answer: [UInt8])
  case refused(TokenRefusal)
  case unavailable(StoreOutage)

  var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

/// A finished job.
package struct Completion: Sendable {
  package let ticket: Ticket
  package let result: StoreResult
}

/// Why a store could not be opened or queried.
package struct StoreError: Error, Equatable, CustomStringConvertible {
  /// The kind of error, for callers that react to it.
  package enum Code: String, Sendable {
    case folderNotUsable, folderInUse, newerVersion, foreignFile, full, inputOutput, damaged, badCursor
    /// The device was deleted between two pages of its records.
    case deviceDeleted
    /// The database server is unreachable, refuses this user, or accepts nothing now.
    case unreachable
  }

  package let code: Code
  /// A sentence with the path and the remedy.
  package let message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

/// Why the store cannot accept anything now. Nothing of the group that failed was stored.
package enum StoreOutage: String, Equatable, Sendable {
  /// No space left: 507. It ends by itself when there is space again.
  case full
  /// The disk failed: 503. The store reopens its files and rewrites what it had committed before it trusts them again.
  case inputOutput
  /// The database is unreachable, or accepts no writes now: 503. The store reconnects by itself. Whether a group whose commit
  /// was in progress was stored is unknown; none of it is acknowledged.
  case unreachable
  /// The file is damaged: 503 until the next start; an operator must act.
  case damaged
  /// The store is shutting down: 503.
  case stopping
}

extension StoreOutage {
  /// Translates an error for waiting clients. A damaged index violates constraints; a misuse is an error of this program.
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
