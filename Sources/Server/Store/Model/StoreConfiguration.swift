/// Where the store lives and how long it keeps what it has.
package struct StoreConfiguration: Sendable {
  /// A folder, made when it is missing, or `:memory:`.
  package var folder: String
  /// Whole days of recorded time that are kept; nil for ever.
  package var retainDays: Int?
  /// Bytes of stored data above which the oldest day is given up; nil for no limit.
  package var retainBytes: Int64?
  /// Of a store in memory: what does not fit into its cache goes to a file without a name.
  package private(set) var spillsToDisk = false
  package var limits = StoreLimits()

  package init(folder: String, retainDays: Int? = nil, retainBytes: Int64? = nil) {
    self.folder = folder
    self.retainDays = retainDays
    self.retainBytes = retainBytes
  }

  package var isInMemory: Bool { folder == ":memory:" }

  /// A store for one run, of any length in little memory: SQLite's temporary database, which nobody else sees and which ends
  /// with the process (https://sqlite.org/inmemorydb.html#temp_db). Every commit goes over all pages of its cache, hence a
  /// small one. Where no folder can be written to, everything stays in memory.
  package static var scratch: StoreConfiguration {
    var configuration = StoreConfiguration(folder: ":memory:")
    guard SpillFolder.exists else { return configuration }
    configuration.spillsToDisk = true
    configuration.limits.cacheKilobytes = 4_096
    return configuration
  }

  /// What SQLite is given to open.
  var databasePath: String {
    if isInMemory { return spillsToDisk ? "" : folder }
    return DataFolder.databasePath(in: folder)
  }
}
