/// How hard to try to move the write-ahead log into the database, https://sqlite.org/c3ref/wal_checkpoint_v2.html
package enum CheckpointMode {
  /// As much as readers allow, without waiting.
  case passive
  /// Everything, waiting for readers as long as the busy time-out, then the log becomes empty.
  case truncate
}
