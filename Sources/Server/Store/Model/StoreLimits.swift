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
  package var quarantineRows = 100_000
  package var logsPerDevice = 16
  /// Pages of the write-ahead log after which it is copied back, beside the groups.
  package var checkpointPages = 4_000
  /// Page cache of the writer.
  package var cacheKilobytes = 131_072
  /// What must be committed after an outage before the store says that it is over: more than most groups write.
  package var probeBytes = 262_144
  /// A main file of at most so many bytes is checked whole at the start, which takes some hundredths of a second.
  package var checkedBytes: Int64 = 16_777_216
  /// Size of the main file in pages of 8 KiB above which the disk counts as full; nil for no limit.
  package var maximumPages: Int?

  package init() {}
}
