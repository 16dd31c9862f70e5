import Base
import Database
import PostgresStore
import Store
import TLS

/// Where a server keeps what devices send, and where what is its own: the journal, the authority of development.
struct DataLocation: Sendable {
  private enum Records {
    case memory
    case folder
    case database(PostgresURI)
  }

  let store: StoreConfiguration
  private let records: Records
  /// Nil for what ends with the process.
  let ownFolder: String?

  init(_ store: StoreConfiguration, nodeData: String?) {
    self.store = store
    if let database = PostgresURI(store.folder) {
      (records, ownFolder) = (.database(database), nodeData)
    } else if store.isInMemory {
      (records, ownFolder) = (.memory, nil)
    } else {
      (records, ownFolder) = (.folder, store.folder)
    }
  }

  /// Other servers may keep their records in the same place.
  var isShared: Bool { if case .database = records { true } else { false } }

  /// What may be shown and written down.
  var shown: String { if case .database(let database) = records { database.shown } else { store.folder } }

  /// Nil where the store has taken the folder for itself, or there is none.
  func takeOwnFolder() throws(StoreError) -> DataFolder? {
    guard isShared, let ownFolder else { return nil }
    return try DataFolder(path: ownFolder, flag: "--node-data")
  }

  /// What the servers set for each other; nil for a store of its own.
  var documents: SharedDocuments? { isShared ? SharedDocuments(at: store.folder) : nil }

  /// Nil for a store of its own. `board` is that of sinks, nil where there are none; `keys` those of a provider.
  func openFeed(
    _ hub: EventHub, _ boards: SharedBoards, _ latestExpiry: LatestCommandExpiry, _ board: ArrivalBoard?,
    _ keys: KeyRing?
  ) -> NodeFeed? {
    guard isShared else { return nil }
    return NodeFeed(
      store.folder,
      NodeFeed.Listeners(
        hub: hub, boards: boards, latestExpiry: latestExpiry, arrivals: board, sinks: store.sinks, keys: keys))
  }

  /// Which of the servers sends to a sink, this one by the name of `node`; nil where there is one.
  func leadership(of node: String) -> (@Sendable (_ sink: String) -> () -> Bool)? {
    guard isShared else { return nil }
    let place = store.folder
    return { sink in
      let lock = SinkLock(of: sink, at: place, as: node)
      return { lock.isHeld() }
    }
  }

  /// Why a store seems to have been lost; nil when nothing is missing.
  var lostStore: String? { if case .folder = records { FolderSurvey.lostStore(in: store.folder) } else { nil } }

  /// With a reader for the thread that owns the store; nil while it cannot be read.
  func openStore(_ timer: CommitTimer, _ board: ArrivalBoard?) throws(StoreError) -> (any Store, (any StoreReader)?) {
    switch records {
    case .memory, .folder:
      let store = try SQLiteStore(store, commitTimer: timer, board: board)
      return (store, store.reader)
    case .database:
      return (
        try PostgresStore(at: store.folder, store, commitTimer: timer, board: board),
        try PostgresReader(to: store.folder)
      )
    }
  }

  /// `writer` has opened the store.
  func openReaders(beside writer: WriterThread) throws(StoreError) -> ReadPool {
    let folder = store.folder
    switch records {
    case .memory: return ReadPool(through: writer)
    case .folder:
      return try ReadPool { [weak writer] () throws(StoreError) in
        try SQLiteReader(folder: folder) { [weak writer] in writer?.damageFound() }
      }
    case .database: return try ReadPool { () throws(StoreError) in try PostgresReader(to: folder) }
    }
  }

  /// What signs access tokens: servers that share their records share it, so that each takes the tokens of all.
  func signingKey() throws(StoreError) -> [UInt8] {
    let make = { Cryptography.randomBytes(32) }
    let name = "token.key"
    switch records {
    case .memory: return make()
    case .folder: return try SecretFile.read(name, in: store.folder, count: 32, make: make)
    case .database: return try SharedSecret(name, at: store.folder).read(orKeep: make)
    }
  }

  /// Where the keys of `--identity` are.
  var identityKeys: KeyRing.Place {
    switch records {
    case .memory: .memory
    case .folder: .folder(store.folder)
    case .database: .database(SharedSecret(KeyRing.documentName, at: store.folder))
    }
  }

  /// In memory it has less room than on a disk.
  func openJournal(_ dropped: Counter) throws(StoreError) -> JournalWriter {
    if let ownFolder { return try JournalWriter(folder: ownFolder, dropped: dropped) }
    var limits = JournalLimits()
    if isShared { limits.bytes = 64 << 20 }
    return try JournalWriter(folder: ":memory:", limits: limits, dropped: dropped)
  }
}
