import Base
import Database
import PostgresStore
import Store
import TLS

/// The storage of a server: the records of devices, and its own files, the journal and the development authority.
struct DataLocation: Sendable {
  private enum Records {
    case memory
    case folder
    case database(PostgresURI)
  }

  let store: StoreConfiguration
  private let records: Records
  /// The folder for the server's own files; nil when they end with the process.
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

  /// Whether other servers may store their records in the same place.
  var isShared: Bool { if case .database = records { true } else { false } }

  /// The place in a form that may be shown and logged.
  var shown: String { if case .database(let database) = records { database.shown } else { store.folder } }

  /// Locks the server's own folder. Returns nil when the store has locked it already, or there is none.
  func takeOwnFolder() throws(StoreError) -> DataFolder? {
    guard isShared, let ownFolder else { return nil }
    return try DataFolder(path: ownFolder, flag: "--node-data")
  }

  /// The settings that the servers share; nil for a store of its own.
  var documents: SharedDocuments? { isShared ? SharedDocuments(at: store.folder) : nil }

  /// Returns nil for a store of its own. `board` is the board of the sinks, nil when there are none; `keys` is the key ring of
  /// an identity provider.
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

  /// Decides which server forwards to a sink; `node` is the name of this one. Nil when there is only one server.
  func leadership(of node: String) -> (@Sendable (_ sink: String) -> () -> Bool)? {
    guard isShared else { return nil }
    let place = store.folder
    return { sink in
      let lock = SinkLock(of: sink, at: place, as: node)
      return { lock.isHeld() }
    }
  }

  /// The reason to believe that a store was lost; nil when nothing is missing.
  var lostStore: String? { if case .folder = records { FolderSurvey.lostStore(in: store.folder) } else { nil } }

  /// The reason to believe that the key of the tokens was lost; nil when nothing is missing.
  var lostKey: String? { if case .folder = records { FolderSurvey.lostKey(in: store.folder) } else { nil } }

  /// Opens the store with a reader for the thread that owns it; the reader is nil while the store cannot be read.
  func openStore(
    _ timer: CommitTimer, _ board: ArrivalBoard?, _ notify: @escaping (ServerNotice) -> Void
  ) throws(StoreError) -> (any Store, (any StoreReader)?) {
    switch records {
    case .memory, .folder:
      let store = try SQLiteStore(store, commitTimer: timer, board: board)
      return (store, store.reader)
    case .database:
      return (
        try PostgresStore(at: store.folder, store, commitTimer: timer, board: board) { notify(.unknownCommand($0)) },
        try PostgresReader(to: store.folder)
      )
    }
  }

  /// Opens the readers after `writer` has opened the store.
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

  /// Returns the key that signs access tokens. Servers that share their records share it, so that each accepts the tokens of
  /// all.
  func signingKey() throws(StoreError) -> [UInt8] {
    let make = { Cryptography.randomBytes(32) }
    let name = "token.key"
    switch records {
    case .memory: return make()
    case .folder: return try SecretFile.read(name, in: store.folder, count: 32, make: make)
    case .database: return try SharedSecret(name, at: store.folder).read(orKeep: make)
    }
  }

  /// The storage of the keys of `--identity`.
  var identityKeys: KeyRing.Place {
    switch records {
    case .memory: .memory
    case .folder: .folder(store.folder)
    case .database: .database(SharedSecret(KeyRing.documentName, at: store.folder))
    }
  }

  /// Opens the journal, which has less room in memory than on disk.
  func openJournal(_ dropped: Counter) throws(StoreError) -> JournalWriter {
    if let ownFolder { return try JournalWriter(folder: ownFolder, dropped: dropped) }
    var limits = JournalLimits()
    if isShared { limits.bytes = 64 << 20 }
    return try JournalWriter(folder: ":memory:", limits: limits, dropped: dropped)
  }
}
