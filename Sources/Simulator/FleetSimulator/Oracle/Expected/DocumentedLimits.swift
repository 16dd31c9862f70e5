import Base
import Vocabulary

/// Numbers and lists by which rules judge, as the documents give them; one that a single rule needs may stand there. The device has its own: a wrong one there is found
/// only because the judge does not ask for it.
enum DocumentedLimits {
  /// A request that has no end so long after its time limit is given up with its flush (SDK §9.2.2).
  static let watchdogGrace = Nanoseconds.seconds(5)
  /// After a failure without an answer, so many records are queued before an insert begins an upload (SDK §9.3.2).
  static let backOffRecords = 10
  /// How often records that have grown too old are removed, apart from start and resume (SDK §7.4.2).
  static let purgeInterval = Nanoseconds.seconds(3_600)
  /// `maxDaysToPersist` above this keeps records forever.
  static let daysMax = 36_500
  /// Of the commands of one answer, the last so many are carried out (SDK §10.2).
  static let commandsMax = 100

  /// `http.timeout` in milliseconds: any number, from a millisecond to a day, and 60 s in place of one that is too small
  /// (HttpConfig `timeout`).
  static func timeout(milliseconds: Double) -> Nanoseconds {
    milliseconds >= 1 ? .milliseconds(Int64(min(milliseconds, 86_400_000))) : .seconds(60)
  }

  /// What retries records below the threshold after an upload that has failed: resume, launch, connectivity, heartbeat and
  /// background fetch (SDK §8.5.3; HttpConfig "Error handling").
  static let retryTriggers: Set<FlushTrigger> = [
    .insert, .appResume, .ready, .connectivity, .heartbeat, .backgroundFetch,
  ]
}
