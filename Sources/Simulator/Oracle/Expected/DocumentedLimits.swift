import Base
import Vocabulary

/// The documented numbers and lists by which rules judge; one that a single rule needs may be in that rule. The device has
/// its own copy: a wrong number there is detected only because the rules do not read it.
enum DocumentedLimits {
  /// The time after its timeout at which a request without an end is abandoned, with its flush (SDK §9.2.2).
  static let watchdogGrace = Nanoseconds.seconds(5)
  /// The number of queued records from which an insert starts an upload after a failure without an answer (SDK §9.3.2).
  static let backOffRecords = 10
  /// The interval at which old records are removed, besides start and resume (SDK §7.4.2).
  static let purgeInterval = Nanoseconds.seconds(3_600)
  /// `maxDaysToPersist` above this keeps records forever.
  static let daysMax = 36_500
  /// The number of commands of one answer that are executed, from its end (SDK §10.2).
  static let commandsMax = 100

  /// Returns `http.timeout`: 1 ms to one day, and 60 s in place of a smaller value (HttpConfig `timeout`).
  static func timeout(milliseconds: Double) -> Nanoseconds {
    milliseconds >= 1 ? .milliseconds(Int64(min(milliseconds, 86_400_000))) : .seconds(60)
  }

  /// The triggers that retry records below the threshold after a failed upload: resume, launch, connectivity, heartbeat and
  /// background fetch (SDK §8.5.3; HttpConfig "Error handling").
  static let retryTriggers: Set<FlushTrigger> = [
    .insert, .appResume, .ready, .connectivity, .heartbeat, .backgroundFetch,
  ]
}
