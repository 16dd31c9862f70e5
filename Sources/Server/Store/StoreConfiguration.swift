/// Where the store lives and how long it keeps what it has.
package struct StoreConfiguration: Sendable {
  /// A folder, made when it is missing, or `:memory:`.
  package var folder: String
  /// Whole days of recorded time that are kept; nil for ever.
  package var retainDays: Int?
  /// Bytes of stored data above which the oldest day is given up; nil for no limit.
  package var retainBytes: Int64?
  /// The names of the sinks that records go on to.
  package var sinks: [String] = []
  /// A sink that is new gets what is stored already, and not only what comes.
  package var sinksBeginAtStart = false
  /// Of a store in memory: what does not fit into its cache goes to a file without a name.
  package private(set) var spillsToDisk = false
  package var limits = StoreLimits()

  package init(folder: String, retainDays: Int? = nil, retainBytes: Int64? = nil) {
    self.folder = folder
    self.retainDays = retainDays
    self.retainBytes = retainBytes
  }

  package var isInMemory: Bool { folder == ":memory:" }

  /// A store for one run, of any length in little memory: SQLite's temporary database, which no other process sees and which ends
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

/// Bounds of the store, all in one place.
package struct StoreLimits: Sendable {
  /// Days with a partition of their own; records of further days share the partition of odd times. With fewer tables
  /// than this SQLite reads its schema in a few milliseconds.
  package var partitions = 1_000
  /// Records dated more days ahead than this go to the partition of odd times.
  package var daysAhead = 2
  /// New rows of a partition that are sorted by device at a time. Between two sortings a query scans that many rows.
  package var indexRunRows = 32_768
  /// Devices remembered in memory; beyond, the memory is emptied and fills again.
  package var cachedDevices = 1_000_000
  package var openOrders = 100_000
  /// Orders, delivered or not, whose history is kept.
  package var ledgerOrders = 200_000
  /// The latest of a device; about an eighth more are kept before the oldest go.
  package var quarantinePerDevice = 10_000
  /// Refusals of sinks that are remembered.
  package var sinkRefusals = 10_000
  package var logsPerDevice = 16
  /// Pages of the write-ahead log after which it is copied back, beside the groups.
  package var checkpointPages = 4_000
  /// Page cache of the writer.
  package var cacheKilobytes = 131_072
  /// What must be committed after an outage before the store says that it is over: more than most groups write.
  package var probeBytes = 262_144
  /// A main file of at most so many bytes is checked whole at the start, which takes some hundredths of a second.
  package var checkedBytes: Int64 = 16_777_216
  /// A database server that says nothing for longer is given up. Three quarters of it are the longest time of a statement, one
  /// quarter that of waiting for a lock.
  package var answerMilliseconds = 40_000
  /// Size of the main file in pages of 8 KiB above which the disk counts as full; nil for no limit.
  package var maximumPages: Int?

  package init() {}

  /// Whether the quarantine of a device is looked through for what has no room: it takes a look at all of it, so this is done once in
  /// about an eighth of the room. `before` is how many records of the device were ever quarantined before these.
  package func looksThroughQuarantine(behind before: Int64, adding added: Int) -> Bool {
    let step = Int64(max(1, quarantinePerDevice / 8))
    let after = before + Int64(added)
    return after > Int64(quarantinePerDevice) && before / step < after / step
  }
}
