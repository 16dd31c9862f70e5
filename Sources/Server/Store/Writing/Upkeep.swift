import Base
import Database

/// Maintenance between groups, in steps of a few milliseconds, the most urgent first.
struct Upkeep {
  private let configuration: StoreConfiguration
  private var index = RunBuilder()
  private var checkpoint: CheckpointPacer
  private var retentionChecked: Int64?
  private var housekept: Int64?

  init(_ configuration: StoreConfiguration) {
    self.configuration = configuration
    checkpoint = CheckpointPacer(configuration)
  }

  /// Returns whether there is more to do at once.
  mutating func step(
    _ partitions: PartitionSet, _ sinks: SinkTable, _ outbox: inout CommandOutbox, now: Int64
  ) throws(DatabaseError) -> Bool {
    if try checkpoint.step(partitions.connection) { return true }
    if try index.step(partitions, limits: configuration.limits, now: now) { return true }
    if try partitions.dropStep() { return true }
    if try partitions.sweepStep() { return true }
    if try partitions.connection.forgetStep() { return true }
    if isDue(since: retentionChecked, every: 1_000, now) {
      if try partitions.retire(configuration, sinks, now: now) { return true }
      retentionChecked = now
    }
    guard isDue(since: housekept, every: 60_000, now) else { return false }
    // Only closed orders are trimmed, because the outbox counts the open ones.
    try outbox.closeExpired(now: now)
    let more = try partitions.connection.trimHistories(configuration.limits, now: now)
    if !more { housekept = now }
    return more
  }

  /// Stops the other threads of the store that use the file.
  mutating func stop() { checkpoint.stop() }

  /// Also true when the clock was set back.
  private func isDue(since last: Int64?, every milliseconds: Int64, _ now: Int64) -> Bool {
    guard let last else { return true }
    return now < last || now - last >= milliseconds
  }
}
