package import Base
import Database

/// The store in one SQLite file: write-ahead log, `synchronous=FULL`, one transaction for a group. Not Sendable: one thread
/// owns it.
///
/// After an error of the disk nothing that SQLite or the kernel remembers is believed. The connection is closed; before the
/// next group a new one copies the whole log into the main file and has it synced, which writes every page again that an
/// unsuccessful sync may have dropped (https://lwn.net/Articles/752063/). While that fails everything is `unavailable`.
///
/// A damaged file ends the writing until the next start: a page that happens to be sound proves nothing about the others, and
/// what is written into a damaged tree may take more with it (https://sqlite.org/howtocorrupt.html). Readers go on.
package final class SQLiteStore: Store {
  private let configuration: StoreConfiguration
  private let commitTimer: CommitTimer?
  /// Nil when no records go on.
  private let board: ArrivalBoard?
  private let folder: DataFolder?
  private var engine: StoreEngine?
  /// Why a group or a step failed; nil again when a probe of some size was committed since. Damage stays.
  package private(set) var outage: StoreOutage?
  package private(set) var crowdedOut = 0

  /// Opens or makes the store, brings it to the current version, and moves everything that a killed process left in the log
  /// into the main file. The folder stays locked against other processes as long as this object lives.
  package init(
    _ configuration: StoreConfiguration, commitTimer: CommitTimer? = nil, board: ArrivalBoard? = nil
  ) throws(StoreError) {
    self.configuration = configuration
    self.board = board
    self.commitTimer = commitTimer
    let folder = configuration.isInMemory ? nil : try DataFolder(path: configuration.folder)
    self.folder = folder
    // One that is ended in order takes its log with it (https://sqlite.org/wal.html#the_wal_file).
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
    // Before anything is set: a file of another program or of a newer version is not touched.
    _ = try database.version(of: StoreSchema.schema)
    if !configuration.isInMemory {
      try database.apply(.pageSize(bytes: 8_192))
      try database.apply(.journalMode(.wal))
      try database.apply(.synchronous(.full))
      try database.apply(.automaticCheckpoint(pages: 0))
    } else if configuration.spillsToDisk {
      // This file is not opened after a crash: what a rollback needs is in memory, and no commit touches the disk.
      try database.apply(.journalMode(.memory))
    }
    try database.apply(.cacheSize(kilobytes: configuration.limits.cacheKilobytes))
    if let pages = configuration.limits.maximumPages { try database.apply(.maximumPageCount(pages)) }
    if !configuration.isInMemory { try settle(database) }
    try database.migrate(to: StoreSchema.schema)
    return try StoreEngine(on: StoreConnection(database), configuration, board)
  }

  /// Moves the whole log into the main file, syncs that, and empties the log. A log that is only copied would not do: what a
  /// failed sync dropped from it on disk is still in memory, and after a power cut the shorter log would be replayed over
  /// the newer main file. A reader that still needs the old pages is waited for.
  private static func settle(_ database: borrowing Connection) throws(DatabaseError) {
    _ = try database.checkpoint(.truncate)
  }

  package func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    crowdedOut = 0
    if outage == .damaged { return Array(repeating: .unavailable(.damaged), count: group.count) }
    do {
      let engine = try ready()
      let results = try engine.apply(group, now: now, commitTimer)
      crowdedOut = engine.crowdedOut
      engine.read(group)
      return results
    } catch {
      let outage = fail(error)
      // A question gets its answer also when the jobs beside it failed.
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

  /// A group that happens to be small, or to write nothing, succeeds on a disk that is as good as full; so the trouble is
  /// over only when as much is committed as most groups are. Upkeep goes on meanwhile: it may be what makes room.
  private func probe(_ engine: StoreEngine) throws(DatabaseError) {
    do {
      try engine.probe()
      outage = nil
    } catch {
      outage = StoreOutage(error)
      guard outage == .full else { throw error }
    }
  }

  /// The engine, made anew after a failure.
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
      // The rollback needed no space and no sync: the connection is sound, only the engine's memory is ahead of it. In
      // memory that is so after every error, and the connection is all there is.
      self.engine = rebuilt(engine)
      if configuration.isInMemory, self.engine == nil { self.outage = .damaged }
    } else {
      engine?.stop()
      engine = nil
    }
    return self.outage ?? outage
  }

  /// Nil when even reading fails; then the next group opens the file again. A database in memory is lost.
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
        // What is committed lies in the log, and the next start moves it.
        outage = StoreOutage(error)
      }
    }
    self.engine = nil
  }

  /// For the thread that owns the store; nil while the file cannot be opened.
  package var reader: SQLiteReader? { engine.map { SQLiteReader(on: $0.connection) } }
}
