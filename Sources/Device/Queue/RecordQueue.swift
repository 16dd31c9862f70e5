package import Base
package import Database

/// The records of one device that the server has not acknowledged yet (behaviour §7). Every call is durable when it
/// returns, or with the group it belongs to where commits are grouped.
package protocol RecordQueue {
  /// All rows, locked ones included.
  var count: Int { get }

  /// Appends a record and returns its row.
  mutating func insert(uuid: UUID128, timestamp: WallInstant, bytes: Span<UInt8>) throws(DatabaseError) -> Int64

  /// Locks the next unlocked rows, oldest insertion first or last, and appends them to `records`.
  mutating func lock(limit: Int, newestFirst: Bool, into records: inout [QueuedRecord]) throws(DatabaseError)

  mutating func unlock(_ ids: [Int64]) throws(DatabaseError)
  mutating func unlockAll() throws(DatabaseError)

  /// Rows that are gone already are passed over. Returns how many were deleted.
  mutating func delete(_ ids: [Int64]) throws(DatabaseError) -> Int
  mutating func delete(uuid: UUID128) throws(DatabaseError) -> Bool
  mutating func deleteAll() throws(DatabaseError) -> Int

  /// Deletes rows whose timestamp lies before the limit; locked ones stay. Returns their uuids, oldest first.
  mutating func expire(before limit: WallInstant) throws(DatabaseError) -> [UUID128]

  /// Deletes the oldest rows until at most so many are left; locked ones stay. Returns their uuids, oldest first.
  mutating func evict(keeping maximum: Int) throws(DatabaseError) -> [UUID128]

  /// Reads without locking, in insertion order or against it.
  func read(limit: Int, offset: Int, newestFirst: Bool) throws(DatabaseError) -> [QueuedRecord]
}
