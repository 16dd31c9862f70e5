/// The location of the store and its retention.
package struct StoreConfiguration: Sendable {
  /// A folder, created when missing, or `:memory:`.
  package var folder: String
  /// The number of whole days of recorded time that are kept; nil for all.
  package var retainDays: Int?
  /// The size of stored data, in bytes, above which the oldest day is deleted; nil for no limit.
  package var retainBytes: Int64?
  /// The names of the sinks that records are forwarded to.
  package var sinks: [String] = []
  /// Whether a new sink also gets the records stored earlier.
  package var sinksBeginAtStart = false
  /// Whether a store in memory writes pages that do not fit into its cache to an unnamed file.
  package private(set) var spillsToDisk = false
  package var limits = StoreLimits()

  package init(folder: String, retainDays: Int? = nil, retainBytes: Int64? = nil) {
    self.folder = folder
    self.retainDays = retainDays
    self.retainBytes = retainBytes
  }

  package var isInMemory: Bool { folder == ":memory:" }

  /// A store for one run, of any size in little memory: SQLite's temporary database, which no other process sees and which ends
  /// with the process (https://sqlite.org/inmemorydb.html#temp_db). Every commit scans all pages of its cache, so that is
  /// small. When no folder is writable, everything stays in memory.
  package static var scratch: StoreConfiguration {
    var configuration = StoreConfiguration(folder: ":memory:")
    guard SpillFolder.exists else { return configuration }
    configuration.spillsToDisk = true
    configuration.limits.cacheKilobytes = 4_096
    return configuration
  }

  /// The path passed to SQLite.
  var databasePath: String {
    if isInMemory { return spillsToDisk ? "" : folder }
    return DataFolder.databasePath(in: folder)
  }
}

/// The limits of the store, all in one place.
package struct StoreLimits: Sendable {
  /// The number of days with a partition of their own; records of further days share the partition of odd times. With fewer
  /// tables than this SQLite reads its schema in a few milliseconds.
  package var partitions = 1_000
  /// How many days ahead a record may be dated; later ones go to the partition of odd times.
  package var daysAhead = 2
  /// The number of new rows of a partition that are sorted by device at a time. Between two sorts a query scans at most that
  /// many rows.
  package var indexRunRows = 32_768
  /// The devices cached in memory; above this the cache is emptied and fills again.
  package var cachedDevices = 1_000_000
  package var openOrders = 100_000
  /// The orders whose history is kept, delivered or not.
  package var ledgerOrders = 200_000
  /// The latest records of a device; up to about an eighth more are kept before the oldest are deleted.
  package var quarantinePerDevice = 10_000
  /// The number of refusals of sinks that are kept.
  package var sinkRefusals = 10_000
  package var logsPerDevice = 16
  /// The size of the write-ahead log, in pages, that starts a checkpoint in parallel with commits.
  package var checkpointPages = 4_000
  /// The writer's page cache.
  package var cacheKilobytes = 131_072
  /// The size of the commit that ends an outage: more than most groups write.
  package var probeBytes = 262_144
  /// The size of the main file up to which it is checked completely at the start, which takes some hundredths of a second.
  package var checkedBytes: Int64 = 16_777_216
  /// How long a database server may take to answer before the connection is given up. Three quarters of it are the statement
  /// timeout, one quarter the lock timeout.
  package var answerMilliseconds = 40_000
  /// The size of the main file, in pages of 8 KiB, above which the disk counts as full; nil for no limit.
  package var maximumPages: Int?

  package init() {}

  /// Returns whether to trim the quarantine of a device: trimming scans all of it, so it happens about once per eighth of the
  /// limit. `before` is the number of records of the device that were ever quarantined before these.
  package func looksThroughQuarantine(behind before: Int64, adding added: Int) -> Bool {
    let step = Int64(max(1, quarantinePerDevice / 8))
    let after = before + Int64(added)
    return after > Int64(quarantinePerDevice) && before / step < after / step
  }
}
