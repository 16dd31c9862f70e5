package import Base
package import Database

/// The records of one device that the server has not acknowledged yet (SDK §7). Every call that writes is durable when
/// it returns, or with the group it belongs to where commits are grouped. A call that throws has changed nothing.
///
/// Locks are not written down: they belong to the process that sends the rows, and die with it (SDK §7.2).
package protocol RecordQueue {
  /// All rows, locked ones included.
  var count: Int { get }

  /// Appends a record and returns its row. Uuids are not compared: whoever makes them sees that they differ.
  mutating func insert(uuid: UUID128, timestamp: WallInstant, bytes: Span<UInt8>) throws(DatabaseError) -> Int64

  /// Locks the next unlocked rows, oldest insertion first or last, and appends them to `records`.
  mutating func lock(limit: Int, newestFirst: Bool, into records: inout [QueuedRecord]) throws(DatabaseError)

  /// Rows that are gone, or were not locked, are passed over.
  mutating func unlock(_ ids: [Int64])
  mutating func unlockAll()

  /// Rows that are gone already are passed over. Returns how many were deleted.
  mutating func delete(_ ids: [Int64]) throws(DatabaseError) -> Int
  /// Locked or not, as `deleteAll`: an upload in flight then ends without effect (SDK §7.4).
  mutating func delete(uuid: UUID128) throws(DatabaseError) -> Bool
  /// Returns the uuids, oldest insertion first.
  mutating func deleteAll() throws(DatabaseError) -> [UUID128]

  /// Deletes rows whose timestamp lies before the limit; locked ones stay. Returns their uuids, oldest insertion first.
  mutating func expire(before limit: WallInstant) throws(DatabaseError) -> [UUID128]

  /// Deletes the oldest insertions until at most so many rows are left; locked ones stay. Returns their uuids, oldest first.
  mutating func evict(keeping maximum: Int) throws(DatabaseError) -> [UUID128]

  /// Reads without locking, in insertion order or against it, locked rows included.
  func read(limit: Int, offset: Int, newestFirst: Bool) throws(DatabaseError) -> [QueuedRecord]
}
