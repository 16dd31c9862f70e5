package import Base

/// What the writer tells about itself.
package struct WriterMetrics: Sendable {
  /// Nanoseconds from the begin of a transaction to the end of its commit.
  package let groupTime: SharedHistogram
  /// Nanoseconds of the commit in that: the writing of the log and its sync.
  package let commitTime: SharedHistogram
  package let groupJobs: SharedHistogram
  package let groupRows: SharedHistogram
  /// Nanoseconds of a step between groups.
  package let upkeepTime: SharedHistogram
  package let mailboxJobs: Gauge
  package let mailboxBytes: Gauge
  /// Submissions refused because the mailbox was full.
  package let refusedJobs: Counter
  package let failedGroups: Counter

  package init(in registry: inout MetricsRegistry) {
    let times: [UInt64] = [200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 2_000_000]
    groupTime = registry.histogram(
      "rollingroad_store_group_seconds", help: "Time to write and commit a group.",
      highestTrackableValue: 60_000_000_000, bounds: times.map { $0 * 1_000 }, divisor: 1_000_000_000)
    commitTime = registry.histogram(
      "rollingroad_store_commit_seconds", help: "Time of the commit of a group alone: the log is written and synced.",
      highestTrackableValue: 60_000_000_000, bounds: times.map { $0 * 1_000 }, divisor: 1_000_000_000)
    groupJobs = registry.histogram(
      "rollingroad_store_group_jobs", help: "Jobs committed together.",
      highestTrackableValue: 100_000, bounds: [1, 2, 5, 10, 50, 100, 500, 1_000, 5_000], divisor: 1)
    groupRows = registry.histogram(
      "rollingroad_store_group_rows", help: "Records committed together.",
      highestTrackableValue: 1_000_000, bounds: [1, 10, 50, 100, 500, 1_000, 5_000, 10_000], divisor: 1)
    upkeepTime = registry.histogram(
      "rollingroad_store_upkeep_seconds", help: "Time of a step between groups: index, checkpoint, retention.",
      highestTrackableValue: 60_000_000_000, bounds: times.map { $0 * 1_000 }, divisor: 1_000_000_000)
    mailboxJobs = registry.gauge("rollingroad_store_mailbox_jobs", help: "Jobs waiting for the writer.")
    mailboxBytes = registry.gauge("rollingroad_store_mailbox_bytes", help: "Bytes waiting for the writer.")
    refusedJobs = registry.counter(
      "rollingroad_store_mailbox_refused_total", help: "Jobs refused because the mailbox was full.")
    failedGroups = registry.counter("rollingroad_store_failed_groups_total", help: "Groups that were not committed.")
  }
}
