/// Bounds of the writer's mailbox and of its groups.
package struct WriterLimits: Sendable {
  /// Jobs waiting, beyond which a submission is refused.
  package var mailboxJobs = 16_384
  package var mailboxBytes = 64 << 20
  /// A group is what arrived during the last commit, up to these.
  package var groupRows = 8_192
  package var groupBytes = 8 << 20
  /// Pause between looks at the clock when nothing is asked, for retention and for the end of an outage.
  package var idleMilliseconds = 250

  package init() {}
}
