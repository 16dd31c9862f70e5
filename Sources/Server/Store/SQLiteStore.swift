package import Base
import Database

/// The store in one SQLite file: write-ahead log, `synchronous=FULL`, one transaction per group. Not Sendable: one thread owns
/// it.
///
/// After a disk error nothing cached by SQLite or the kernel is trusted. The connection is closed; before the next group a new
/// one copies the whole log into the main file and syncs it, which rewrites every page that a failed sync may have dropped
/// (https://lwn.net/Articles/752063/). While that fails, every job is `unavailable`.
///
/// A damaged file stops all writing until the next start: one intact page proves nothing about the others, and a write to a
/// damaged tree may destroy more (https://sqlite.org/howtocorrupt.html). Readers continue.
package final class SQLiteStore: Store {
  private let configuration: StoreConfiguration
  private let commitTimer: CommitTimer?
  /// The board of the sinks; nil when no records are forwarded.
  private let board: ArrivalBoard?
  private let folder: DataFolder?
  private var engine: StoreEngine?
  /// Why a group or a step failed; nil again after a probe of some size was committed. Damage is permanent.
  package private(set) var outage: StoreOutage?
  package private(set) var evictedFromQuarantine = 0

  /// Opens or creates the store, migrates it to the current version, and copies the log of a killed process into the main file.
  /// The folder stays locked against other processes while this object lives.
  package init(
    _ configuration: StoreConfiguration, commitTimer: CommitTimer? = nil, board: ArrivalBoard? = nil
  ) throws(StoreError) {
    self.configuration = configuration
    self.board = board
    self.commitTimer = commitTimer
    let folder = configuration.isInMemory ? nil : try DataFolder(path: configuration.folder)
    self.folder = folder
    // A connection that is closed properly deletes its log (https://sqlite.org/wal.html#the_wal_file).
    let wasKilled = folder?.hasLog ?? false
    do {
      let engine = try SQLiteStore.open(configuration, board)
      self.engine = engine
      if wasKilled { try engine.recover() }
      guard !configuration.isInMemory, try engine.isFoundDamaged() else { return }
      outage = .damaged
      self.engine = nil
    } catch {
      throw StoreError(error, opening: configuration.databasePath)
    }
  }

  private static func open(
    _ configuration: StoreConfiguration, _ board: ArrivalBoard?
  ) throws(DatabaseError) -> StoreEngine {
    let database = try Connection(path: configuration.databasePath)
    // Before any setting is changed: a file of another program or of a newer version is not touched.
    _ = try database.version(of: StoreSchema.schema)
    if !configuration.isInMemory {
      try database.apply(.pageSize(bytes: 8_192))
      try database.apply(.journalMode(.wal))
      try database.apply(.synchronous(.full))
      try database.apply(.automaticCheckpoint(pages: 0))
    } else if configuration.spillsToDisk {
      // This file is not opened again after a crash: the rollback data is in memory, and no commit touches the disk.
      try database.apply(.journalMode(.memory))
    }
    try database.apply(.cacheSize(kilobytes: configuration.limits.cacheKilobytes))
    if let pages = configuration.limits.maximumPages { try database.apply(.maximumPageCount(pages)) }
    if !configuration.isInMemory { try settle(database) }
    try database.migrate(to: StoreSchema.schema)
    return try StoreEngine(on: StoreConnection(database), configuration, board)
  }

  /// Copies the whole log into the main file, syncs that, and truncates the log. Copying alone would not do: parts of the log
  /// that a failed sync dropped are still in memory, and after a power failure the shorter log would be replayed over the newer
  /// main file. Waits for readers that still need old pages.
  private static func settle(_ database: borrowing Connection) throws(DatabaseError) {
    _ = try database.checkpoint(.truncate)
  }

  package func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    evictedFromQuarantine = 0
    if outage == .damaged { return Array(repeating: .unavailable(.damaged), count: group.count) }
    do {
      let engine = try ready()
      let results = try engine.apply(group, now: now, commitTimer)
      evictedFromQuarantine = engine.evictedFromQuarantine
      engine.read(group)
      return results
    } catch {
      let outage = fail(error)
      // A question is answered even if the jobs of its group failed.
      engine?.read(group)
      return Array(repeating: .unavailable(outage), count: group.count)
    }
  }

  package func maintain(now: WallInstant) -> Bool {
    if outage == .damaged { return false }
    do {
      let engine = try ready()
      if outage != nil { try probe(engine) }
      return try engine.maintain(now: now.millisecondsSince1970)
    } catch {
      _ = fail(error)
      return false
    }
  }

  /// The outage says all.
  package var outageDetail: String? { nil }

  package func damageFound() {
    outage = .damaged
    engine?.stop()
    engine = nil
  }

  /// A group that is small, or writes nothing, succeeds on a nearly full disk; so the outage ends only after a commit as large
  /// as most groups. Upkeep continues meanwhile: it may free space.
  private func probe(_ engine: StoreEngine) throws(DatabaseError) {
    do {
      try engine.probe()
      outage = nil
    } catch {
      outage = StoreOutage(error)
      guard outage == .full else { throw error }
    }
  }

  /// Returns the engine, opened again after a failure.
  private func ready() throws(DatabaseError) -> StoreEngine {
    if let engine { return engine }
    let made = try SQLiteStore.open(configuration, board)
    engine = made
    return made
  }

  private func fail(_ error: DatabaseError) -> StoreOutage {
    let outage = StoreOutage(error)
    self.outage = outage
    if outage == .full || configuration.isInMemory, let engine {
      // The rollback needed no space and no sync: the connection is sound, only the engine's memory is ahead of it. In memory
      // this holds after every error, and the connection is the only copy.
      self.engine = rebuilt(engine)
      if configuration.isInMemory, self.engine == nil { self.outage = .damaged }
    } else {
      engine?.stop()
      engine = nil
    }
    return self.outage ?? outage
  }

  /// Returns nil when even reading fails; then the next group opens the file again. A database in memory is lost.
  private func rebuilt(_ engine: StoreEngine) -> StoreEngine? {
    do { return try StoreEngine(on: engine.connection, configuration, board) } catch { return nil }
  }

  package func close() {
    guard let engine else { return }
    engine.stop()
    if !configuration.isInMemory {
      do {
        _ = try engine.connection.database.checkpoint(.passive)
      } catch {
        // Committed data is in the log, and the next start copies it.
        outage = StoreOutage(error)
      }
    }
    self.engine = nil
  }

  /// The reader of the thread that owns the store; nil while the file cannot be opened.
  package var reader: SQLiteReader? { engine.map { SQLiteReader(on: $0.connection) } }
}
